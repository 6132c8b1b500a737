// One program far larger than thousands of others: plans that are kept for all programs must do for it too.

import { expect, test } from 'bun:test'
import { findLastSnapshot, findLastSubmission } from '../../src/db/applications/submissions.ts'
import { readWalkStart } from '../../src/db/walks/walk-start.ts'
import { useDatabase, usePool } from '../support/fixtures.ts'
import { addApplications, makeBarePrograms } from '../support/many-programs.ts'

const { sql, url } = await useDatabase()
const small = await makeBarePrograms(sql, 'small', 2000)
const [large = 0] = await makeBarePrograms(sql, 'large', 1)
await sql.begin(async tx => {
  await addApplications(tx, small, 2, '{}')
  await addApplications(tx, [large], 20_000, '{}')
})
await sql`vacuum analyze`
const [{ applicant_id } = { applicant_id: 0 }] = await sql<{ applicant_id: number }[]>`
  select min(applicant_id) as applicant_id from application where program_id = ${large}`
const place = { program_id: large, applicant_id }
const single = usePool({ url, connectionsMax: 1 })
await single`set plan_cache_mode = force_generic_plan`

/** Blocks of the applications' indexes that this session has read so far. */
async function blocksRead(): Promise<number> {
  await single`select pg_stat_force_next_flush()`
  await single`select 1`
  const [read] = await sql<{ blocks: number }[]>`
    select sum(idx_blks_hit + idx_blks_read)::bigint as blocks from pg_statio_user_tables where relname = 'application'`
  return read!.blocks
}

test.each([
  ['a walk begins', async () => expect((await readWalkStart(single, large)).horizon).toBe(20_000)],
  [
    "an applicant's last application is found",
    async () => expect(await findLastSubmission(single, place)).toBeDefined(),
  ],
  ["an applicant's last answers are found", async () => expect(await findLastSnapshot(single, place)).toBe('{}')],
])('%s in a program with 20,000 applications among 2,000 small ones without a full scan', async (_, find) => {
  await find()
  const before = await blocksRead()
  for (let i = 0; i < 10; i++) await find()
  expect((await blocksRead()) - before).toBeLessThan(200)
})
