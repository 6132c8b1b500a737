// Who may not read a program's applications learns nothing about it (contract D4, D6), over HTTP.

import { describe, expect, test } from 'bun:test'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'

const database = await useDatabase()
await insertRawApplications(database.sql, await insertRawProgram(database.sql, 'mine'), 3)
await insertRawApplications(database.sql, await insertRawProgram(database.sql, 'theirs'), 3)
const service = await useService(database)
const key = await createTestKey(database.sql, { programs: ['mine'] })

/** Status, headers and body without what differs from request to request. */
async function seen(slug: string, query = '', authorization: string | null = key.authorization) {
  const response = await service.get(`/api/v1/admin/programs/${slug}/applications${query}`, {
    headers: authorization === null ? {} : { Authorization: authorization },
  })
  const headers = [...response.headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
  const body = (await response.text()).replace(/"request_id":"[^"]+"/, '')
  return {
    answer: JSON.stringify([response.status, headers, body]),
    line: service.requestLine(response.headers.get('X-Request-Id')),
  }
}

describe('"lacks access to the program"', () => {
  test('D4, D6: a program outside the set, an unknown one, one that no program could be called, and no key at all are answered alike', async () => {
    const outside = await seen('theirs')
    expect(JSON.parse(outside.answer)[0]).toBe(401)
    expect(outside.line).toMatchObject({ reason: 'no_grant' })
    const others = [
      'unknown',
      '%00',
      '..%2f..',
      '%27%20or%201=1',
      'MINE',
      'mine%20',
      '%ff',
      'a'.repeat(3000),
      '__proto__',
      'constructor',
    ]
    for (const slug of others) expect((await seen(slug)).answer).toBe(outside.answer)
    expect((await seen('mine', '', null)).answer).toBe(outside.answer)
    expect((await seen('mine', '', 'Basic bm86cGU=')).answer).toBe(outside.answer)
  })

  test('D4: "401 is decided before anything that could be a 400"', async () => {
    const outside = await seen('theirs')
    for (const query of ['?pageSize=0', '?nextPageToken=x', '?fromDate=%ff', `?x=${'y'.repeat(9000)}`]) {
      expect((await seen('theirs', query)).answer).toBe(outside.answer)
    }
  })

  test('a key that may only submit may not export', async () => {
    const submitting = await createTestKey(database.sql, { programs: ['mine'], mayExport: false, maySubmit: true })
    const answer = await seen('mine', '', submitting.authorization)
    expect(answer.answer).toBe((await seen('theirs')).answer)
    expect(answer.line).toMatchObject({ reason: 'may_not_export' })
  })

  test('retiring a key takes effect on the next page of a walk', async () => {
    const walking = await createTestKey(database.sql, { programs: ['mine'] })
    const headers = { Authorization: walking.authorization }
    const first = await service.get('/api/v1/admin/programs/mine/applications?pageSize=1', { headers })
    const { nextPageToken } = (await first.json()) as { nextPageToken: string }
    await database.sql`update api_key set retired_at = now(), retired_by = 'admin:test' where api_key_id = ${walking.api_key_id}`
    expect(
      (await service.get(`/api/v1/admin/programs/mine/applications?nextPageToken=${nextPageToken}`, { headers }))
        .status,
    ).toBe(401)
  })

  test('a secret that a client wrote into the path by mistake does not reach the log', async () => {
    for (const mistaken of [key.password, key.apiSecretToken]) {
      await (await service.get(`/api/v1/admin/programs/${encodeURIComponent(mistaken)}/applications`)).text()
      await (await service.get(`/${mistaken}`)).text()
    }
    expect(service.logText()).not.toContain(key.password)
    expect(service.logText()).not.toContain(key.apiSecretToken)
  })
})
