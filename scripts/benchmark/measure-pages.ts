// The heart of the benchmark: one page of each size from the drain, the service and the peers, round by round.

import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { BenchContext } from './bench-context.ts'
import { drainStatements } from './bench-statements.ts'
import { type BenchFinding, digits, type FigureTable, type SectionReport } from './figures/findings.ts'
import { column, median, pairedRatio } from './figures/statistics.ts'
import { fetchPages, type HttpSubject, peerNames, readPage, startPeer, startService, warmUp } from './http-subject.ts'
import type { DrainRequest, DrainRun, Transfer } from './peers/drain.ts'
import { inRounds } from './rounds.ts'

/** Fetches the first `pageSize` applications this many times. */
type Fetch = (pageSize: number, repeats: number) => Promise<Transfer[]>

/** Medians over the repeats of a round. */
interface Sample {
  wallMs: number
  firstByteMs: number
  bytes: number
  bytesPerMs: number
}

/** The measurements of one page size by subject, one sample per round. */
type Samples = Readonly<Record<string, readonly Sample[]>>

const checkedRows = 500

export async function measurePages(context: BenchContext): Promise<SectionReport> {
  const { children, options, say } = context
  const service = await startService(context)
  const peers: HttpSubject[] = []
  for (const name of peerNames) {
    const peer = await startPeer(context, name)
    if (peer === undefined) {
      say(`${name} needs Node.js, which is not installed.`)
      continue
    }
    await requireSameApplications(service, peer, Math.min(checkedRows, options.applications))
    peers.push(peer)
  }
  const servers = [service, ...peers]
  say('Warming up …')
  for (const server of servers) await warmUp(children, server)
  const subjects: [string, Fetch][] = [
    ['drain', (pageSize, repeats) => drained(context, pageSize, repeats)],
    ...servers.map((server): [string, Fetch] => [server.name, (...asked) => fetchPages(children, server, ...asked)]),
  ]
  const taken: [number, Samples][] = []
  for (const size of pageSizes(options.applications)) {
    say(`Pages of ${size.toLocaleString('en')} …`)
    taken.push([size, await measureSize(context, subjects, size)])
  }
  return {
    findings: taken.flatMap(([size, samples]) => findingsOf(context, samples, size)),
    tables: taken.map(([size, samples]) => tableOf(samples, size)),
    raw: Object.fromEntries(taken),
  }
}

/** Page sizes for a program with this many applications; the largest page is all of a small one. */
export function pageSizes(applications: number): number[] {
  return [...new Set([1, 100, 1000, 10_000, 100_000].map(size => Math.min(size, applications)))]
}

/** Number of requests in one measurement: enough that small pages exceed the inaccuracy of the clocks. */
export function repeatsFor(pageSize: number): number {
  return Math.max(1, Math.min(100, Math.round(20_000 / pageSize)))
}

function measureSize(
  context: BenchContext,
  subjects: readonly (readonly [string, Fetch])[],
  pageSize: number,
): Promise<Samples> {
  const measure = (fetch: Fetch) => async (): Promise<Sample> => {
    const transfers = await fetch(pageSize, repeatsFor(pageSize))
    const wallMs = median(column(transfers, 'wallMs'))
    const { bytes } = transfers[0]!
    return { wallMs, firstByteMs: median(column(transfers, 'firstByteMs')), bytes, bytesPerMs: bytes / wallMs }
  }
  return inRounds(context, Object.fromEntries(subjects.map(([name, fetch]) => [name, measure(fetch)])))
}

/** How many times as long `slower` takes as `faster`. */
const timesAsLong = (slower: readonly Sample[], faster: readonly Sample[]): number =>
  pairedRatio(column(slower, 'wallMs'), column(faster, 'wallMs'))

const rateRatio = (samples: readonly Sample[], base: readonly Sample[]): number =>
  pairedRatio(column(samples, 'bytesPerMs'), column(base, 'bytesPerMs'))

/** Target: how many times as fast as the peers a page should be. */
const wantedOfThousand: Record<string, number> = { 'fastify-whole': 8, 'bun-naive': 3.5 }
const wantedOfLargest: Record<string, number> = { 'fastify-whole': 15, 'bun-naive': 8 }

function findingsOf({ options }: BenchContext, samples: Samples, pageSize: number): BenchFinding[] {
  if (pageSize < 1000) return []
  const page = `page of ${pageSize.toLocaleString('en')}`
  const largest = Math.min(100_000, options.applications)
  const wanted = pageSize === 1000 ? wantedOfThousand : pageSize === largest ? wantedOfLargest : {}
  const { drain, service } = samples as Record<'drain' | 'service', readonly Sample[]>
  return [
    {
      what: `${page}: bytes per second compared with the drain`,
      measured: rateRatio(service, drain),
      atLeast: options.socket === 'unix' ? 0.75 : 0.8,
    },
    ...Object.entries(wanted)
      .filter(([peer]) => samples[peer] !== undefined)
      .map(([peer, atLeast]) => ({
        what: `${page}: faster than ${peer}`,
        measured: timesAsLong(samples[peer]!, service),
        atLeast,
      })),
  ]
}

function tableOf(samples: Samples, pageSize: number): FigureTable {
  const { drain, service } = samples as Record<'drain' | 'service', readonly Sample[]>
  return {
    title: `Page of ${pageSize.toLocaleString('en')} applications`,
    head: ['', 'ms', 'fastest ms', 'first byte ms', 'MB', 'MB/s', 'of the drain', 'by time', 'service'],
    rows: Object.entries(samples).map(([name, own]) => {
      const wallMs = median(column(own, 'wallMs'))
      const megabytes = median(column(own, 'bytes')) / 1e6
      return [
        name,
        digits(wallMs),
        digits(Math.min(...column(own, 'wallMs'))),
        digits(median(column(own, 'firstByteMs'))),
        digits(megabytes),
        digits((megabytes / wallMs) * 1000),
        `${digits(rateRatio(own, drain))} ×`,
        `${digits(timesAsLong(drain, own))} ×`,
        name === 'service' ? '' : `${digits(timesAsLong(own, service))} × as fast`,
      ]
    }),
  }
}

/** The same rows, read by a process that does nothing with them. */
async function drained({ children, database, data }: BenchContext, pageSize: number, repeats: number) {
  const request: DrainRequest = { ...database.drain, ...drainStatements(data.program, pageSize), repeats }
  const command = [process.execPath, join(import.meta.dir, 'peers/drain.ts'), JSON.stringify(request)]
  const runs = JSON.parse(await children.run(command)) as DrainRun[]
  for (const { rows } of runs) if (rows !== pageSize) throw new Error(`the drain got ${rows} rows, not ${pageSize}`)
  return runs
}

/** A peer that returns something else is no peer. */
async function requireSameApplications(service: HttpSubject, peer: HttpSubject, rows: number): Promise<void> {
  const [ours, theirs] = await Promise.all(
    [service, peer].map(subject => readPage(subject.pageUrl(rows), subject.headers)),
  )
  if (!isDeepStrictEqual(ours!.payload, theirs!.payload))
    throw new Error(`${peer.name} does not return what the service returns`)
}
