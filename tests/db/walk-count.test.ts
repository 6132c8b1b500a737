// Counts of walks, which are put together from the counter and the indexes, compared with the walks.

import { expect, test } from 'bun:test'
import { eraseApplication } from '../../src/core/applications/erase.ts'
import { countWalk } from '../../src/db/walks/walk-count.ts'
import type { FilterValues } from '../../src/db/walks/walk-filters.ts'
import { readWalkIds } from '../../src/db/walks/walk-ids.ts'
import { readWalkStart } from '../../src/db/walks/walk-start.ts'
import { useDatabase } from '../support/fixtures.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { insertRawApplications, insertRawProgram, multiplyApplications } from '../support/raw-applications.ts'

const { sql } = await useDatabase()
const { program_id, ...program } = await insertRawProgram(sql, 'counted')
const first = 1_700_000_000_000_000
await insertRawApplications(sql, { program_id, ...program }, 4)
await multiplyApplications(sql, 30)
await sql.begin(async tx => {
  await tx`alter table application disable trigger application_snapshot_is_immutable`
  await tx`
    update application set snapshot = replace(snapshot, '"submitter_type":"APPLICANT"', '"submitter_type":"TRUSTED_INTERMEDIARY"')
    where submit_seq % 5 = 0`
  await tx`alter table application enable trigger application_snapshot_is_immutable`
})
const idsNow = async (): Promise<number[]> =>
  (
    await sql<{ application_id: number }[]>`
      select application_id from application where program_id = ${program_id} order by submit_seq`
  ).map(row => row.application_id)
const ids = await idsNow()

const states = [undefined, 'CURRENT', 'OBSOLETE'] as const
const submitters = [undefined, 'APPLICANT', 'TRUSTED_INTERMEDIARY'] as const
const spans = [
  {},
  { from: first + 5_000_000 },
  { to: first + 20_000_000 },
  { from: first + 3_000_000, to: first + 9_000_000 },
]
const ranges = [undefined, { from: ids[7]!, to: ids[70]! }]
const allFilters: FilterValues[] = states.flatMap(revisionState =>
  submitters.flatMap(submitterType =>
    spans.flatMap(span => ranges.map(range => ({ ...span, revisionState, submitterType, ids: range }))),
  ),
)

test('a count is the number of applications in the walk, with any filters, whatever was submitted or erased after its horizon', async () => {
  const start = await readWalkStart(sql, program_id)
  const more = await insertRawApplications(sql, { program_id, ...program }, 9, undefined, i => first + i * 1_000_000)
  for (const application_id of [ids[3]!, ids[40]!, more[2]!])
    await eraseApplication(sql, { program_id, application_id }, { actor: 'operator:test', reason: undefined })
  const end = await readWalkStart(sql, program_id)
  const counts = new Set<number>()
  for (const { horizon, last_change } of [start, end])
    for (const filters of allFilters) {
      const scope = { programId: program_id, questionsAsOf: 1, horizon, lastChange: last_change.mark, filters }
      const { count } = await readWalkIds(sql, { ...scope, after: undefined, rowsMax: 1000 }, () => {})
      expect([filters, await countWalk(sql, scope, 10_000)]).toEqual([filters, count])
      counts.add(count)
    }
  expect(counts.size).toBeGreaterThan(15)
  expect(await countOf({}, end)).toBe((await idsNow()).length)
})

type Start = Awaited<ReturnType<typeof readWalkStart>>
const countOf = (filters: FilterValues, { horizon, last_change }: Start, timeoutMs = 10_000): Promise<number> =>
  countWalk(sql, { programId: program_id, horizon, lastChange: last_change.mark, filters }, timeoutMs)

test('without filters, no application up to the horizon is counted', async () => {
  const start = await readWalkStart(sql, program_id)
  const before = await countOf({}, start)
  await sql`update submission_counter set submissions = submissions + 1000 where program_id = ${program_id}`
  expect(await countOf({}, start)).toBe(before + 1000)
  await sql`update submission_counter set submissions = submissions - 1000 where program_id = ${program_id}`
})

test('a count ends after its time limit and restores the timeout of its connection', async () => {
  const start = await readWalkStart(sql, program_id)
  const release = await holdTransaction(sql, tx => tx`lock table application in access exclusive mode`)
  expect(await countOf({ revisionState: 'CURRENT' }, start, 50).catch(({ code }) => code)).toBe('57014')
  await release()
  const timeouts = await sql<{ setting: string }[]>`select setting from pg_settings where name = 'statement_timeout'`
  expect(timeouts.map(({ setting }) => setting)).not.toContain('50')
})
