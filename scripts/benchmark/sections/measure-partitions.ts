// What it costs to have applications in partitions by program (scripts/migrate --partitions): the start of a walk, pages, submissions.
// In copies of the database, one after the other, which are gone afterwards. In this process, without HTTP, so that what
// partitions cost is not lost in what does not change.

import { openDatabase, type Sql } from '../../../src/db/client.ts'
import { partitionApplications } from '../../../src/db/migrate.ts'
import { knowPartitions, readPartitions } from '../../../src/db/partition-places.ts'
import { findActiveVersion } from '../../../src/db/programs.ts'
import { type PageQuery, readPageRows, readWalkStart } from '../../../src/db/walks.ts'
import { submitApplication } from '../../../src/intake/submit.ts'
import type { BenchContext } from '../bench-context.ts'
import { settleTables } from '../bench-statements.ts'
import { atMost, digits, type Finding, type SectionReport } from '../findings.ts'
import { inRounds, inTurn, timed } from '../rounds.ts'
import { median } from '../statistics.ts'
import { makeIntakeKey, makePrograms, sampleAnswerTexts, submissionsPerSecond } from './measure-submissions.ts'

const layouts = [0, 16, 64]
/** Enough for plans to be kept, and code compiled. */
const warmUps = 300
const takenEach = 1000
const submissionsEach = 640

interface Taken {
  partitions: number
  /** To lay the applications that are there. */
  laidMs: number
  startMs: number
  pageOneMs: number
  pageThousandMs: number
  submissions: number
}

export async function measurePartitions(context: BenchContext): Promise<SectionReport> {
  const taken = await inTurn(context, layouts, partitions => measureLayout(context, partitions))
  const [plain, ...laid] = taken as [Taken, ...Taken[]]
  const findings = laid.flatMap(({ partitions, startMs, pageOneMs, pageThousandMs, submissions }): Finding[] => {
    const finding = (what: string, measured: number, limit: number): Finding =>
      atMost(limit, `${partitions} partitions: ${what}`, measured)
    return [
      finding('start of a walk against none', startMs / plain.startMs, 1.5),
      finding('page of 1', pageOneMs / plain.pageOneMs, 1.5),
      finding('page of 1,000', pageThousandMs / plain.pageThousandMs, 1.15),
      finding('a submission', plain.submissions / submissions, 1.25),
    ]
  })
  return {
    findings,
    tables: [
      {
        title: `${context.data.program.applications.toLocaleString('en')} applications, in partitions by program`,
        head: ['partitions', 'to lay them, s', 'start, ms', 'page of 1, ms', 'page of 1,000, ms', 'submissions/s'],
        rows: taken.map(({ partitions, laidMs, startMs, pageOneMs, pageThousandMs, submissions }) => [
          partitions === 0 ? 'none' : String(partitions),
          ...[laidMs / 1000, startMs, pageOneMs, pageThousandMs, submissions].map(digits),
        ]),
      },
    ],
    raw: taken,
  }
}

async function measureLayout(context: BenchContext, partitions: number): Promise<Taken> {
  const { data, database, machine, say } = context
  say(partitions === 0 ? 'Without partitions …' : `${partitions} partitions …`)
  return database.scratch('copy', async ({ sql, environment }) => {
    const laidMs = partitions === 0 ? 0 : await timed(() => partitionApplications(sql, partitions))
    await settleTables(sql)
    const one = openDatabase({ url: environment.DATABASE_URL!, connectionsMax: 1 })
    knowPartitions(one, await readPartitions(one))
    try {
      const { program_id: programId } = data.program
      const start = await readWalkStart(one, programId)
      const page = (rowsMax: number): PageQuery => ({
        programId,
        horizon: start.horizon,
        lastApplication: start.last_application ?? undefined,
        from: undefined,
        to: undefined,
        revisionState: undefined,
        after: undefined,
        rowsMax,
      })
      await machine.wait()
      const startMs = await medianMs(takenEach, () => readWalkStart(one, programId))
      const pageOneMs = await medianMs(takenEach, () => readPage(one, page(2)))
      const pageThousandMs = await medianMs(takenEach / 10, () => readPage(one, page(1001)))
      const origin = (await findActiveVersion(sql, programId))!
      const programs = await makePrograms(sql, origin, 'drawing')
      const key = await makeIntakeKey(sql, data.access.environment)
      const answers = sampleAnswerTexts(origin)
      const { round: rates } = await inRounds(context, {
        round: () => submissionsPerSecond(sql, programs, key, answers, submissionsEach, submitApplication),
      })
      return { partitions, laidMs, startMs, pageOneMs, pageThousandMs, submissions: median(rates) }
    } finally {
      await one.end({ timeout: 5 })
    }
  })
}

/** Every row, looked at and dropped. */
const readPage = (sql: Sql, query: PageQuery): Promise<void> =>
  readPageRows(sql, query, Math.min(100, query.rowsMax), { take() {}, batchAhead: () => 200, endBatch: () => 200 })

async function medianMs(times: number, work: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < warmUps; i++) await work()
  const taken: number[] = []
  for (let i = 0; i < times; i++) taken.push(await timed(work))
  return median(taken)
}
