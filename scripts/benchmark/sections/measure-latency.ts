// How long somebody with a small question waits while others pull everything.

import { type BenchContext, besideExports, withService } from '../bench-context.ts'
import { startHttpLoad } from '../conversations.ts'
import { atMost, digits, type SectionReport } from '../findings.ts'
import { warmUp } from '../http-subject.ts'
import { inRounds } from '../rounds.ts'
import { column, median, percentile } from '../statistics.ts'

const exportsAtOnce = 4
const idleMs = 2000
const busyMs = 5000

export async function measureLatency(context: BenchContext): Promise<SectionReport> {
  const { children } = context
  const load = startHttpLoad(children)
  try {
    const { round: rounds } = await withService(context, {}, async service => {
      await warmUp(children, service)
      const ask = async (durationMs: number): Promise<readonly number[]> => {
        const request = { url: service.pageUrl(1), headers: service.headers, connections: 1, durationMs }
        return (await load.ask(request)).latenciesMs
      }
      return inRounds(context, {
        round: async () => {
          const idle = await ask(idleMs)
          const busy = await besideExports(context, service, exportsAtOnce, () => ask(busyMs))
          return { idleP50: median(idle), busyP50: median(busy), busyP99: percentile(busy, 99) }
        },
      })
    })
    return {
      findings: [
        atMost(
          15,
          `p99 of a page of 1 beside ${exportsAtOnce} full exports against its idle p50`,
          median(rounds.map(round => round.busyP99 / round.idleP50)),
        ),
      ],
      tables: [
        {
          title: 'A page of 1 application',
          head: ['', 'ms'],
          rows: [
            ['idle, p50', digits(median(column(rounds, 'idleP50')))],
            [`beside ${exportsAtOnce} exports, p50`, digits(median(column(rounds, 'busyP50')))],
            [`beside ${exportsAtOnce} exports, p99`, digits(median(column(rounds, 'busyP99')))],
          ],
        },
      ],
      raw: rounds,
    }
  } finally {
    await load.stop()
  }
}
