// How much one key that floods slows the pages of another: with all the exports it may have at a time, and with requests far beyond
// its quota, which are refused.

import { type BenchContext, withService } from '../bench-context.ts'
import { makeKey } from '../bench-data.ts'
import { startHttpLoad } from '../conversations.ts'
import { digits, type Finding, type SectionReport } from '../findings.ts'
import { fetchToNowhere, type HttpSubject, warmUp } from '../http-subject.ts'
import { median, percentile } from '../statistics.ts'

/** As D23 has it for a key. */
const exportsAtATime = 4
/** Above the default, so that the other key can ask often enough to be measured. */
const requestsPerMinute = 3000
const floodConnections = 32
const exhaustMs = 3000
const quietMs = 3000
/** The other key asks for a page of one application, waits, and asks again: in a minute less than its own quota. */
const pauseMs = 40
const exportsMax = 1000

const states = ['alone', 'beside its exports', 'beside its refused requests'] as const
type State = (typeof states)[number]
type Round = Record<State, { p50: number; p95: number }>

export async function measureFairness(context: BenchContext): Promise<SectionReport> {
  const { children, database, data, options } = context
  const rounds: Round[] = []
  const load = [startHttpLoad(children), startHttpLoad(children)] as const
  const other = { Authorization: await makeKey(database.sql, data.access.environment, data.program) }
  const settings = { EXPORTS_AT_A_TIME: String(exportsAtATime), REQUESTS_PER_MINUTE: String(requestsPerMinute) }
  try {
    for (let round = 1; round <= options.rounds; round++) {
      // A fresh service, since quotas last for a minute.
      rounds.push(
        await withService(context, settings, async service => {
          const url = service.pageUrl(1)
          await warmUp(children, service, requestsPerMinute / 2)
          const asked = async () => {
            const { latenciesMs } = await load[0].ask({
              url,
              headers: other,
              connections: 1,
              durationMs: quietMs,
              pauseMs,
            })
            return { p50: median(latenciesMs), p95: percentile(latenciesMs, 95) }
          }
          await context.machine.wait()
          const alone = await asked()
          const besideExports = await beside(exportsOf(context, service), asked)
          const flood = (durationMs: number) =>
            load[1].ask({
              url,
              headers: service.headers,
              connections: floodConnections,
              durationMs,
              mayBeRefused: true,
            })
          await flood(exhaustMs)
          const [besideRefused] = await Promise.all([asked(), flood(quietMs)])
          return { alone, 'beside its exports': besideExports, 'beside its refused requests': besideRefused }
        }),
      )
    }
  } finally {
    for (const each of load) await each.stop()
  }
  const factor = (state: State, key: 'p50' | 'p95'): number =>
    median(rounds.map(round => round[state][key] / round.alone.p50))
  const finding = (what: string, state: State, atMost: number): Finding => ({
    section: 'fairness',
    what: `p95 of a page of 1 ${what}, against its p50 without`,
    measured: factor(state, 'p95'),
    unit: '×',
    atMost,
  })
  return {
    findings: [
      finding(`beside another key's ${exportsAtATime} exports`, 'beside its exports', 15),
      finding(
        `beside another key's ${floodConnections} connections beyond its quota`,
        'beside its refused requests',
        15,
      ),
    ],
    tables: [
      {
        title: 'A page of 1 application, of a key beside another that floods',
        head: ['', 'p50 ms', 'p95 ms'],
        rows: states.map(state => [
          state,
          digits(median(rounds.map(round => round[state].p50))),
          digits(median(rounds.map(round => round[state].p95))),
        ]),
      },
    ],
    notes: [],
    raw: rounds,
  }
}

/** As many clients as a key may have, each fetching one full page after the other until told to stop. */
function exportsOf({ children, options }: BenchContext, service: HttpSubject): { stop(): Promise<unknown> } {
  const url = service.pageUrl(Math.min(100_000, options.applications))
  let done = false
  const pulling = Array.from({ length: exportsAtATime }, async () => {
    for (let i = 0; i < exportsMax && !done; i++)
      await fetchToNowhere(children, url, service.headers, 1, service.pageUrl(1))
  })
  return {
    stop: () => {
      done = true
      return Promise.allSettled(pulling)
    },
  }
}

async function beside<T>(flood: { stop(): Promise<unknown> }, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    await flood.stop()
  }
}
