// The most memory the service holds: for one large export, for eight at once, and for readers who take nothing.
// A fresh process each time, since memory once taken is rarely given back.

import { type BenchContext, withService } from '../bench-context.ts'
import { BlockingSocket } from '../blocking-socket.ts'
import { atMost, digits, type Finding, type SectionReport } from '../findings.ts'
import { fetchPages, type HttpSubject } from '../http-subject.ts'
import { peakBytes, processorMs, residentBytes } from '../process-meter.ts'
import { inRounds } from '../rounds.ts'
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
  const peakOf = (work: (service: HttpSubject) => Promise<unknown>) => (): Promise<number> =>
    withService(context, {}, async service => {
      await work(service)
      return peakBytes(service.pid) / 1e6
    })
  const exports = (count: number) =>
    peakOf(service => Promise.all(Array.from({ length: count }, () => fetchPages(children, service, rows, 1))))
  const stalled = peakOf(service => stall(service, rows, say))
  // Each service is a fresh one, so there is nothing to warm up.
  const peaks = await inRounds(
    context,
    { idle: exports(0), one: exports(1), eight: exports(8), stalled },
    { warmUps: 0, max: roundsMax },
  )
  const finding = (limit: number, what: string, values: readonly number[]): Finding =>
    atMost(limit, `peak memory, ${what}`, median(values), 'MB')
  const page = rows.toLocaleString('en')
  return {
    findings: [
      finding(120, `1 export of ${page}`, peaks.one),
      finding(150, `8 exports of ${page} at once`, peaks.eight),
      finding(250, `${readers} stalled readers`, peaks.stalled),
    ],
    tables: [
      {
        title: 'Peak memory of a fresh process',
        head: ['', 'MB'],
        rows: Object.entries(peaks).map(([name, values]) => [name, digits(median(values))]),
      },
    ],
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
