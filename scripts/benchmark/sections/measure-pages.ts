// The heart of the benchmark: one page of each size, from the drain, the service and the peers, round by round, interleaved.

import { type BenchContext, type Cost, metered } from '../bench-context.ts'
import { drainRequest } from '../bench-statements.ts'
import { type Conversation, startDrain } from '../conversations.ts'
import type { DrainAnswer, DrainRequest } from '../drain.ts'
import { digits, type Finding, type SectionReport, type Table } from '../findings.ts'
import {
  fetchToNowhere,
  type HttpSubject,
  peerNames,
  startPeer,
  startService,
  type Transfer,
  warmUp,
} from '../http-subject.ts'
import { pageSizes, repeatsFor } from '../options.ts'
import { differenceOf, readPageBody } from '../page-body.ts'
import { mean, median, pairedRatio, rotated } from '../statistics.ts'

/** Whose pages are measured: something with a process that can be asked for the first `pageSize` applications. */
interface Subject {
  name: string
  pid: number
  fetch(pageSize: number, repeats: number): Promise<Transfer[]>
}

interface Sample extends Cost {
  subject: string
  pageSize: number
  round: number
  /** Medians over the repeats of this round; the cost is one page's share. */
  wallMs: number
  firstByteMs: number
  bytes: number
}

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
    const samples = await interleave(context, subjects)
    const sizes = pageSizes(options.applications)
    const found = new Samples(samples)
    say('')
    return {
      findings: sizes.flatMap(size => findingsOf(context, found, size)),
      tables: sizes.map(size => tableOf(found, subjects, size)),
      notes,
      raw: samples,
    }
  } finally {
    for (const each of [drain, service, ...peers]) await each.stop()
  }
}

/** Every subject at every size, each once to warm up and then once a round, beginning with another one each round. */
async function interleave(
  { options, database, machine, say }: BenchContext,
  subjects: readonly Subject[],
): Promise<Sample[]> {
  const samples: Sample[] = []
  for (let round = 0; round <= options.rounds; round++) {
    if (round > 0) say(`Round ${round} of ${options.rounds} …`)
    for (const pageSize of pageSizes(options.applications)) {
      const repeats = repeatsFor(pageSize)
      for (const subject of rotated(subjects, round)) {
        await machine.wait()
        const [transfers, cost] = await metered(database, subject.pid, () => subject.fetch(pageSize, repeats))
        if (round === 0) continue
        samples.push({
          subject: subject.name,
          pageSize,
          round,
          wallMs: median(transfers.map(transfer => transfer.wallMs)),
          firstByteMs: median(transfers.map(transfer => transfer.firstByteMs)),
          bytes: transfers[0]!.bytes,
          processorMs: cost.processorMs / repeats,
          backendMs: cost.backendMs / repeats,
          peakBytes: cost.peakBytes,
        })
      }
    }
  }
  return samples
}

class Samples {
  constructor(private readonly all: readonly Sample[]) {}

  /** One value a round, in order of rounds; empty when the subject was not measured. */
  of(subject: string, pageSize: number, key: 'wallMs' | 'firstByteMs' | 'bytes' | keyof Cost): number[] {
    return this.all
      .filter(sample => sample.subject === subject && sample.pageSize === pageSize)
      .map(sample => sample[key])
  }

  /** Bytes a second, a value a round. */
  rates(subject: string, pageSize: number): number[] {
    const wallMs = this.of(subject, pageSize, 'wallMs')
    return this.of(subject, pageSize, 'bytes').map((bytes, i) => bytes / wallMs[i]!)
  }

  /** How many times as long `slower` takes as `faster`. */
  ratio(slower: string, faster: string, pageSize: number): number {
    return pairedRatio(this.of(slower, pageSize, 'wallMs'), this.of(faster, pageSize, 'wallMs'))
  }
}

function findingsOf({ options }: BenchContext, samples: Samples, pageSize: number): Finding[] {
  const section = 'pages'
  const page = `page of ${pageSize.toLocaleString('en')}`
  const findings: Finding[] = []
  const largest = Math.min(100_000, options.applications)
  if (pageSize >= 1000) {
    findings.push({
      section,
      what: `${page}: bytes a second against the drain`,
      measured: pairedRatio(samples.rates('service', pageSize), samples.rates('drain', pageSize)),
      unit: '×',
      atLeast: options.socket === 'unix' ? 0.75 : 0.8,
    })
  }
  const wanted: [string, number][] =
    pageSize === 1000
      ? [
          ['fastify-whole', 8],
          ['bun-naive', 3.5],
        ]
      : pageSize === largest
        ? [
            ['fastify-whole', 15],
            ['bun-naive', 8],
          ]
        : []
  for (const [peer, atLeast] of wanted) {
    if (samples.of(peer, pageSize, 'wallMs').length === 0) continue
    findings.push({
      section,
      what: `${page}: faster than ${peer}`,
      unit: '×',
      atLeast,
      measured: samples.ratio(peer, 'service', pageSize),
    })
  }
  return findings
}

function tableOf(samples: Samples, subjects: readonly Subject[], pageSize: number): Table {
  return {
    title: `Page of ${pageSize.toLocaleString('en')} applications`,
    head: [
      '',
      'ms',
      'fastest ms',
      'first byte ms',
      'MB',
      'MB/s',
      'processor ms',
      'backend ms',
      'peak MB',
      'of the drain',
      'by time',
      'service is',
    ],
    rows: subjects.map(({ name }) => {
      const wallMs = median(samples.of(name, pageSize, 'wallMs'))
      const megabytes = median(samples.of(name, pageSize, 'bytes')) / 1e6
      return [
        name,
        digits(wallMs),
        digits(Math.min(...samples.of(name, pageSize, 'wallMs'))),
        digits(median(samples.of(name, pageSize, 'firstByteMs'))),
        digits(megabytes),
        digits((megabytes / wallMs) * 1000),
        digits(mean(samples.of(name, pageSize, 'processorMs'))),
        digits(mean(samples.of(name, pageSize, 'backendMs'))),
        digits(Math.max(...samples.of(name, pageSize, 'peakBytes')) / 1e6),
        `${digits(pairedRatio(samples.rates(name, pageSize), samples.rates('drain', pageSize)))} ×`,
        `${digits(samples.ratio('drain', name, pageSize))} ×`,
        name === 'service' ? '' : `${digits(samples.ratio(name, 'service', pageSize))} × as fast`,
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
    fetch: (pageSize, repeats) =>
      fetchToNowhere(children, subject.pageUrl(pageSize), subject.headers, repeats, subject.pageUrl(1)),
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
