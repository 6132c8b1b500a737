// What PostgreSQL refuses through no fault of the request is a 503 with Retry-After where waiting can help, whichever statement it
// was, and a problem document in any case.

import { afterAll, describe, expect, test } from 'bun:test'
import { passingErrors } from '../../../src/base/passing-errors.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { startScriptedPostgres } from '../../support/scripted-postgres.ts'
import { startTestService } from '../../support/service.ts'

const database = await useDatabase()
const key = await createTestKey(database.sql, { programs: ['any'], maySubmit: true })
const service = await useService(database)
await aProgram(database.sql, { slug: 'asked', questions: [q.text('t')] })
await database.sql.unsafe(`
  create table refused_with (code text);
  create function refuse() returns trigger language plpgsql as $$
    begin
      raise exception 'a secret value' using errcode = (select code from refused_with);
    end $$;
  create trigger refuse before insert on applicant for each row execute function refuse();`)

const registration = (): RequestInit => ({
  method: 'POST',
  body: '{"language":"en"}',
  headers: { Authorization: key.authorization, 'Content-Type': 'application/json' },
})

async function statusWith(code: string) {
  await database.sql`delete from refused_with`
  await database.sql`insert into refused_with (code) values (${code})`
  const answer = await service.get('/intake/v1/applicants', registration())
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(await answer.text()).not.toContain('a secret value')
  return [code, answer.status, answer.headers.get('retry-after')]
}

/** Those that a server says; the driver and the operating system say the others. */
const said = passingErrors.filter(({ code }) => /^(?=.*\d)[0-9A-Z]{5}$/.test(code))

describe('temporary database errors', async () => {
  const server = await startScriptedPostgres()
  const pool = openDatabase({ url: `postgres://u:p@127.0.0.1:${server.port}/d`, connectionsMax: 2 })
  const refused = await startTestService(database, {}, { intakeDb: pool, consoleDb: pool })
  const annotator = await createTestKey(database.sql, { programs: ['asked'], maySubmit: true, mayAnnotate: true })
  const sent = (method: string, body: unknown) => ({
    method,
    body: JSON.stringify(body),
    headers: { Authorization: annotator.authorization, 'Content-Type': 'application/json', 'If-Match': '*' },
  })
  afterAll(async () => {
    await refused.stop()
    await pool.end({ timeout: 0 })
    await server.stop()
  })
  const statusesWith = async (error: { code: string; routine?: string }) => {
    server.refusal = error
    return Promise.all(
      (
        [
          ['/intake/v1/applicants', sent('POST', { language: 'en' })],
          ['/intake/v1/programs/asked/applicants/1/answers', sent('PUT', { answers: {} })],
          ['/api/v1/admin/programs/asked/applications/1/status', sent('PATCH', { status: null })],
        ] as const
      ).map(async ([path, init]) => {
        const answer = await refused.get(path, init)
        expect(answer.headers.get('content-type')).toBe('application/problem+json')
        expect(await answer.text()).not.toContain('a secret value')
        const { reason } = refused.requestLine(answer.headers.get('x-request-id'))!
        return [answer.status, answer.headers.get('retry-after'), reason]
      }),
    )
  }

  test.each(said.map(error => [error.code, error.routine ?? 'anywhere', error.meaning, error] as const))(
    '%s, %s: %s: 503 with Retry-After, and the code is logged',
    async (code, _, __, { routine }) => {
      const expected = [503, '5', code === '57014' ? 'statement_timeout' : `database_${code}`]
      expect(await statusesWith(routine === undefined ? { code } : { code, routine })).toEqual(Array(3).fill(expected))
    },
  )

  test.each([...new Set(said.filter(error => error.routine !== undefined).map(error => error.code))])(
    '%s that is raised elsewhere is a 500',
    async code => {
      const statuses = await statusesWith({ code, routine: 'elsewhere' })
      expect(statuses.map(([status, after]) => [status, after])).toEqual(Array(3).fill([500, null]))
    },
  )
})

describe('errors of PostgreSQL', () => {
  test('what waiting cannot mend is a 500, as a problem document', async () => {
    for (const code of ['42P01', '23514', 'XX000', '25P02']) expect(await statusWith(code)).toEqual([code, 500, null])
  })

  test('a database that is gone, and a role that may not log in: 503 for what waits for a connection', async () => {
    const url = new URL(database.url)
    url.pathname = '/never_made'
    await database.sql`create role tributary_no_login nologin`
    const noLogin = new URL(database.url)
    noLogin.username = 'tributary_no_login'
    for (const [code, refusing] of [
      ['3D000', url],
      ['28000', noLogin],
    ] as const) {
      const intakeDb = openDatabase({ url: refusing.href, connectionsMax: 1 })
      const refused = await startTestService(database, {}, { intakeDb })
      const answer = await refused.get('/intake/v1/applicants', registration())
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
      expect(refused.requestLine(answer.headers.get('x-request-id'))).toMatchObject({ reason: `database_${code}` })
      await refused.stop()
      await intakeDb.end({ timeout: 0 })
    }
    await database.sql`drop role tributary_no_login`
  })
})
