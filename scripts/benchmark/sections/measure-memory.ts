// The most memory the service holds: for one large export, for eight at once, and for readers who take nothing.
// A fresh process each time, since memory once taken is rarely given back.

import { type BenchContext, withService } from '../bench-context.ts'
import { BlockingSocket } from '../blocking-socket.ts'
import { digits, type Finding, type SectionReport, type Table } from '../findings.ts'
import { fetchToNowhere, type HttpSubject } from '../http-subject.ts'
import { peakBytes, processorMs, residentBytes } from '../process-meter.ts'
import { median } from '../statistics.ts'

const readers = 200
/** Slower than readers are let go of, so that each gets the database connection it needs to begin. */
const readerPauseMs = 100
/** After the last one came; the time a service takes to notice that a reader is slow is well below. */
const settleMs = 4000
const roundsMax = 3

export async function measureMemory(context: BenchContext): Promise<SectionReport> {
  const { children, options, say } = context
  const rows = Math.min(100_000, options.applications)
  const peaks: Record<'idle' | 'one' | 'eight' | 'stalled', number[]> = { idle: [], one: [], eight: [], stalled: [] }
  const peakOf = (work: (service: HttpSubject) => Promise<void>): Promise<number> =>
    withService(context, {}, async service => {
      await work(service)
      return peakBytes(service.pid) / 1e6
    })
  const fetchAll = (service: HttpSubject, count: number): Promise<unknown> =>
    Promise.all(
      Array.from({ length: count }, () =>
        fetchToNowhere(children, service.pageUrl(rows), service.headers, 1, service.pageUrl(1)),
      ),
    )
  for (let round = 1; round <= Math.min(options.rounds, roundsMax); round++) {
    say(`Round ${round} …`)
    peaks.idle.push(await peakOf(async () => {}))
    peaks.one.push(await peakOf(async service => void (await fetchAll(service, 1))))
    peaks.eight.push(await peakOf(async service => void (await fetchAll(service, 8))))
    peaks.stalled.push(await peakOf(service => stall(service, rows, say)))
  }
  const finding = (what: string, values: readonly number[], atMost: number): Finding => ({
    section: 'memory',
    what: `peak memory, ${what}`,
    measured: median(values),
    unit: 'MB',
    atMost,
  })
  const page = rows.toLocaleString('en')
  const table: Table = {
    title: 'Peak memory of a fresh process',
    head: ['', 'MB'],
    rows: Object.entries(peaks).map(([name, values]) => [name, digits(median(values))]),
  }
  return {
    findings: [
      finding(`1 export of ${page}`, peaks.one, 120),
      finding(`8 exports of ${page} at once`, peaks.eight, 150),
      finding(`${readers} stalled readers`, peaks.stalled, 250),
    ],
    tables: [table],
    notes: [],
    raw: peaks,
  }
}

/** Readers who ask for a large page and never read; ends when the service has nothing more to do for them. */
async function stall(service: HttpSubject, rows: number, say: (line: string) => void): Promise<void> {
  const url = new URL(service.pageUrl(rows))
  const fields = Object.entries({ Host: url.host, ...service.headers }).map(([name, value]) => `${name}: ${value}`)
  const request = Buffer.from([`GET ${url.pathname}${url.search} HTTP/1.1`, ...fields, '', ''].join('\r\n'))
  const sockets: BlockingSocket[] = []
  try {
    for (let i = 0; i < readers; i++) {
      const socket = new BlockingSocket({ port: Number(url.port) }, 5)
      sockets.push(socket)
      socket.write(request)
      await Bun.sleep(readerPauseMs)
    }
    await Bun.sleep(settleMs)
    const before = processorMs(service.pid)
    await Bun.sleep(1000)
    const busyMs = processorMs(service.pid) - before
    say(
      `${readers} readers stalled: ${digits(residentBytes(service.pid) / 1e6)} MB held, ${digits(busyMs)} ms a second spent`,
    )
    const head = Buffer.alloc(15)
    const refused = sockets.filter(socket => !head.toString('latin1', 0, socket.read(head)).startsWith('HTTP/1.1 200'))
    if (refused.length > 0) throw new Error(`${refused.length} of ${readers} readers were not served`)
  } finally {
    for (const socket of sockets) socket.close()
  }
}
