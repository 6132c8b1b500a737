// A CiviForm that lost the commit in which a program was published, and has given the id of that version to another program since.

import { expect, test } from 'bun:test'
import { useFollowing } from '../support/civiform/following.ts'
import { ExportClient } from '../support/export-client.ts'
import { useService } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'

const { civiform, database, sql, restarted, catchUp } = await useFollowing()
const { app } = civiform

test('limit 6: a lost version whose ID was reused belongs to the other program, with that program’s applications', async () => {
  const first = (await civiform.publish({ rent: [{ name: 'job', type: 'TEXT' }] })).rent!
  const kept = await civiform.submit({
    applicant: await civiform.applicant(),
    program: 'rent',
    answers: { job: { text: 'kept' } },
  })
  const both = [{ name: 'job', type: 'TEXT' }, { name: 'hours', type: 'NUMBER' }] // biome-ignore format: one line
  const lost = (await civiform.publish({ rent: both })).rent!
  const applicant = await civiform.applicant()
  const gone = await civiform.submit({ applicant, program: 'rent', answers: { job: { text: 'lost' } } })
  await catchUp()
  expect(await sql`select from application where program_version_id = ${lost}`).toHaveLength(1)

  await app.begin(async tx => {
    await tx`delete from applications where id = ${gone}`
    await tx`delete from versions_programs where programs_id = ${lost}`
    await tx`delete from programs where id = ${lost}`
    await tx`delete from versions where lifecycle_stage = 'active'`
    await tx`update versions set lifecycle_stage = 'active' where id = (select max(id) from versions)`
    await tx`select setval('programs_id_seq', ${lost - 1}), setval('applications_id_seq', ${gone - 1})`
  })
  // As if the log of then had been longer than it is now.
  await sql`update civiform_source set written = written + 1000000000000`
  // In another round than that in which the loss is noticed.
  await catchUp()
  const bus = (await civiform.publish({ bus: [{ name: 'card', type: 'TEXT' }] })).bus!
  expect(bus).toBe(lost)
  const again = await civiform.submit({ applicant, program: 'bus', answers: { card: { text: 'blue' } } })
  expect(again).toBe(gone)

  await catchUp(restarted())
  const versions = await sql`
    select p.origin_name as name, v.program_version_id as id, v.state
    from program_version v join program p using (program_id) order by v.program_version_id`
  expect(versions.map(version => ({ ...version }))).toEqual([
    { name: 'rent', id: first, state: 'ACTIVE' },
    { name: 'bus', id: bus, state: 'ACTIVE' },
  ])
  const key = await createTestKey(sql, { programs: ['rent', 'bus'] })
  const service = await useService(database)
  const walked = async (slug: string) =>
    (await new ExportClient(service, key, slug).walkAll()).map(application => [
      application.application_id,
      application.program_version_id,
      application.application,
    ])
  expect(await walked('rent')).toEqual([[kept, first, { job: { question_type: 'TEXT', text: 'kept' } }]])
  expect(await walked('bus')).toEqual([[again, bus, { card: { question_type: 'TEXT', text: 'blue' } }]])
  const seen = await sql`select application_id as id from civiform_change where what = 'deleted'`
  expect(seen.map(row => row.id)).toEqual([gone])
})
