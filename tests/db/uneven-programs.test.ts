// One program far larger than thousands of others: plans that are kept for all programs must do for it too.

import { expect, test } from 'bun:test'
import { readWalkStart } from '../../src/db/walks/walks.ts'
import { useDatabase, usePool } from '../support/fixtures.ts'
import { addApplications, makeBarePrograms } from '../support/many-programs.ts'

test('a walk begins in a program of 20,000 applications among 2,000 small ones without reading through it', async () => {
  const { sql, url } = await useDatabase()
  const small = await makeBarePrograms(sql, 'small', 2000)
  const [large = 0] = await makeBarePrograms(sql, 'large', 1)
  await sql.begin(async tx => {
    await addApplications(tx, small, 2, '{}')
    await addApplications(tx, [large], 20_000, '{}')
  })
  await sql`vacuum analyze`
  const one = usePool({ url, connectionsMax: 1 })
  await one`set plan_cache_mode = force_generic_plan`
  const blocks = async (): Promise<number> => {
    const [read] = await sql<{ blocks: number }[]>`
      select sum(idx_blks_hit + idx_blks_read)::bigint as blocks from pg_statio_user_tables where relname = 'application'`
    return read!.blocks
  }
  const counted = async (): Promise<number> => {
    await one`select pg_stat_force_next_flush()`
    await one`select 1`
    return blocks()
  }
  await readWalkStart(one, large)
  const before = await counted()
  for (let i = 0; i < 10; i++) expect((await readWalkStart(one, large)).horizon).toBe(20_000)
  expect((await counted()) - before).toBeLessThan(200)
})
