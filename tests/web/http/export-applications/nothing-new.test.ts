// ETag and If-None-Match on the first page of a walk: 304 says that nothing has happened, and never when something has.

import { describe, expect, test } from 'bun:test'
import { annotate } from '../../../../src/core/applications/annotate.ts'
import { eraseApplicant, eraseApplication } from '../../../../src/core/applications/erase.ts'
import { exportTypes } from '../../../../src/web/http/headers/export-formats.ts'
import { ExportClient, type ExportedApplication } from '../../../support/export-client.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'
import { aProgram, q } from '../../../support/programs.ts'
import { seededRandom } from '../../../support/random.ts'
import { insertRawApplications, insertRawProgram } from '../../../support/raw-applications.ts'
import { until } from '../../../support/until.ts'
import { aFollowedProgram } from '../followed-program.ts'

const random = seededRandom(import.meta.file)

const database = await useDatabase({ connectionsMax: 30 })
const { sql } = database
const service = await useService(database)
const timeZone = 'UTC'
const now = (): number => Date.now() * 1000

async function polled() {
  const followed = await aFollowedProgram(sql, service)
  const { client, frontEnd, answers } = followed
  const apply = async (applicant?: number) => frontEnd.apply(applicant ?? (await frontEnd.register()), answers)
  const tagOf = async (parameters: Record<string, string> = {}, fields: Record<string, string> = {}) => {
    const response = await client.request(parameters, fields)
    await response.text()
    expect(response.status).toBe(200)
    return response.headers.get('ETag')!
  }
  const statusFor = async (
    tag: string,
    parameters: Record<string, string> = {},
    fields: Record<string, string> = {},
  ) => {
    const response = await client.request(parameters, { 'If-None-Match': tag, ...fields })
    await response.text()
    return response.status
  }
  return { ...followed, apiKey: followed.key, change: followed.annotate, apply, tagOf, statusFor }
}

describe('If-None-Match', () => {
  test('gets a 304 without a body or an audit entry while nothing changes, with the required headers', async () => {
    const { slug, apiKey, apply, tagOf } = await polled()
    await apply()
    const tag = await tagOf()
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/)
    const lines = async () =>
      (
        await sql`select from audit_event where actor = ${`key:${apiKey.api_key_id}`} and action = 'applications_exported'`
      ).length
    // That of the page that the tag is of.
    await until('its line', async () => (await lines()) === 1)
    for (const method of ['GET', 'HEAD']) {
      const address = `/api/v1/admin/programs/${slug}/applications`
      const response = await service.get(address, {
        method,
        headers: { Authorization: apiKey.authorization, 'If-None-Match': tag, 'Accept-Encoding': 'gzip' },
      })
      expect([response.status, await response.text()]).toEqual([304, ''])
      const fields = Object.fromEntries(response.headers)
      expect(fields).toMatchObject({ etag: tag, 'cache-control': 'no-store', vary: 'Accept, Accept-Encoding' })
      // Of a body that is not there nothing is said (RFC 9110, sections 8.6 and 15.4.5).
      for (const name of ['content-type', 'content-encoding', 'content-length']) expect(fields).not.toHaveProperty(name)
      expect(fields).not.toHaveProperty('walk-token')
      expect(fields['snapshot-time']).toBeString()
      expect(service.requestLine(fields['x-request-id']!)).toMatchObject({ status: 304, outcome: 'complete' })
    }
    expect(await lines()).toBe(1)
  })

  test('RFC 9110, section 13.1.1: If-Match compares strongly, so no tag of a page matches, and * matches any', async () => {
    const { slug, apiKey, apply, tagOf } = await polled()
    await apply()
    const tag = await tagOf()
    const statusWith = async (fields: Record<string, string>, method = 'GET', query = '') => {
      const response = await service.get(`/api/v1/admin/programs/${slug}/applications${query}`, {
        method,
        headers: { Authorization: apiKey.authorization, ...fields },
      })
      await response.text()
      return response.status
    }
    for (const method of ['GET', 'HEAD']) {
      for (const field of [tag, tag.slice(2), '"x"', ''])
        expect(await statusWith({ 'If-Match': field }, method)).toBe(412)
      expect(await statusWith({ 'If-Match': '*' }, method)).toBe(200)
      // It comes first (RFC 9110, section 13.2.2), and after what is wrong with the request.
      expect(await statusWith({ 'If-Match': tag, 'If-None-Match': tag }, method)).toBe(412)
      expect(await statusWith({ 'If-Match': '*', 'If-None-Match': tag }, method)).toBe(304)
      expect(await statusWith({ 'If-Match': tag }, method, '?pageSize=0')).toBe(400)
    }
    // Its place among the key's exports was given back each time.
    expect(await statusWith({})).toBe(200)
  })

  test('RFC 9110, section 13.1.2: may be a list of weak or strong tags or *, and malformed tags match nothing', async () => {
    const { tagOf, statusFor } = await polled()
    const tag = await tagOf()
    const strong = tag.slice(2)
    for (const field of [tag, strong, `"a", ${tag}`, `W/"x",${strong}`, '*', ' * '])
      expect([field, await statusFor(field)]).toEqual([field, 304])
    for (const field of ['', '"', strong.slice(1, -1), '"x"', `"x${strong.slice(1)}`, 'W/', '**'])
      expect([field, await statusFor(field)]).toEqual([field, 200])
  })

  test('gets the page after every possible change to an application or to what a page shows of it', async () => {
    const { slug, questions, program_id, frontEnd, apply, change, tagOf, statusFor } = await polled()
    const applicant = await frontEnd.register()
    let tag = await tagOf()
    let application_id = 0
    const after = async (what: string, happens: () => Promise<unknown>) => {
      expect([what, await statusFor(tag)]).toEqual([what, 304])
      await happens()
      expect([what, await statusFor(tag)]).toEqual([what, 200])
      tag = await tagOf()
    }
    const order = { actor: 'operator:test', reason: 'test' } as never
    await after('a submission', async () => ({ application_id } = await apply(applicant)))
    await after('another of the same applicant', () => apply(applicant))
    await after('a status', () => change(application_id, { status: 'Approved' }))
    await after('D30: "A status set again counts: the time moves"', () =>
      change(application_id, { status: 'Approved' }),
    )
    await after('a note', () => change(application_id, { note: 'called' }))
    await after('a note taken away', () => change(application_id, { note: null }))
    await after('a status taken away', () => change(application_id, { status: null }))
    await after('a publication', () =>
      aProgram(sql, {
        slug,
        questions: [...questions, q.text('more', { optional: true })],
        statuses: ['Approved'],
      }),
    )
    await after('an erasure', () => eraseApplication(sql, { program_id, application_id }, order))
    await after('the erasure of an applicant', () => eraseApplicant(sql, applicant, order))
    // A change that changes nothing leaves no trace.
    const { application_id: last } = await apply()
    tag = await tagOf()
    await change(last, { note: null })
    expect(await statusFor(tag)).toBe(304)
  })

  test('does not match another filter, page size, format, program or time zone, but another spelling or compression', async () => {
    const { client, apply, tagOf, statusFor, apiKey, slug } = await polled()
    await apply()
    const tag = await tagOf()
    for (const parameters of [
      { pageSize: '7' },
      { fromDate: '2026-01-01' },
      { toDate: '2026-01-01' },
      { revisionState: 'CURRENT' },
    ] as Record<string, string>[]) {
      expect([parameters, await statusFor(tag, parameters)]).toEqual([parameters, 200])
      expect(await statusFor(await tagOf(parameters), parameters)).toBe(304)
    }
    for (const type of exportTypes)
      expect(await statusFor(tag, {}, { Accept: type })).toBe(type === 'application/json' ? 304 : 200)
    const other = await polled()
    await other.apply()
    expect(await other.statusFor(tag)).toBe(200)
    const elsewhere = await useService(database, { timeZone: 'Asia/Tokyo' })
    const response = await new ExportClient(elsewhere, apiKey, slug).request({}, { 'If-None-Match': tag })
    expect(response.status).toBe(200)
    await response.text()
    expect(await statusFor(tag, { pageSize: '99999' })).toBe(304)
    expect(await statusFor(tag, {}, { 'Accept-Encoding': 'gzip' })).toBe(304)
    expect(await statusFor(await tagOf({ fromDate: '2026-01-01' }), { fromDate: '2026-01-01T00:00:00.000Z' })).toBe(304)
    expect(await statusFor(tag, { unknown: 'x' })).toBe(304)
    expect((await client.request({ pageSize: '0' }, { 'If-None-Match': tag })).status).toBe(400)
    expect((await client.request({}, { 'If-None-Match': tag, Accept: 'image/png' })).status).toBe(406)
  })

  test('still requires authorization', async () => {
    const { slug, tagOf } = await polled()
    const tag = await tagOf()
    const stranger = await createTestKey(sql, { programs: ['of-a-stranger'] })
    expect((await new ExportClient(service, stranger, slug).request({}, { 'If-None-Match': tag })).status).toBe(401)
    const retired = await createTestKey(sql, { programs: [slug], retiredAt: now() })
    expect((await new ExportClient(service, retired, slug).request({}, { 'If-None-Match': '*' })).status).toBe(401)
  })

  test('has no effect on a page with a token, which has no ETag', async () => {
    const { apply, client } = await polled()
    for (let i = 0; i < 3; i++) await apply()
    const { page } = await client.page({ pageSize: '2' })
    const parameters = { nextPageToken: page.nextPageToken! }
    const { response, page: second } = await client.page(parameters, { 'If-None-Match': '*' })
    expect(response.headers.get('ETag')).toBeNull()
    expect(second.payload).toHaveLength(1)
  })

  test('does not match after a restore, even if the counter has reached the same number', async () => {
    // Two databases alike in every number: the same applications at the same times, one annotation more in each, of another moment.
    const tags = await Promise.all(
      [1_790_000_000_000_000, 1_790_000_000_000_001].map(async at => {
        const duplicate = await useDatabase()
        const other = await useService(duplicate)
        const program = await insertRawProgram(duplicate.sql, 'restored')
        const [application_id] = await insertRawApplications(duplicate.sql, program, 3)
        const { program_id } = program
        await annotate(duplicate.sql, {
          program_id,
          application_id: application_id!,
          note: 'x',
          actor: 'admin:test',
          now: at,
          timeZone,
        })
        const key = await createTestKey(duplicate.sql, { programs: ['restored'] })
        const response = await new ExportClient(other, key, 'restored').request()
        await response.text()
        const cursor = response.headers.get('Change-Cursor')
        return { tag: response.headers.get('ETag'), cursor }
      }),
    )
    expect(tags[0]!.cursor).not.toBe(tags[1]!.cursor)
    expect(tags[0]!.tag).not.toBe(tags[1]!.tag)
  })
})

test('a client that polls with If-None-Match alongside writers has, at each 304, everything committed before the request', async () => {
  const { client, apply, change, program_id } = await polled()
  const committed = new Map<number, string>()
  for (let i = 0; i < 5; i++) committed.set((await apply()).application_id, '')
  let stopped = false
  const writing = [0, 1, 2].map(async writer => {
    for (let n = 0; !stopped; n++) {
      if (n % 2 === 0) committed.set((await apply()).application_id, '')
      else {
        const id = [...committed.keys()][(n * 7 + writer) % committed.size]!
        const note = `${writer}/${n}`
        await change(id, { note })
      }
      await Bun.sleep(random() * 20)
    }
  })
  const stored = async () =>
    (
      await sql<{ application_id: number; application_note: string | null }[]>`
      select application_id, application_note from application where program_id = ${program_id} order by submit_seq`
    ).map(row => ({ ...row }))
  let held: unknown[] = []
  let tag = '"none"'
  let nothing = 0
  let pages = 0
  const poll = async () => {
    const before = await stored()
    const response = await client.request({}, { 'If-None-Match': tag })
    const text = await response.text()
    if (response.status === 304) {
      nothing++
      // What was written after `before` was read may be in it already; all that was there before is.
      expect(held).toEqual(before)
    } else {
      pages++
      tag = response.headers.get('ETag')!
      held = (JSON.parse(text).payload as ExportedApplication[]).map(({ application_id, application_note }) => ({
        application_id,
        application_note,
      }))
    }
  }
  while (pages < 40 || nothing < 3) await poll()
  stopped = true
  await Promise.all(writing)
  await poll()
  await poll()
  expect(held).toEqual(await stored())
})
