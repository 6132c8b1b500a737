// What several processes behind one port are worth (PROCESSES): bytes a second of many exports at once, and small pages a second.

import { type BenchContext, withService } from '../bench-context.ts'
import { startHttpLoad } from '../conversations.ts'
import { digits, type SectionReport } from '../findings.ts'
import { fetchPages, warmUp } from '../http-subject.ts'
import { backendsMs, backendsMsSince, familyBytes, familyMs } from '../process-meter.ts'
import { inRounds } from '../rounds.ts'
import { column, median, pairedRatio } from '../statistics.ts'

const counts = ['1', '2', '4'] as const
const clients = 8
const pagesOfClient = 40
const pageSize = 1000
const connections = 32
const durationMs = 2000

interface Measured {
  bytesPerMs: number
  pagesPerSecond: number
  /** Of all processes of the service together, and of the backends: seconds for a gigabyte, and milliseconds for a page of 1. */
  secondsPerGigabyte: number
  msPerPage: number
  /** All processes together, the supervisor among them, when all was done. */
  residentBytes: number
}

/** What the service and PostgreSQL worked since, in milliseconds. */
function costOf({ database }: BenchContext, pid: number): () => number {
  const before = { service: familyMs(pid), backends: backendsMs(database.pid, database.user) }
  return () => familyMs(pid) - before.service + backendsMsSince(before.backends, database.pid, database.user)
}

export async function measureProcesses(context: BenchContext): Promise<SectionReport> {
  const { children, options } = context
  const load = startHttpLoad(children)
  const measure = (count: string) => (): Promise<Measured> =>
    withService(context, { PROCESSES: count }, async service => {
      // New connections go to any of the processes, so each gets its part.
      await Promise.all(Array.from({ length: clients }, () => warmUp(children, service, 500)))
      const rows = Math.min(pageSize, options.applications)
      const cost = costOf(context, service.pid)
      const startedAt = performance.now()
      const transfers = await Promise.all(
        Array.from({ length: clients }, () => fetchPages(children, service, rows, pagesOfClient)),
      )
      const bytes = transfers.flat().reduce((sum, transfer) => sum + transfer.bytes, 0)
      const bytesPerMs = bytes / (performance.now() - startedAt)
      const secondsPerGigabyte = cost() / 1000 / (bytes / 1e9)
      const costOfPages = costOf(context, service.pid)
      const answer = await load.ask({ url: service.pageUrl(1), headers: service.headers, connections, durationMs })
      const msPerPage = costOfPages() / answer.requests
      const pagesPerSecond = answer.requests / (answer.wallMs / 1000)
      return { bytesPerMs, pagesPerSecond, secondsPerGigabyte, msPerPage, residentBytes: familyBytes(service.pid) }
    })
  try {
    const rounds = await inRounds<(typeof counts)[number], Measured>(context, {
      1: measure('1'),
      2: measure('2'),
      4: measure('4'),
    })
    const of = (count: (typeof counts)[number], key: keyof Measured): number => median(column(rounds[count], key))
    const ratio = (count: (typeof counts)[number], key: keyof Measured): string =>
      `${digits(pairedRatio(column(rounds[count], key), column(rounds[1], key)))} ×`
    return {
      tables: [
        {
          title: `${clients} clients pulling pages of ${pageSize.toLocaleString('en')}; then pages of 1 over ${connections} connections`,
          head: [
            'processes',
            'MB/s',
            'against 1',
            'processor s/GB',
            'pages of 1 a second',
            'against 1',
            'processor ms/page',
            'MB held',
          ],
          rows: counts.map(count => [
            count,
            digits(of(count, 'bytesPerMs') / 1000),
            ratio(count, 'bytesPerMs'),
            digits(of(count, 'secondsPerGigabyte')),
            digits(of(count, 'pagesPerSecond')),
            ratio(count, 'pagesPerSecond'),
            digits(of(count, 'msPerPage')),
            digits(of(count, 'residentBytes') / 1e6),
          ]),
        },
      ],
      raw: rounds,
    }
  } finally {
    await load.stop()
  }
}
