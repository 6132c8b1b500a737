// How long somebody with a small question waits while others pull everything.

import { type BenchContext, withService } from '../bench-context.ts'
import { startHttpLoad } from '../conversations.ts'
import { digits, type SectionReport } from '../findings.ts'
import { fetchToNowhere, type HttpSubject, warmUp } from '../http-subject.ts'
import { median, percentile } from '../statistics.ts'

const exportsAtOnce = 4
const idleMs = 2000
const busyMs = 5000
const exportsMax = 1000

interface Round {
  idleP50: number
  busyP50: number
  busyP99: number
}

export async function measureLatency(context: BenchContext): Promise<SectionReport> {
  const { children, options } = context
  const load = startHttpLoad(children)
  const rounds: Round[] = []
  try {
    await withService(context, {}, async service => {
      await warmUp(children, service)
      const ask = async (durationMs: number): Promise<readonly number[]> => {
        const answer = await load.ask({ url: service.pageUrl(1), headers: service.headers, connections: 1, durationMs })
        return answer.latenciesMs
      }
      await ask(idleMs)
      for (let round = 1; round <= options.rounds; round++) {
        await context.machine.wait()
        const idle = await ask(idleMs)
        const busy = await besideExports(context, service, () => ask(busyMs))
        rounds.push({ idleP50: median(idle), busyP50: median(busy), busyP99: percentile(busy, 99) })
      }
    })
  } finally {
    await load.stop()
  }
  const column = (key: keyof Round): number => median(rounds.map(round => round[key]))
  return {
    findings: [
      {
        section: 'latency',
        what: `p99 of a page of 1 beside ${exportsAtOnce} full exports against its idle p50`,
        measured: median(rounds.map(round => round.busyP99 / round.idleP50)),
        unit: '×',
        atMost: 15,
      },
    ],
    tables: [
      {
        title: 'A page of 1 application',
        head: ['', 'ms'],
        rows: [
          ['idle, p50', digits(column('idleP50'))],
          [`beside ${exportsAtOnce} exports, p50`, digits(column('busyP50'))],
          [`beside ${exportsAtOnce} exports, p99`, digits(column('busyP99'))],
        ],
      },
    ],
    notes: [],
    raw: rounds,
  }
}

/** Runs `work` while so many clients fetch one full page after the other. */
async function besideExports<T>(
  { children, options }: BenchContext,
  service: HttpSubject,
  work: () => Promise<T>,
): Promise<T> {
  const url = service.pageUrl(Math.min(100_000, options.applications))
  let done = false
  const pulling = Array.from({ length: exportsAtOnce }, async () => {
    for (let i = 0; i < exportsMax && !done; i++)
      await fetchToNowhere(children, url, service.headers, 1, service.pageUrl(1))
  })
  try {
    return await Promise.race([work(), ...pulling.map(client => client.then(() => new Promise<never>(() => {})))])
  } finally {
    done = true
    await Promise.allSettled(pulling)
  }
}
