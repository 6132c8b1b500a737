// What PostgreSQL refuses a cursor for in mid-page: after which refusals another cursor continues, and how soon.

import { expect, test } from 'bun:test'
import type { PageLimits } from '../../../src/core/export/pages/page-limits.ts'
import { PageFailure } from '../../../src/core/export/pages/write-page.ts'
import { Exports } from '../../../src/core/export/servers/exports.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'
import { failureOf } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'
import { idsOf, planOf, Reader, small, write } from './page-reader.ts'

const { sql } = await useDatabase()
const program = await insertRawProgram(sql, 'refused')
await insertRawApplications(sql, program, 30)
const exports = new Exports(sql, 20)

/** From now on the first `times` cursors are refused with this SQLSTATE; a sequence counts, since no rollback takes it back. */
async function refuse(code: string, times: number): Promise<void> {
  await sql
    .unsafe(`
      drop sequence if exists cursors;
      create sequence cursors;
      create or replace function require_change(of_program bigint, change bigint, of_time timestamptz, of_application bigint) returns boolean language plpgsql as $$
      begin
        if nextval('cursors') <= ${times} then raise exception 'refused' using errcode = '${code}'; end if;
        return true;
      end $$`)
    .simple()
}
const cursors = async (): Promise<number> =>
  (
    await sql<{ count: number }[]>`
    select case when is_called then last_value else 0 end as count from cursors`
  )[0]!.count
const page = (reader: Reader, changes: Partial<PageLimits> = {}) =>
  write({
    sink: reader,
    plan: planOf(program, 30, 30),
    limits: { ...small, reopenPauseMs: 1, ...changes },
    exports,
    fills: program.fills,
  })

test.each(['40001', '57P01', '08006'])('%s: another cursor continues', async code => {
  await refuse(code, 3)
  const reader = new Reader()
  expect((await page(reader)).outcome).toBe('complete')
  expect(idsOf(reader).length).toBe(30)
  expect(await cursors()).toBe(4)
})

test.each(['57014', '42501', '22012', '40P01', 'TB001'])(
  '%s, before the first row: the page fails immediately',
  async code => {
    await refuse(code, 1)
    const failure = await failureOf<PageFailure>(page(new Reader()))
    expect(failure).toBeInstanceOf(PageFailure)
    expect(failure!.cause).toMatchObject({ code })
    expect(await cursors()).toBe(1)
  },
)

test('57014 after the first row, as when a long page exceeds the statement timeout: another cursor continues', async () => {
  await refuse('57014', 0)
  await sql
    .unsafe(`
      create sequence timeouts;
      create function in_time(seq bigint) returns boolean language plpgsql as $$
      begin
        if seq = 20 and nextval('timeouts') <= 1 then raise exception 'timeout' using errcode = '57014'; end if;
        return true;
      end $$;
      alter table application rename to application_row;
      create view application as select * from application_row where in_time(submit_seq)`)
    .simple()
  const reader = new Reader()
  expect((await page(reader)).outcome).toBe('complete')
  expect(idsOf(reader).length).toBe(30)
  expect(await cursors()).toBe(2)
  await sql.unsafe('drop view application; alter table application_row rename to application').simple()
})

test('each further cursor waits first, so that a recovering database is not kept busy', async () => {
  await refuse('40001', 1_000_000)
  const failing = failureOf(page(new Reader(), { reopensMax: 1, reopenPauseMs: 3000 }))
  await until('the first cursor', async () => (await cursors()) === 1)
  for (let i = 0; i < 3; i++) await sql`select pg_sleep(0.05)`
  expect(await cursors()).toBe(1)
  expect(await failing).toBeInstanceOf(PageFailure)
  expect(await cursors()).toBe(2)
})
