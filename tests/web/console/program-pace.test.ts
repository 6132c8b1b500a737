// A program's overview: the time to the first status, exports by client, and addresses to copy.

import { expect, test } from 'bun:test'
import { insertAnnotationState } from '../../../src/db/applications/annotations.ts'
import { inTransaction } from '../../../src/db/client.ts'
import { loadPace } from '../../../src/web/console/home/program-pace.tsx'
import { aPerson, ConsoleVisitor } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database)
const now = Date.now() * 1000
const day = 86_400_000_000

test('the median time to the first status counts neither later statuses nor those of a bulk load', async () => {
  const paced = await insertRawProgram(sql, 'paced')
  expect((await loadPace(sql, paced, now)).first_status).toEqual({ recent: null, all: null })
  const ages = [100, 60, 50, 20, 10]
  for (const age of ages) await insertRawApplications(sql, paced, 1, undefined, () => now - age * day)
  const ids = await sql<{ application_id: number }[]>`
    select application_id from application where program_id = ${paced.program_id} order by submit_time`
  const annotate = (i: number, after: number, status: boolean) =>
    inTransaction(sql, tx =>
      insertAnnotationState(
        tx,
        { program_id: paced.program_id, application_id: ids[i]!.application_id },
        {
          changed_at: now - (ages[i]! - after) * day,
          changed_by: 'operator:test',
          status: 'R&D',
          application_note: null,
        },
        { status, note: !status },
      ),
    )
  await sql`
    insert into application_annotation (program_id, application_id, changed_at, changed_by, status)
    values (${paced.program_id}, ${ids[2]!.application_id}, ${now - 49 * day}, 'operator:test', 'R&D')`
  await annotate(4, 1, false)
  for (const [i, after] of [90, 20, 10, 5, 2].entries()) await annotate(i, after, true)
  await annotate(4, 9, true)
  expect((await loadPace(sql, paced, now)).first_status).toEqual({ recent: 3.5, all: 7.5 })
})

test('exports are counted by client, all pages of a walk as one', async () => {
  const counted = await insertRawProgram(sql, 'counted')
  const busy = await createTestKey(sql, { name: 'Busy', programs: ['counted'] })
  const other = await createTestKey(sql, { name: 'Other', programs: ['counted'] })
  const sent = (key: { api_key_id: string }, detail: object) => sql`
    insert into audit_event (actor, action, subject, detail)
    values (${`key:${key.api_key_id}`}, 'applications_exported', 'counted', ${sql.json(detail as never)})`
  for (const walk of ['a', 'a', 'b']) await sent(busy, { walk, applications: 0 })
  await sent(other, { applications: 0 })
  const { exports } = await loadPace(sql, counted, now)
  expect(exports.map(({ name, exports }) => [name, exports])).toEqual([
    ['Busy', 2],
    ['Other', 1],
  ])
  const visitor = await new ConsoleVisitor(service).signIn((await aPerson(sql, {})).email)
  const page = await visitor.page('/admin/programs/counted')
  expect(page.match(/data-copy="address-\d"/g)).toHaveLength(3)
  expect(page.split('data-exports')[1]).toContain(`/admin/keys/${other.api_key_id}`)
})
