// How much one key that floods slows the pages of another: with all the exports it may have at a time, and with requests far beyond
// its quota, which are refused.

import { type BenchContext, besideExports, withService } from '../bench-context.ts'
import { makeAuthorization } from '../bench-data.ts'
import { startHttpLoad } from '../conversations.ts'
import { atMost, digits, type SectionReport } from '../findings.ts'
import { warmUp } from '../http-subject.ts'
import { inRounds } from '../rounds.ts'
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

const states = ['alone', 'beside its exports', 'beside its refused requests'] as const
type State = (typeof states)[number]

export async function measureFairness(context: BenchContext): Promise<SectionReport> {
  const { children, database, data } = context
  const load = [startHttpLoad(children), startHttpLoad(children)] as const
  const other = { Authorization: await makeAuthorization(database.sql, data.access.environment, data.program.slug) }
  const settings = { EXPORTS_AT_A_TIME: String(exportsAtATime), REQUESTS_PER_MINUTE: String(requestsPerMinute) }
  // A fresh service, since quotas last for a minute.
  const measure = () =>
    withService(context, settings, async service => {
      const url = service.pageUrl(1)
      await warmUp(children, service, requestsPerMinute / 2)
      const ask = async () => {
        const request = { url, headers: other, connections: 1, durationMs: quietMs, pauseMs }
        const { latenciesMs } = await load[0].ask(request)
        return { p50: median(latenciesMs), p95: percentile(latenciesMs, 95) }
      }
      const flood = (durationMs: number) =>
        load[1].ask({ url, headers: service.headers, connections: floodConnections, durationMs, mayBeRefused: true })
      const alone = await ask()
      const besideItsExports = await besideExports(context, service, exportsAtATime, ask)
      await flood(exhaustMs)
      const [besideRefused] = await Promise.all([ask(), flood(quietMs)])
      return { alone, 'beside its exports': besideItsExports, 'beside its refused requests': besideRefused }
    })
  try {
    const { round: rounds } = await inRounds(context, { round: measure })
    const slowed = (state: State): number => median(rounds.map(round => round[state].p95 / round.alone.p50))
    return {
      findings: [
        atMost(
          15,
          `p95 of a page of 1 beside another key's ${exportsAtATime} exports, against its p50 without`,
          slowed('beside its exports'),
        ),
        atMost(
          15,
          `p95 of a page of 1 beside another key's ${floodConnections} connections beyond its quota, against its p50 without`,
          slowed('beside its refused requests'),
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
      raw: rounds,
    }
  } finally {
    for (const each of load) await each.stop()
  }
}
