// The heart of the benchmark: one page of each size, from the drain, the service and the peers, round by round.

import { type BenchContext, type Cost, metered } from '../bench-context.ts'
import { drainRequest } from '../bench-statements.ts'
import { type Conversation, startDrain } from '../conversations.ts'
import type { DrainAnswer, DrainRequest } from '../drain.ts'
import { atLeast, digits, type Finding, type SectionReport, type Table } from '../findings.ts'
import {
  fetchPages,
  type HttpSubject,
  peerNames,
  startPeer,
  startService,
  type Transfer,
  warmUp,
} from '../http-subject.ts'
import { differenceOf, readPageBody } from '../page-body.ts'
import { inRounds, inTurn } from '../rounds.ts'
import { column, mean, median, pairedRatio } from '../statistics.ts'

/** Whose pages are measured: something with a process that can be asked for the first `pageSize` applications. */
interface Subject {
  name: string
  pid: number
  fetch(pageSize: number, repeats: number): Promise<Transfer[]>
}

interface Sample extends Cost {
  /** Medians over the repeats of a round; the cost is one page's share. */
  wallMs: number
  firstByteMs: number
  bytes: number
  bytesPerMs: number
}

/** What was measured of one page size, by subject, a sample a round. */
type Samples = Readonly<Record<string, readonly Sample[]>>

const checkedRows = 500

export async function measurePages(context: BenchContext): Promise<SectionReport> {
  const { children, database, data, options, say } = context
  const notes: string[] = []
  const drain = startDrain(children, database)
  const service = await startService(children, database, data.access)
  const subjects: Subject[] = [drainSubject(context, drain), httpSubject(context, service)]
  const peers: HttpSubject[] = []
  for (const name of peerNames) {
    const peer = await startPeer(children, database, name)
    if (peer === undefined) notes.push(`${name} needs Node.js, which is not on this machine.`)
    else peers.push(peer)
  }
  try {
    for (const peer of peers) {
      await requireSameApplications(service, peer, Math.min(checkedRows, options.applications))
      subjects.push(httpSubject(context, peer))
    }
    say('Warming up …')
    for (const subject of [service, ...peers]) await warmUp(children, subject)
    const taken = await inTurn(context, pageSizes(options.applications), async size => {
      say(`Pages of ${size.toLocaleString('en')} …`)
      return [size, await measureSize(context, subjects, size)] as const
    })
    return {
      findings: taken.flatMap(([size, samples]) => findingsOf(context, samples, size)),
      tables: taken.map(([size, samples]) => tableOf(samples, size)),
      notes,
      raw: Object.fromEntries(taken),
    }
  } finally {
    for (const each of [drain, service, ...peers]) await each.stop()
  }
}

/** Page sizes that a program of so many applications can show; the largest page is all of a small one. */
export function pageSizes(applications: number): number[] {
  return [...new Set([1, 100, 1000, 10_000, 100_000].map(size => Math.min(size, applications)))]
}

/** How often a page is fetched for one measurement: small pages often enough to be more than the unrest of the clocks. */
export function repeatsFor(pageSize: number): number {
  return Math.max(1, Math.min(100, Math.round(20_000 / pageSize)))
}

function measureSize(context: BenchContext, subjects: readonly Subject[], pageSize: number): Promise<Samples> {
  const repeats = repeatsFor(pageSize)
  const measure = (subject: Subject) => async (): Promise<Sample> => {
    const [transfers, cost] = await metered(context.database, subject.pid, () => subject.fetch(pageSize, repeats))
    const wallMs = median(column(transfers, 'wallMs'))
    const { bytes } = transfers[0]!
    return {
      wallMs,
      firstByteMs: median(column(transfers, 'firstByteMs')),
      bytes,
      bytesPerMs: bytes / wallMs,
      processorMs: cost.processorMs / repeats,
      backendMs: cost.backendMs / repeats,
      peakBytes: cost.peakBytes,
    }
  }
  return inRounds(context, Object.fromEntries(subjects.map(subject => [subject.name, measure(subject)])))
}

/** How many times as long `slower` takes as `faster`. */
const timesAsLong = (slower: readonly Sample[], faster: readonly Sample[]): number =>
  pairedRatio(column(slower, 'wallMs'), column(faster, 'wallMs'))

const rateRatio = (one: readonly Sample[], other: readonly Sample[]): number =>
  pairedRatio(column(one, 'bytesPerMs'), column(other, 'bytesPerMs'))

/** How much faster than the peers a page is wanted to be. */
const wantedOfThousand: Record<string, number> = { 'fastify-whole': 8, 'bun-naive': 3.5 }
const wantedOfLargest: Record<string, number> = { 'fastify-whole': 15, 'bun-naive': 8 }

function findingsOf({ options }: BenchContext, samples: Samples, pageSize: number): Finding[] {
  if (pageSize < 1000) return []
  const page = `page of ${pageSize.toLocaleString('en')}`
  const largest = Math.min(100_000, options.applications)
  const wanted = pageSize === 1000 ? wantedOfThousand : pageSize === largest ? wantedOfLargest : {}
  const { drain, service } = samples as Record<'drain' | 'service', readonly Sample[]>
  return [
    atLeast(
      options.socket === 'unix' ? 0.75 : 0.8,
      `${page}: bytes a second against the drain`,
      rateRatio(service, drain),
    ),
    ...Object.entries(wanted).flatMap(([peer, times]) =>
      samples[peer] === undefined
        ? []
        : [atLeast(times, `${page}: faster than ${peer}`, timesAsLong(samples[peer], service))],
    ),
  ]
}

function tableOf(samples: Samples, pageSize: number): Table {
  const { drain, service } = samples as Record<'drain' | 'service', readonly Sample[]>
  const head = ['', 'ms', 'fastest ms', 'first byte ms', 'MB', 'MB/s', 'processor ms', 'backend ms', 'peak MB']
  return {
    title: `Page of ${pageSize.toLocaleString('en')} applications`,
    head: [...head, 'of the drain', 'by time', 'service is'],
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
        digits(mean(column(own, 'processorMs'))),
        digits(mean(column(own, 'backendMs'))),
        digits(Math.max(...column(own, 'peakBytes')) / 1e6),
        `${digits(rateRatio(own, drain))} ×`,
        `${digits(timesAsLong(drain, own))} ×`,
        name === 'service' ? '' : `${digits(timesAsLong(own, service))} × as fast`,
      ]
    }),
  }
}

function drainSubject({ data }: BenchContext, drain: Conversation<DrainRequest, DrainAnswer>): Subject {
  return {
    name: 'drain',
    pid: drain.pid,
    async fetch(pageSize, repeats) {
      const { runs } = await drain.ask(drainRequest(data.program, pageSize, repeats))
      for (const { rows } of runs) if (rows !== pageSize) throw new Error(`the drain got ${rows} rows, not ${pageSize}`)
      return [...runs]
    },
  }
}

function httpSubject({ children }: BenchContext, subject: HttpSubject): Subject {
  return {
    name: subject.name,
    pid: subject.pid,
    fetch: (pageSize, repeats) => fetchPages(children, subject, pageSize, repeats),
  }
}

/** A peer that returns something else is no peer. */
async function requireSameApplications(service: HttpSubject, peer: HttpSubject, rows: number): Promise<void> {
  const [ours, theirs] = await Promise.all(
    [service, peer].map(subject => readPageBody(subject.pageUrl(rows), subject.headers)),
  )
  const difference = differenceOf(ours!.text, theirs!.text)
  if (difference !== undefined) throw new Error(`${peer.name} does not return what the service returns: ${difference}`)
}
