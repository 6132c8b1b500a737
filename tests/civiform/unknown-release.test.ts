// What a follower makes of what it does not know: a database that is no CiviForm's, a newer release, stages and permissions without a name here.
// None of it is left out in silence.

import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { readFindings } from '../../src/civiform/db/follow-state.ts'
import { openSource } from '../../src/civiform/db/source.ts'
import { examineSource } from '../../src/civiform/following/examine-source.ts'
import { followOptions, useFollowing } from '../support/civiform/following.ts'
import { endWithFile, useBareDatabase, useService } from '../support/fixtures.ts'

const program = 'rent relief'
const questions = [{ name: 'job', type: 'TEXT' }]

async function opened() {
  const following = await useFollowing()
  await following.civiform.publish({ [program]: questions })
  await following.catchUp()
  return following
}

describe('a follower', () => {
  test('ends if the database is not CiviForm’s, and names the missing tables', async () => {
    const { restarted } = await useFollowing()
    const other = openSource((await useBareDatabase()).url)
    endWithFile(() => other.end({ timeout: 1 }))
    await expect(restarted({}, other).round()).rejects.toMatchObject({
      kind: 'conflict',
      internal: 'missing',
      detail: expect.stringContaining(' applications, applicants,'),
    })
  })

  test('ends when a newer release renames a table, and waits while a database is being restored', async () => {
    const { civiform, follower, sql } = await opened()
    await civiform.app.unsafe('alter table application_events rename to events_of_applications')
    await expect(follower.round()).rejects.toMatchObject({ code: '42P01' })
    await expect(follower.round()).rejects.toMatchObject({ kind: 'unavailable' })
    await civiform.app`insert into play_evolutions (id, state) values (99, 'applied')`
    await expect(follower.round()).rejects.toMatchObject({
      kind: 'conflict',
      detail: expect.stringMatching(/application_events.*evolution 99.*newer/),
    })
    expect(await sql`select from application`).toHaveLength(0)
  })

  test('follows a newer release that has every table, with a warning, and check names the tested release', async () => {
    const { civiform, follower, source, own, log } = await opened()
    const warned = () =>
      log.filter(({ level, fields }) => level === 'warn' && (fields as { evolution?: number }).evolution === 99)
    await civiform.app`insert into play_evolutions (id, state) values (99, 'applied')`
    await follower.round()
    await follower.round()
    expect(warned()).toHaveLength(1)
    const notices = (await examineSource(source, own, followOptions)).filter(({ kind }) => kind === 'notice')
    expect(notices.map(({ text }) => text)).toContainEqual(expect.stringContaining('98'))
  })
})

describe('a finding', () => {
  test('is reported for unknown stages of applications and versions', async () => {
    const { civiform, catchUp, sql } = await opened()
    const application = await civiform.submit({ applicant: await civiform.applicant(), program, answers: {} })
    await civiform.set(application, { lifecycle_stage: 'under_review' })
    const [version] = await civiform.app<
      { id: number }[]
    >`insert into versions (lifecycle_stage) values ('scheduled') returning id`
    const row = await civiform.activeProgram(civiform.app, program)
    await civiform.app`insert into versions_programs (versions_id, programs_id) values (${version!.id}, ${row})`
    await sql`update civiform_source set scan_whole = true, scan_after = 0`
    await catchUp()
    expect((await readFindings(sql)).map(({ kind, subject }) => [kind, subject])).toEqual([
      ['application_stage', 'under_review'],
      ['version_stage', 'scheduled'],
    ])
    await civiform.set(application, { lifecycle_stage: 'active' })
    await civiform.app`update versions set lifecycle_stage = 'obsolete' where id = ${version!.id}`
    await sql`update civiform_source set scan_whole = true, scan_after = 0`
    await catchUp()
    expect(await readFindings(sql)).toEqual([])
    expect(await sql`select from application`).toHaveLength(1)
  })

  test('is reported for unknown permissions of keys and unknown forms of grants', async () => {
    const { civiform, catchUp, sql } = await opened()
    const grants = [{ programGrants: { 'rent-relief': ['READ', 'ANONYMIZE'] } }, { grantsByProgram: {} }]
    const keys = grants.map((_, i) => Buffer.alloc(16, i + 1).toString('base64'))
    for (const [i, grant] of grants.entries())
      await civiform.app`
        insert into api_keys (name, key_id, salted_key_secret, subnet, expiration, grants)
        values ('city', ${keys[i]!}, ${Buffer.alloc(32, i + 1).toString('base64')}, '0.0.0.0/0', '2200-01-01', ${civiform.app.json(grant as never)})`
    await catchUp()
    const found = await readFindings(sql, 'api_key')
    expect(found.map(({ subject }) => subject)).toEqual(keys.toSorted())
    expect(found.map(({ detail }) => detail).join()).toContain('"ANONYMIZE"')
  })
})

test('no CiviForm key opens an archived program, and its keys open it again when it is published again', async () => {
  const salt = 'unit-test-pepper'
  const { civiform, catchUp, database } = await opened()
  const [id, secret] = [Buffer.alloc(16, 3).toString('base64'), Buffer.alloc(32, 3).toString('base64')]
  const hash = createHmac('sha256', salt).update(secret).digest('base64')
  await civiform.app`
    insert into api_keys (name, key_id, salted_key_secret, subnet, expiration, grants)
    values ('city', ${id}, ${hash}, '0.0.0.0/0', '2200-01-01', '{"programGrants": {"rent-relief": ["READ"]}}')`
  await civiform.submit({ applicant: await civiform.applicant(), program, answers: {} })
  await catchUp()
  const service = await useService(database, { originApiSalt: salt })
  const Authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  const status = async () =>
    (await service.get('/api/v1/admin/programs/rent-relief/applications', { headers: { Authorization } })).status
  expect(await status()).toBe(200)
  // CiviForm archives by a version that has it no more.
  const row = await civiform.activeProgram(civiform.app, program)
  const [version] = await civiform.app<{ id: number }[]>`
    insert into versions (lifecycle_stage, tombstoned_program_names) values ('draft', ${[program]}::varchar[]) returning id`
  await civiform.app`update versions set lifecycle_stage = 'obsolete' where lifecycle_stage = 'active'`
  await civiform.app`
    update versions set lifecycle_stage = 'active', submit_time = clock_timestamp() at time zone 'UTC' where id = ${version!.id}`
  await catchUp()
  expect(await status()).toBe(401)
  await civiform.app`insert into versions_programs (versions_id, programs_id) values (${version!.id}, ${row})`
  await catchUp()
  expect(await status()).toBe(200)
})
