// That another server has taken over is noticed before an id is given, by the first process that needs one, once. Here the newest row of
// database_history is made another server's; tests/web/http/export-applications/failover.test.ts has a real failover.

import { beforeEach, expect, test } from 'bun:test'
import { annotate } from '../../src/core/applications/annotate.ts'
import { noteHistory } from '../../src/db/database-history.ts'
import { useDatabase, usePool, useService } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { waitingForLocks } from '../support/held-transaction.ts'
import { createTestKey } from '../support/keys.ts'
import { aProgram, q } from '../support/programs.ts'
import { until } from '../support/until.ts'

const step = 10_000_000
const database = await useDatabase()
const { sql } = database
const service = await useService(database)
const { program_id } = await aProgram(sql, { slug: 'kept', statuses: ['Received'], questions: [q.text('words')] })
const key = await createTestKey(sql, { programs: ['kept'], maySubmit: true })
const frontEnd = new FrontEnd(service, key, 'kept')
const early = await frontEnd.register()
const submit = async (): Promise<number> =>
  (await frontEnd.apply(early, { words: { text: 'as it was' } })).application_id
const first = await submit()

/** The last id of each sequence. */
const lastIds = async (): Promise<Map<string, number>> => {
  const rows = await sql<{ name: string; last: number }[]>`
    select sequencename as name, coalesce(last_value, 0) as last from pg_sequences where schemaname = 'public'`
  return new Map(rows.map(({ name, last }) => [name, last]))
}
const histories = async (): Promise<number> => (await sql`select from database_history`).length

let before: Map<string, number>
let known: number
beforeEach(async () => {
  await sql`update database_history set place = 'another/00000001' where number = (select max(number) from database_history)`
  known = await histories()
  before = await lastIds()
})

/** Every sequence has moved on by one step, and by what was drawn since; none twice. */
async function expectMovedOnce(): Promise<void> {
  expect(await histories()).toBe(known + 1)
  for (const [name, last] of await lastIds()) {
    const moved = last - before.get(name)!
    expect([name, moved >= step - 1 && moved < step + 1000]).toEqual([name, true])
  }
}

test('a submission checks the history of the database before it draws its ID', async () => {
  expect(await submit()).toBeGreaterThan(before.get('application_application_id_seq')! + step - 1)
  await expectMovedOnce()
  const next = await submit()
  expect(await submit()).toBe(next + 1)
})

test('registering an applicant checks the history of the database before it draws its ID', async () => {
  expect(await frontEnd.register()).toBeGreaterThan(before.get('applicant_applicant_id_seq')! + step - 1)
  await expectMovedOnce()
})

test('annotating an application checks the history of the database before it draws the ID of the change', async () => {
  const now = Date.now() * 1000
  await annotate(sql, { program_id, application_id: first, note: 'seen', actor: 'admin:test', now, timeZone: 'UTC' })
  const [row] = await sql<{ id: number }[]>`select max(annotation_id) as id from application_annotation`
  expect(row!.id).toBeGreaterThan(before.get('application_annotation_annotation_id_seq')! + step - 1)
  await expectMovedOnce()
})

test('when many processes notice a restore at once, one moves the IDs and the others find it done', async () => {
  const pool = usePool({ url: database.url, connectionsMax: 12 })
  const news = await Promise.all(Array.from({ length: 40 }, () => noteHistory(pool)))
  expect(news.filter(Boolean)).toHaveLength(1)
  await expectMovedOnce()
})

test('IDs that a load claims during this stay claimed, and the sequence continues after them', async () => {
  const claimed = before.get('application_application_id_seq')! + 3 * step
  let noting: Promise<boolean> | undefined
  await sql.begin(async tx => {
    await tx`alter sequence application_application_id_seq no cycle`
    noting = noteHistory(sql)
    await until('it to wait', async () => (await waitingForLocks(sql, 'note_history')) > 0)
    await tx`select setval('application_application_id_seq', ${claimed}::bigint)`
  })
  expect(await noting).toBe(true)
  expect((await lastIds()).get('application_application_id_seq')).toBe(claimed + step)
})

test('an emptied history counts as a restore, even if nothing else reveals it', async () => {
  await sql`truncate database_history`
  known = 0
  expect(await noteHistory(sql)).toBe(true)
  await expectMovedOnce()
})
