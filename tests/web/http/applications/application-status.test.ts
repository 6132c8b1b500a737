// Status and note written back by a client: by a key that may, decided upon what it saw, audited.

import { describe, expect, test } from 'bun:test'
import { noteLengthMax } from '../../../../src/core/applications/annotate.ts'
import { useExport, useService } from '../../../support/fixtures.ts'
import { createTestKey, type TestKey } from '../../../support/keys.ts'
import { aProgram, q } from '../../../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../../../support/raw-applications.ts'

const slug = 'written-back'
const { database, sql, program, ids, service, key, client } = await useExport({
  slug,
  applications: 30,
  key: { programs: [slug, 'written-alongside'], mayAnnotate: true },
})
await sql`update program set statuses = ${['Approved', 'Denied']} where slug = ${slug}`
let next = 0
/** An application that no other test uses. */
const fresh = (): number => ids[next++]!

const address = (id: number | string, of = slug) => `/api/v1/admin/programs/${of}/applications/${id}/status`
const read = async (id: number | string, of: TestKey = key) =>
  service.get(address(id), { headers: { Authorization: of.authorization } })
const set = (
  id: number | string,
  body: unknown,
  fields: Record<string, string> = {},
  of: TestKey = key,
  slugOf = slug,
) =>
  service.get(address(id, slugOf), {
    method: 'PATCH',
    headers: { Authorization: of.authorization, 'Content-Type': 'application/json', ...fields },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const tagOf = async (id: number): Promise<string> => (await read(id)).headers.get('ETag')!
const codes = async (response: Response) => {
  const { errors } = (await response.json()) as { errors: { path?: string; parameter?: string; code: string }[] }
  return errors.map(({ path, parameter, code }) => [path ?? parameter, code])
}
const exported = async (id: number) => (await client.walkAll()).find(a => a.application_id === id)!

describe('setting status and note', () => {
  test('D22: appears in the export, the history, the change feed and the audit log as one change by the key', async () => {
    const id = fresh()
    const response = await set(
      id,
      { status: 'Approved', application_note: 'paid “out”' },
      { 'If-Match': await tagOf(id) },
    )
    expect(response.status).toBe(200)
    const { status, application_note, status_last_modified_time } = await exported(id)
    expect(await response.json()).toEqual({ status, application_note, status_last_modified_time })
    expect([status, application_note]).toEqual(['Approved', 'paid “out”'])
    expect(response.headers.get('ETag')).toBe(await tagOf(id))
    const states = await sql<
      { changed_by: string }[]
    >`select changed_by from application_annotation where application_id = ${id}`
    expect([...states]).toEqual([{ changed_by: `key:${key.api_key_id}` }])
    const [event] = await sql<{ actor: string; address: string; detail: unknown }[]>`
      select actor, host(address) as address, detail from audit_event where action = 'application_annotated' and subject = ${String(id)}`
    expect(event).toEqual({
      actor: `key:${key.api_key_id}`,
      address: '127.0.0.1',
      detail: { program_id: program.program_id, status: 'Approved', status_changed: true, note_changed: true },
    })
  })

  test('omitted members are unchanged and null removes; D30: a status set again counts', async () => {
    const id = fresh()
    const after = async (change: object) =>
      (await set(id, change, { 'If-Match': await tagOf(id) })).json() as Promise<Record<string, unknown>>
    await after({ status: 'Denied', application_note: 'x' })
    const noted = await after({ application_note: 'y' })
    expect(noted).toMatchObject({ status: 'Denied', application_note: 'y' })
    const before = await tagOf(id)
    expect(await after({ status: 'Denied' })).toMatchObject({ status: 'Denied', application_note: 'y' })
    expect(await tagOf(id)).not.toBe(before)
    expect(await after({ status: null })).toMatchObject({ status: null, application_note: 'y' })
    expect(await after({ application_note: null })).toMatchObject({ status: null, application_note: null })
  })

  test.each([
    ['{"status":"Nonsense"}', [['/status', 'unknown_status']]],
    ['{"status":1}', [['/status', 'wrong_type']]],
    ['{"application_note":["x"]}', [['/application_note', 'wrong_type']]],
    ['{"note":"x","/~":1}', [['/note', 'unknown_member'], ['/~1~0', 'unknown_member']]],
    ['{}', [['', 'required']]],
    ['[]', [['', 'wrong_type']]],
    ['null', [['', 'wrong_type']]],
    ['{"status":"Approved","status":"Denied"}', [['/status', 'duplicate_key']]],
    ['{"application_note":"\\u0000"}', [['/application_note', 'unstorable_text']]],
    ['{"application_note":"\\ud800"}', [['/application_note', 'unstorable_text']]],
    [JSON.stringify({ application_note: 'x'.repeat(noteLengthMax + 1) }), [['/application_note', 'too_long']]],
    ['{"__proto__":"x"}', [['/__proto__', 'unknown_member']]],
  ])('%.40s gets a 400 that names the error, and changes nothing', async (body, errors) => {
    const id = ids.at(-1)!
    const response = await set(id, body, { 'If-Match': '*' })
    expect(response.status).toBe(400)
    expect(await codes(response)).toEqual(errors)
    expect(await tagOf(id)).toBe('"0"')
  }) // biome-ignore format: a table

  test('a body that is too large gets a 413, and one that is not JSON a 415', async () => {
    const id = ids.at(-1)!
    expect((await set(id, ' '.repeat(200_000), { 'If-Match': '*' })).status).toBe(413)
    expect((await set(id, 'status=Approved', { 'If-Match': '*', 'Content-Type': 'text/plain' })).status).toBe(415)
    // The longest note fits however it is escaped.
    const note = '😀'.repeat(noteLengthMax / 2)
    const escaped = `{"application_note":"${'\\ud83d\\ude00'.repeat(noteLengthMax / 2)}"}`
    const other = fresh()
    expect((await set(other, escaped, { 'If-Match': '*' })).status).toBe(200)
    expect((await exported(other)).application_note).toBe(note)
  })
})

describe('a body of another media type', () => {
  test('is accepted as JSON Merge Patch (RFC 7396)', async () => {
    for (const type of ['application/merge-patch+json', 'application/merge-patch+json; charset=utf-8']) {
      const id = fresh()
      expect((await set(id, { status: 'Approved' }, { 'If-Match': '*', 'Content-Type': type })).status).toBe(200)
      expect((await exported(id)).status).toBe('Approved')
    }
  })

  test('is otherwise refused with a 415, with the accepted types in Accept-Patch (RFC 5789, section 2.2)', async () => {
    for (const type of ['application/json-patch+json', 'text/plain', 'application/merge-patch+json; charset=latin1']) {
      const refused = await set(ids.at(-1)!, {}, { 'If-Match': '*', 'Content-Type': type })
      expect([type, refused.status, refused.headers.get('Accept-Patch')]).toEqual([
        type,
        415,
        'application/merge-patch+json, application/json',
      ])
    }
  })
})

describe('reading under a condition (RFC 9110, sections 13.1.1 and 13.1.2)', () => {
  test('gets a 304 without an audit entry while If-None-Match matches, and a 412 if If-Match does not', async () => {
    const id = fresh()
    const ask = (fields: Record<string, string>, method = 'GET') =>
      service.get(address(id), { method, headers: { Authorization: key.authorization, ...fields } })
    const readings = async () =>
      (await sql`select from audit_event where action = 'application_status_read' and subject = ${String(id)}`).length
    const tag = await tagOf(id)
    const before = await readings()
    const quota = expect.stringMatching(/^"requests";r=\d+;t=\d+$/)
    for (const method of ['GET', 'HEAD']) {
      for (const field of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
        const same = await ask({ 'If-None-Match': field }, method)
        expect([field, same.status, await same.text(), same.headers.get('etag')]).toEqual([field, 304, '', tag])
        expect(same.headers.get('content-length')).toBeNull()
        expect([same.headers.get('cache-control'), same.headers.get('ratelimit')]).toEqual(['no-store', quota])
      }
      for (const field of ['"x"', '', `W/${tag}`]) expect((await ask({ 'If-Match': field }, method)).status).toBe(412)
      expect((await ask({ 'If-Match': '"x"', 'If-None-Match': tag }, method)).status).toBe(412)
      expect((await ask({ 'If-Match': tag, 'If-None-Match': tag }, method)).status).toBe(304)
    }
    expect(await readings()).toBe(before)
    for (const [name, field] of [
      ['If-Match', tag],
      ['If-Match', '*'],
      ['If-None-Match', '"x"'],
    ] as const)
      expect((await ask({ [name]: field })).status).toBe(200)
    await set(id, { status: 'Denied' }, { 'If-Match': tag })
    expect((await ask({ 'If-None-Match': tag })).status).toBe(200)
  })
})

describe('If-Match', () => {
  test('gets a 428 if missing and a 412 without changes for another state, while * matches any', async () => {
    const id = fresh()
    const missing = await set(id, { status: 'Approved' })
    expect([missing.status, await codes(missing)]).toEqual([428, [['If-Match', 'required']]])
    const first = await tagOf(id)
    expect((await set(id, { status: 'Approved' }, { 'If-Match': first })).status).toBe(200)
    for (const field of [first, '"9999999"', `W/${await tagOf(id)}`, 'x', '""', '"-1"'])
      expect([field, (await set(id, { status: 'Denied' }, { 'If-Match': field })).status]).toEqual([field, 412])
    expect((await exported(id)).status).toBe('Approved')
    expect((await set(id, { status: 'Denied' }, { 'If-Match': `"x", ${await tagOf(id)}` })).status).toBe(200)
    expect((await set(id, { status: 'Approved' }, { 'If-Match': '*' })).status).toBe(200)
  })

  test('lets one of many requests with the same state succeed, and the others get a 412', async () => {
    const id = fresh()
    const tag = await tagOf(id)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => set(id, { application_note: `note ${i}` }, { 'If-Match': tag })),
    )
    expect(answers.map(answer => answer.status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 412)])
    const winner = answers.findIndex(answer => answer.status === 200)
    expect((await exported(id)).application_note).toBe(`note ${winner}`)
    const states = await sql`select from application_annotation where application_id = ${id}`
    expect(states).toHaveLength(1)
  })
})

describe('permissions for changing a status', () => {
  test('"A request for a program outside that set fails with 401": without the permission or the program, before anything else', async () => {
    const id = fresh()
    const reading = await createTestKey(sql, { programs: [slug] })
    const submitting = await createTestKey(sql, { programs: [slug], mayExport: false, maySubmit: true })
    const stranger = await createTestKey(sql, { programs: ['written-alongside'], mayAnnotate: true })
    for (const of of [reading, submitting, stranger]) {
      expect((await set(id, 'not JSON', {}, of)).status).toBe(401)
      expect((await set(999_999_999, { status: 'Approved' }, { 'If-Match': '*' }, of)).status).toBe(401)
    }
    expect((await read(id, reading)).status).toBe(200)
    expect((await read(id, submitting)).status).toBe(401)
    const line = service.logLines.findLast(line => line.reason === 'may_not_annotate')
    expect(line).toMatchObject({ status: 401, method: 'PATCH' })
    expect(await tagOf(id)).toBe('"0"')
  })

  test('an application of another program and an unknown ID get the same 404', async () => {
    const other = await aProgram(sql, { slug: 'written-elsewhere', questions: [q.text('elsewhere words')] })
    expect(other.slug).toBe('written-elsewhere')
    const elsewhere = await insertRawProgram(sql, 'written-raw')
    const [foreign] = await insertRawApplications(sql, elsewhere, 1)
    const bodies: unknown[] = []
    for (const id of [foreign!, 999_999_999, 'x', '0', '%00', '1'.repeat(50)]) {
      for (const response of [await set(id, { application_note: 'x' }, { 'If-Match': '*' }), await read(id)]) {
        const { request_id: _, ...body } = (await response.json()) as Record<string, unknown>
        bodies.push([response.status, body])
      }
    }
    expect(bodies[0]).toMatchObject([404, {}])
    for (const body of bodies) expect(body).toEqual(bodies[0])
    expect(await sql`select from application_annotation where application_id = ${foreign!}`).toHaveLength(0)
  })

  test('D25: other methods get a 405, and an instance that only exports offers no PATCH', async () => {
    const id = fresh()
    const response = await service.get(address(id), { method: 'PUT', headers: { Authorization: key.authorization } })
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'GET, HEAD, PATCH'])
    const exporting = await useService(database, { exportOnly: true })
    const refused = await exporting.get(address(id), { method: 'PATCH', headers: { Authorization: key.authorization } })
    expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('the database requires that a key that sets status and note may also export', async () => {
    await expect(
      createTestKey(sql, { programs: [slug], mayExport: false, maySubmit: true, mayAnnotate: true }),
    ).rejects.toThrow('check')
  })
})
