// The steps of OPERATIONS.md for applications that outgrow the memory, followed literally.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ExportClient } from '../support/export-client.ts'
import { useDatabase, useService } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { createTestKey } from '../support/keys.ts'
import { aProgram, everyKind } from '../support/programs.ts'
import { multiplyApplications } from '../support/raw-applications.ts'

const slug = 'compressed'

const database = await useDatabase()
await aProgram(database.sql, { slug, questions: everyKind })
const service = await useService(database, { maxPageSize: 5000 })
const key = await createTestKey(database.sql, { programs: [slug], maySubmit: true })
const client = new ExportClient(service, key, slug)
const frontEnd = new FrontEnd(service, key, slug)

/** Submits an application with a text of so many letters that say something. */
async function apply(letters: number): Promise<void> {
  const text = 'We came in spring, when the river was high. '.repeat(60).slice(0, letters)
  const applicant_name = { first_name: 'Ada', last_name: 'Lovelace' }
  await frontEnd.apply(await frontEnd.register(), { applicant_name, anything_else: { text } })
}

/** Bytes of the texts as they are and as they are stored, and of all that is stored out of line. */
async function stored(): Promise<{ text: number; row: number; elsewhere: number }> {
  const [sizes] = await database.sql<{ text: number; row: number; elsewhere: number }[]>`
    select
      sum(octet_length(snapshot))::bigint as text,
      sum(pg_column_size(snapshot))::bigint as row,
      (select pg_relation_size(reltoastrelid) from pg_class where oid = 'application'::regclass) as elsewhere
    from application`
  return sizes!
}

test('compressed texts take less space, stay in their rows and are exported byte for byte as before, including later submissions', async () => {
  for (const letters of [1, 1000, 1999]) await apply(letters)
  await multiplyApplications(database.sql, 400)
  const before = await stored()
  expect(before.row).toBeGreaterThanOrEqual(before.text)
  const asItWas = await (await client.request()).text()

  const operations = await Bun.file(join(import.meta.dir, '../../deploy/OPERATIONS.md')).text()
  const statements = /```sql\n(.*?compression lz4.*?)```/s.exec(operations)![1]!
  // The PostgreSQL from npm is built without lz4.
  const [built] =
    await database.sql`select enumvals @> '{lz4}' as lz4 from pg_settings where name = 'default_toast_compression'`
  await database.sql.unsafe(built!.lz4 ? statements : statements.replaceAll('lz4', 'pglz')).simple()
  const after = await stored()
  expect(after).toEqual({ text: before.text, row: expect.any(Number), elsewhere: 0 })
  expect(after.row).toBeLessThan(0.7 * after.text)
  expect((await (await client.request()).text()) === asItWas).toBe(true)

  await apply(1999)
  const [newest] = await database.sql<{ text: number; row: number }[]>`
    select octet_length(snapshot) as text, pg_column_size(snapshot) as row
    from application
    order by application_id desc
    limit 1`
  expect(newest!.row).toBeLessThan(0.7 * newest!.text)
  expect((await client.walkAll()).at(-1)!.application.anything_else!.text).toHaveLength(1999)
})
