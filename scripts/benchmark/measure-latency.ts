// Measures how long a small request takes while other clients pull everything.

import type { BenchContext } from './bench-context.ts'
import { digits, type SectionReport } from './figures/findings.ts'
import { column, median, percentile } from './figures/statistics.ts'
import { fetchPages, type HttpSubject, warmUp, withService } from './http-subject.ts'
import { inRounds } from './rounds.ts'

const exportsAtOnce = 4
/** Requests one after the other, over one connection. */
const [idleQuestions, busyQuestions] = [1000, 500]

export async function measureLatency(context: BenchContext): Promise<SectionReport> {
  const { children } = context
  const { done: rounds } = await withService(context, async service => {
    await warmUp(children, service)
    const ask = async (questions: number): Promise<number[]> =>
      column(await fetchPages(children, service, 1, questions), 'wallMs')
    const { round } = await inRounds(context, {
      round: async () => {
        const idle = await ask(idleQuestions)
        const busy = await duringExports(context, service, () => ask(busyQuestions))
        return { idleP50: median(idle), busyP50: median(busy), busyP99: percentile(busy, 99) }
      },
    })
    return round
  })
  return {
    findings: [
      {
        what: `p99 of a page of 1 during ${exportsAtOnce} full exports, compared with its idle p50`,
        measured: median(rounds.map(round => round.busyP99 / round.idleP50)),
        atMost: 15,
      },
    ],
    tables: [
      {
        title: 'A page of 1 application',
        head: ['', 'ms'],
        rows: [
          ['idle, p50', digits(median(column(rounds, 'idleP50')))],
          [`during ${exportsAtOnce} exports, p50`, digits(median(column(rounds, 'busyP50')))],
          [`during ${exportsAtOnce} exports, p99`, digits(median(column(rounds, 'busyP99')))],
        ],
      },
    ],
    raw: rounds,
  }
}

/** Runs `work` while clients fetch full pages from the service, one after the other. */
async function duringExports<T>(
  { children, options }: BenchContext,
  service: HttpSubject,
  work: () => Promise<T>,
): Promise<T> {
  const rows = Math.min(100_000, options.applications)
  let done = false
  const pulling = Array.from({ length: exportsAtOnce }, async () => {
    while (!done) await fetchPages(children, service, rows, 1)
  })
  const [result] = await Promise.all([
    work().finally(() => {
      done = true
    }),
    ...pulling,
  ])
  return result
}
