// Whether filters find their applications without reading the others: a day at the end, and the few of one revision state.

import { type BenchContext, withService } from '../bench-context.ts'
import { readLastFullDay, readProgramFacts } from '../bench-statements.ts'
import { atMost, digits, type SectionReport } from '../findings.ts'
import { fetchToNowhere, warmUp } from '../http-subject.ts'
import { readPageBody } from '../page-body.ts'
import { inRounds } from '../rounds.ts'
import { median, pairedRatio } from '../statistics.ts'

const repeats = 15
const stateRowsMax = 1000

export async function measureFilters(context: BenchContext): Promise<SectionReport> {
  const { children, data, database } = context
  const { applications } = data.program
  const facts = await readProgramFacts(database.sql, data.program.program_id)
  const obsolete = applications - facts.current
  const day = await readLastFullDay(database.sql, data.program.program_id)
  const stateRows = Math.min(stateRowsMax, obsolete)
  const rounds = await withService(context, {}, async service => {
    await warmUp(children, service)
    const window = `${service.pageUrl(day.applications)}&fromDate=${day.from}&toDate=${day.to}`
    const state = `${service.pageUrl(stateRows)}&revisionState=OBSOLETE`
    for (const [url, rows] of [
      [window, day.applications],
      [state, stateRows],
    ] as const) {
      const { payload } = JSON.parse((await readPageBody(url, service.headers)).text) as { payload: unknown[] }
      if (payload.length !== rows) throw new Error(`${url} holds ${payload.length} applications, not ${rows}`)
    }
    const page = (url: string) => async (): Promise<number> => {
      const transfers = await fetchToNowhere(children, url, service.headers, repeats)
      return median(transfers.map(transfer => transfer.wallMs))
    }
    return inRounds(context, {
      window: page(window),
      asWindow: page(service.pageUrl(day.applications)),
      state: page(state),
      asState: page(service.pageUrl(stateRows)),
    })
  })
  const oneIn = (applications / obsolete).toFixed(1)
  return {
    findings: [
      atMost(
        1.3,
        `the last day (${day.applications} applications) against as many unfiltered`,
        pairedRatio(rounds.window, rounds.asWindow),
      ),
      atMost(
        1.3,
        `a revision state that keeps 1 in ${oneIn} against as many unfiltered`,
        pairedRatio(rounds.state, rounds.asState),
      ),
    ],
    tables: [
      {
        title: 'Filters',
        head: ['', 'applications', 'ms', 'unfiltered ms'],
        rows: [
          ['last day', String(day.applications), digits(median(rounds.window)), digits(median(rounds.asWindow))],
          ['OBSOLETE only', String(stateRows), digits(median(rounds.state)), digits(median(rounds.asState))],
        ],
      },
    ],
    raw: rounds,
  }
}
