// The follower under a login of its own, which may do what following takes and nothing else.

import { describe, expect, test } from 'bun:test'
import { Follower } from '../../src/civiform/follower.ts'
import { grantRoles } from '../../src/db/migrate.ts'
import { followOptions, useFollowing } from '../support/civiform/following.ts'
import { endWithFile, usePool } from '../support/fixtures.ts'

const { civiform, database, source, catchUp } = await useFollowing()
const login = `follower_login_${process.pid}`
await grantRoles(database.sql)
await database.sql.unsafe(`create role ${login} login in role tributary_follower`)
endWithFile(() => database.sql.unsafe(`drop owned by ${login}; drop role ${login}`).simple())
const url = new URL(database.url)
url.username = login
url.password = ''
const own = usePool({ url: url.href, connectionsMax: 4, applicationName: 'test' })
const log = { info: () => {}, warn: () => {}, error: () => {} }
const follower = new Follower({ sql: own, source, options: followOptions, log: log as never })
const program = 'rent relief'

describe('the role tributary_follower', () => {
  test('is enough for programs, applications, keys, changes, merges and deletions', async () => {
    await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }] })
    await civiform.saveDraft(program, [
      { name: 'job', type: 'TEXT' },
      { name: 'hours', type: 'NUMBER' },
    ])
    await civiform.app`
      insert into api_keys (name, key_id, salted_key_secret, subnet, expiration, grants)
      values ('city', 'a2V5LW51bWJlci1vbmUtMQ==', ${Buffer.alloc(32, 5).toString('base64')}, '0.0.0.0/0', '2200-01-01',
        '{"programGrants": {"rent-relief": ["READ"]}}')`
    const [one, two] = [await civiform.applicant(), await civiform.applicant()]
    const first = await civiform.submit({ applicant: one, program, answers: {} })
    const second = await civiform.submit({ applicant: two, program, answers: {} })
    await catchUp(follower)
    await civiform.submit({ applicant: one, program, answers: { job: { text: 'x' } } })
    await civiform.merge(one, two, [second])
    await civiform.setStatus(second, 'Approved')
    await civiform.rewrite(second, { job: { text: 'y' } })
    await catchUp(follower)
    await civiform.remove(first)
    await civiform.publish({ [program]: [{ name: 'hours', type: 'NUMBER' }] })
    await catchUp(follower)
    const rows = await database.sql`
      select status, superseded_seq is null as current from application order by submit_time, submit_seq`
    expect(rows.map(row => [row.status, row.current])).toEqual([
      ['Approved', false],
      [null, true],
    ])
    expect(await database.sql`select from api_key where civiform`).toHaveLength(1)
  })

  test('alone removes what was copied before its time: to the worker the setting that says so is of no use', async () => {
    const worker = `follow_worker_${process.pid}`
    await database.sql.unsafe(`create role ${worker} in role tributary_worker`)
    const removing = database.sql.begin(async tx => {
      await tx.unsafe(`set local role ${worker}`)
      await tx`select set_config('tributary.follow', 'on', true)`
      await tx`delete from application where program_id > 0`
    })
    await expect(removing).rejects.toMatchObject({ code: '42501', message: 'this application has not expired' })
    await database.sql.unsafe(`drop role ${worker}`)
  })

  test('does not let it change or remove what was not copied, nor act for others', async () => {
    const denied = { code: '42501' }
    await expect(own`update application set submit_time = now()`).rejects.toMatchObject(denied)
    await expect(own`delete from application`).rejects.toMatchObject(denied)
    await expect(own`delete from audit_event`).rejects.toMatchObject(denied)
    await expect(own`select from person`).rejects.toMatchObject(denied)
    await expect(
      own`insert into audit_event (actor, action, subject) values ('operator:x', 'x', 'x')`,
    ).rejects.toMatchObject(denied)
    await expect(own`update application set snapshot = 'x'`).rejects.toMatchObject({ code: '23001' })
  })
})
