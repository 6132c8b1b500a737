// What the follower's role is enough for, and what it does not allow. Every other test of following runs under it too (useFollowing).

import { beforeAll, describe, expect, test } from 'bun:test'
import { useFollowing } from '../support/civiform/following.ts'
import { usePool } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { useLogin } from '../support/logins.ts'

const { civiform, database, own, catchUp } = await useFollowing()
const program = 'rent relief'

describe('the role tributary_follower', () => {
  let rows: { status: string | null; current: boolean }[]
  beforeAll(async () => {
    await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }] })
    await civiform.saveDraft(program, [
      { name: 'job', type: 'TEXT' },
      { name: 'hours', type: 'NUMBER' },
    ])
    await civiform.app`
      insert into api_keys (name, key_id, salted_key_secret, subnet, expiration, grants)
      values ('city', 'a2V5LW51bWJlci1vbmUtMQ==', ${Buffer.alloc(32, 5).toString('base64')}, '0.0.0.0/0', '2200-01-01',
        '{"programGrants": {"rent-relief": ["READ"]}}')`
    const [value, two] = [await civiform.applicant(), await civiform.applicant()]
    const first = await civiform.submit({ applicant: value, program, answers: {} })
    const second = await civiform.submit({ applicant: two, program, answers: {} })
    await catchUp()
    await civiform.submit({ applicant: value, program, answers: { job: { text: 'x' } } })
    await civiform.merge(value, two, [second])
    await civiform.setStatus(second, 'Approved')
    await civiform.rewrite(second, { job: { text: 'y' } })
    await catchUp()
    await civiform.remove(first)
    await civiform.publish({ [program]: [{ name: 'hours', type: 'NUMBER' }] })
    await catchUp()
    rows = await database.sql`
      select status, superseded_seq is null as current from application order by submit_time, submit_seq`
  })

  test('is sufficient for programs, applications, keys, changes, merges and deletions', async () => {
    expect(rows.map(row => [row.status, row.current])).toEqual([
      ['Approved', false],
      [null, true],
    ])
    expect(await database.sql`select from api_key where followed`).toHaveLength(1)
  })

  test('is sufficient for edits to a draft that already has an application', async () => {
    const preview = 'snow removal'
    const version = (await civiform.publish({ [preview]: [{ name: 'street', type: 'TEXT' }] }))[preview]!
    const draft = await civiform.saveDraft(preview, [{ name: 'house', type: 'TEXT' }])
    const previewed = await civiform.submit({ applicant: await civiform.applicant(), program: preview, answers: {} })
    await civiform.set(previewed, { program_id: draft })
    await catchUp()
    await civiform.saveDraft(preview, [
      { name: 'route', type: 'TEXT' },
      { name: 'house', type: 'TEXT' },
    ])
    await civiform.submit({ applicant: await civiform.applicant(), program: preview, answers: {} })
    await catchUp()
    const versions = await database.sql<{ id: number; questions: number }[]>`
      select v.program_version_id as id, count(*) as questions
      from program_version v join program_version_question q using (program_version_id)
      where v.program_version_id in (${version}, ${draft})
      group by 1 order by 1`
    expect(versions.map(version => [version.id, version.questions])).toEqual([
      [version, 1],
      [draft, 2],
    ])
    expect(await database.sql`select from application where program_version_id in (${version}, ${draft})`).toHaveLength(
      2,
    )
  })

  test('is the only role that may delete applications before their retention ends', async () => {
    const worker = await useLogin(database, 'tributary_worker')
    const sql = usePool({ url: worker, connectionsMax: 1, applicationName: 'test' })
    const removing = sql`delete from application where program_id > 0`
    await expect(removing).rejects.toMatchObject({ code: '42501' })
  })

  test("can change and grant CiviForm's keys, and no others", async () => {
    const denied = { code: '42501' }
    const { api_key_id } = await createTestKey(database.sql, { programs: ['rent-relief'] })
    await database.sql`delete from api_key_program where api_key_id = ${api_key_id}`
    const [{ before }] = (await database.sql`
      select md5(api_key::text) as before from api_key where api_key_id = ${api_key_id}`) as [{ before: string }]
    for (const change of [
      'name = name',
      'secret_hash = secret_hash',
      "expires_at = expires_at + interval '1 day'",
      "allowed_subnets = '{0.0.0.0/0}'",
      'retired_at = now(), retired_by = name',
      'may_export = true',
      'may_submit = may_submit',
      'followed = true',
      "hidden_questions = '{}'",
      'earlier_secret_hash = secret_hash',
    ]) {
      const changing = own.unsafe(`update api_key set ${change} where api_key_id = '${api_key_id}'`)
      await expect(changing).rejects.toMatchObject(denied)
    }
    const copied =
      'name, secret_hash, may_export, may_submit, expires_at, allowed_subnets, created_at, expiry_set_at, created_by'
    const making = own.unsafe(
      `insert into api_key (api_key_id, ${copied}) select 'own', ${copied.replace('expires_at', "created_at + interval '1 day'")} from api_key where followed`,
    )
    await expect(making).rejects.toMatchObject(denied)
    const granting = own`insert into api_key_program select ${api_key_id}, program_id from program`
    await expect(granting).rejects.toMatchObject(denied)
    await database.sql`insert into api_key_program select ${api_key_id}, min(program_id) from program`
    const ungranting = own`delete from api_key_program where api_key_id = ${api_key_id}`
    await expect(ungranting).rejects.toMatchObject(denied)
    const [after] = await database.sql`
      select md5(api_key::text) as before from api_key where api_key_id = ${api_key_id}`
    expect(after).toEqual({ before })
    // The same of a key that was copied.
    await own`update api_key set name = name, retired_at = now(), retired_by = 'civiform' where followed`
  })

  test('cannot change or remove anything it did not copy, or act for others', async () => {
    const denied = { code: '42501' }
    await expect(own`update application set submit_time = now()`).rejects.toMatchObject(denied)
    await expect(own`delete from audit_event`).rejects.toMatchObject(denied)
    await expect(own`select from person`).rejects.toMatchObject(denied)
    await expect(
      own`insert into audit_event (actor, action, subject) values ('operator:x', 'x', 'x')`,
    ).rejects.toMatchObject(denied)
    await expect(
      own`insert into audit_event (actor, action, subject) values ('key:x', 'applications_exported', 'x')`,
    ).rejects.toMatchObject(denied)
    await expect(own`create temporary table x (y text)`).rejects.toMatchObject(denied)
    await expect(own`select lo_create(0)`).rejects.toMatchObject(denied)
    await expect(own`update applicant set front_end = 'x'`).rejects.toMatchObject(denied)
    await expect(own`insert into applicant (front_end, language) values ('x', 'en')`).rejects.toMatchObject(denied)
    await database.sql`insert into applicant (applicant_id, front_end, language) values (999999, 'kiosk', 'en')`
    await expect(own`update applicant set language = 'tlh'`).rejects.toMatchObject(denied)
  })
})
