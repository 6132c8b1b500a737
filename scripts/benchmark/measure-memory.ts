// Measures the service's peak memory: for one large export, for eight at once, for readers that read nothing, and for a workbook of all
// applications. Each measurement uses a fresh process, because memory is rarely returned.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { acceptInvitation, invitePerson } from '../../src/core/people/people.ts'
import { beginSession } from '../../src/core/people/sessions.ts'
import type { BenchContext } from './bench-context.ts'
import { type BenchFinding, digits, type SectionReport } from './figures/findings.ts'
import { median } from './figures/statistics.ts'
import { asFeed, fetchPages, type HttpSubject, withService } from './http-subject.ts'
import { inRounds } from './rounds.ts'

const readers = 200
/** Readers start more slowly than the service releases connections, so that each gets the one it needs to begin. */
const readerPauseMs = 100
/** After the last one arrived. A service notices slow readers much sooner. */
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
  // Each service is a fresh one, so nothing needs warming up.
  const peaks = await inRounds(context, { idle: exports(0), one: exports(1), eight: exports(8), odata, stalled }, 0)
  const finding = (atMost: number, what: string, values: readonly number[]): BenchFinding => ({
    what: `peak memory, ${what}`,
    measured: median(values),
    unit: 'MB',
    atMost,
  })
  // Only once, because it takes minutes.
  const cookie = await signedInCookie(context)
  const workbook = [await peakOf(service => readWorkbook(context, service, cookie))()]
  const [page, all] = [rows, context.data.program.applications].map(count => count.toLocaleString('en'))
  return {
    findings: [
      finding(120, `1 export of ${page}`, peaks.one),
      finding(150, `8 exports of ${page} at once`, peaks.eight),
      finding(120, `1 export of ${page} as OData`, peaks.odata),
      finding(250, `${readers} stalled readers`, peaks.stalled),
      finding(200, `a workbook of ${all}`, workbook),
    ],
    tables: [
      {
        title: 'Peak memory of a fresh process',
        head: ['', 'MB'],
        rows: Object.entries({ ...peaks, workbook }).map(([name, values]) => [name, digits(median(values))]),
      },
    ],
    raw: { ...peaks, workbook },
  }
}

/** The session cookie of a person in the console. Created here, because checking a password takes more memory than is measured. */
async function signedInCookie({ database: { sql } }: BenchContext): Promise<string> {
  const now = Date.now() * 1000
  const by = { actor: 'operator:bench', now, address: undefined }
  const email = `bench.${crypto.randomUUID()}@example.gov`
  const { token } = await invitePerson(sql, { email, name: 'Benchmark', role: 'ADMINISTRATOR', programs: [] }, by)
  const person = await acceptInvitation(sql, token, crypto.randomUUID(), by)
  const limits = { idleMs: 3_600_000, lifetimeMs: 3_600_000 }
  const who = { ...person, address: undefined, how: 'invitation' as const }
  return `tributary=${await beginSession(sql, who, limits, now, undefined)}`
}

/** Downloads all applications as the console's spreadsheet, and discards it. */
async function readWorkbook({ data }: BenchContext, service: HttpSubject, cookie: string): Promise<void> {
  const path = `/admin/programs/${data.program.slug}/applications/download?format=xlsx`
  const response = await fetch(new URL(path, service.pageUrl(1)), { headers: { Cookie: cookie }, redirect: 'manual' })
  if (response.status !== 200) throw new Error(`${path} responded with ${response.status}`)
  for await (const _ of response.body!);
}

/** Clients that request a large page and never read it; resolves when the service has nothing more to do for them. */
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
