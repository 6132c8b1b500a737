// Measures what the console's search and counts cost PostgreSQL: CPU time of the one backend that runs them, because elapsed time depends more
// on other work on the machine.

import type { ListFilter } from '../../src/db/applications/application-lists.ts'
import { countFoundApplications, readFoundApplications } from '../../src/db/applications/found-applications.ts'
import { openDatabase, readValue, type Sql } from '../../src/db/client.ts'
import { readStatusCounts } from '../../src/db/dashboard/program-figures.ts'
import { cpuMsOf } from '../processes/is-alive.ts'
import type { BenchContext } from './bench-context.ts'
import { digits, type SectionReport } from './figures/findings.ts'
import { column, median } from './figures/statistics.ts'
import { inRounds } from './rounds.ts'

/** Maximum CPU time of a request. */
const targetMs = 100
/** The kernel counts CPU time in steps of 10 ms, so each is repeated. */
const repeated = 20
const pageRows = 51
const countedMax = 1001

/** A name in one of ten applications, a family name of one letter, one person's name, an email address, a phone number and a name that nobody has. */
const sought = ['jamal', '李', '李 小龍', 'family.1296', '+19075550189', 'zzzqqq']

export async function measureSearch(context: BenchContext): Promise<SectionReport> {
  const { data, database } = context
  const { program_id: programId } = data.program
  const sql = openDatabase({
    url: database.environment.DATABASE_URL!,
    connectionsMax: 1,
    applicationName: 'bench',
  })
  try {
    const pid = await readValue<number>(sql)`select pg_backend_pid()`
    const measured = (read: () => Promise<unknown>) => async (): Promise<{ cpuMs: number }> => {
      const before = cpuMsOf(pid)
      for (let time = 0; time < repeated; time++) await read()
      return { cpuMs: (cpuMsOf(pid) - before) / repeated }
    }
    const rounds = await inRounds(context, {
      'counts by status': measured(() => readStatusCounts(sql, programId, countedMax)),
      'count of CURRENT': measured(() => counted(sql, programId, { revisionState: 'CURRENT' })),
      ...Object.fromEntries(
        sought.map(words => [
          `search for ${words}`,
          measured(async () => {
            await readFoundApplications(sql, programId, { words }, { direction: 'older', beyond: undefined }, pageRows)
            await counted(sql, programId, { words })
          }),
        ]),
      ),
    })
    const costs = Object.entries(rounds).map(([what, each]) => ({ what, ms: median(column(each, 'cpuMs')) }))
    return {
      findings: costs.map(({ what, ms }) => ({ what, measured: ms, unit: 'ms', atMost: targetMs })),
      tables: [
        {
          title: `Lists of ${data.program.applications.toLocaleString('en')} applications, ms of PostgreSQL's CPU time`,
          head: ['', 'ms'],
          rows: costs.map(({ what, ms }) => [what, digits(ms)]),
        },
      ],
      raw: rounds,
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

const counted = (sql: Sql, programId: number, filter: ListFilter): Promise<number> =>
  countFoundApplications(sql, programId, filter, countedMax)
