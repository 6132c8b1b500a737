// Measures the service's peak memory: for one large export, for eight at once, and for readers that read nothing. Each measurement uses a
// fresh process, because memory is rarely returned.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { BenchContext } from './bench-context.ts'
import { type BenchFinding, digits, type SectionReport } from './figures/findings.ts'
import { median } from './figures/statistics.ts'
import { asFeed, fetchPages, type HttpSubject, withService } from './http-subject.ts'
import { inRounds } from './rounds.ts'

const readers = 200
/** Slower than readers are let go of, so that each gets the database connection it needs to begin. */
const readerPauseMs = 100
/** After the last one came; the time a service takes to notice that a reader is slow is well below. */
const settleMs = 4000

export async function measureMemory(context: BenchContext): Promise<SectionReport> {
  const { children, options } = context
  const rows = Math.min(100_000, options.applications)
  const peakOf = (work: (service: HttpSubject) => Promise<unknown>) => async (): Promise<number> =>
    (await withService(context, work)).peakBytes / 1e6
  const exports = (count: number) =>
    peakOf(service => Promise.all(Array.from({ length: count }, () => fetchPages(children, service, rows, 1))))
  const odata = peakOf(service => fetchPages(children, asFeed(service), rows, 1))
  const stalled = peakOf(service => stall(service, rows))
  // Each service is a fresh one, so it has nothing to warm up.
  const peaks = await inRounds(context, { idle: exports(0), one: exports(1), eight: exports(8), odata, stalled }, 0)
  const finding = (atMost: number, what: string, values: readonly number[]): BenchFinding => ({
    what: `peak memory, ${what}`,
    measured: median(values),
    unit: 'MB',
    atMost,
  })
  const page = rows.toLocaleString('en')
  return {
    findings: [
      finding(120, `1 export of ${page}`, peaks.one),
      finding(150, `8 exports of ${page} at once`, peaks.eight),
      finding(120, `1 export of ${page} as OData`, peaks.odata),
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
async function stall(service: HttpSubject, rows: number): Promise<void> {
  const url = new URL(service.pageUrl(rows))
  const fields = Object.entries({ Host: url.host, ...service.headers }).map(([name, value]) => `${name}: ${value}`)
  const request = [`GET ${url.pathname}${url.search} HTTP/1.1`, ...fields, '', ''].join('\r\n')
  const sockets: Socket[] = []
  try {
    for (let i = 0; i < readers; i++) {
      const socket = connect(Number(url.port), url.hostname)
      sockets.push(socket)
      await once(socket, 'connect')
      socket.pause()
      socket.write(request)
      await Bun.sleep(readerPauseMs)
    }
    await Bun.sleep(settleMs)
    for (const socket of sockets) {
      const [head] = (await Promise.all([once(socket, 'data'), socket.resume()]))[0] as [Buffer]
      socket.pause()
      if (!head.toString('latin1').startsWith('HTTP/1.1 200')) throw new Error('a reader received no response')
    }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}
