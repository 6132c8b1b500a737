// What PostgreSQL refuses through no fault of the request is a 503 with Retry-After where waiting can help, whichever statement it
// was, and a problem document in any case. A real PostgreSQL says each code.

import { describe, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/client.ts'
import { useDatabase, useService } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { startTestService } from '../support/service.ts'

const database = await useDatabase()
const key = await createTestKey(database.sql, { programs: ['any'], maySubmit: true })
const service = await useService(database)
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

describe('what PostgreSQL refuses', () => {
  for (const [code, meaning] of [
    ['53100', 'no room on the disk'],
    ['53200', 'no memory'],
    ['53300', 'too many connections'],
    ['58030', 'a disk that fails'],
    ['57P01', 'a server that is stopped'],
    ['57P03', 'a server that is starting'],
    ['08006', 'a connection that failed'],
    ['25006', 'a standby'],
    ['28000', 'no login'],
    ['28P01', 'a password that was changed'],
    ['3D000', 'a database that is being made again'],
    ['40P01', 'a deadlock'],
    ['40001', 'a conflict'],
    ['55P03', 'a lock'],
    ['57014', 'a statement that took too long'],
  ] as const)
    test(`${code}, ${meaning}: 503 with Retry-After, and the code is logged`, async () => {
      expect(await statusWith(code)).toEqual([code, 503, '5'])
      const reason = service.logLines.findLast(line => line.msg === 'request')!.reason
      expect(reason).toBe(code === '57014' ? 'statement_timeout' : `database_${code}`)
    })

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
