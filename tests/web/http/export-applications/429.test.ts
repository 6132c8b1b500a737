import { describe, expect, test } from 'bun:test'
import { stalledReader } from '../../../support/bare-reader.ts'
import { ExportClient } from '../../../support/export-client.ts'
import { useExport } from '../../../support/fixtures.ts'
import { createTestKey, type TestKey } from '../../../support/keys.ts'
import { damageApplications, insertRawApplications, insertRawProgram } from '../../../support/raw-applications.ts'
import { until } from '../../../support/until.ts'

const slug = 'raw'
// 20 MB: more than the buffers of any socket take, so that a page that is not read stays under way.
const { database, service } = await useExport({
  slug,
  applications: 400,
  textOf: () => 'x'.repeat(50_000),
  config: { requestsPerMinute: 100, exportsAtATime: 2 },
})

const aKey = () => createTestKey(database.sql, { programs: [slug] })
const clientOf = (key: TestKey) => new ExportClient(service, key, slug)
const small = { pageSize: '1' }

/** An export of everything that is not read on once it has begun. */
const stalledExport = ({ authorization }: TestKey) =>
  stalledReader({ port: service.port, path: `/api/v1/admin/programs/${slug}/applications`, authorization })

describe('"Per key …: exports at a time (4). Over: 429 problem with Retry-After and RateLimit/RateLimit-Policy fields" (contract D23)', () => {
  test('refuses one too many, but not other keys, and a client that disconnects frees a place', async () => {
    const key = await aKey()
    const client = clientOf(key)
    const [first, second] = [await stalledExport(key), await stalledExport(key)]
    const refused = await client.request(small)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('Content-Type')).toBe('application/problem+json')
    expect(Number(refused.headers.get('Retry-After'))).toBeWithin(1, 61)
    expect(refused.headers.get('RateLimit-Policy')).toBe(
      '"requests";q=100;w=60, "exports";q=2;qu="concurrent-requests"',
    )
    expect(refused.headers.get('RateLimit')).toBe('"exports";r=0')
    expect(await refused.json()).toMatchObject({ status: 429, type: 'urn:tributary:problem:rate-limited' })
    expect(service.requestLine(refused.headers.get('X-Request-Id'))).toMatchObject({ reason: 'exports_at_a_time' })
    const { page, response } = await clientOf(await aKey()).page(small)
    expect(page.payload.length).toBe(1)
    expect(response.headers.get('RateLimit')).toStartWith('"requests";r=99;')
    first.socket.terminate()
    await until('a place to be free', async () => (await client.request(small)).status === 200)
    // A page that ended gives its place back at once; the other one is still held.
    for (let i = 0; i < 3; i++) expect((await client.page(small)).page.payload.length).toBe(1)
    second.socket.terminate()
  })

  test('frees the place of a failed page, so a broken database locks no key out', async () => {
    const client = clientOf(await aKey())
    const damaged = await insertRawProgram(database.sql, 'damaged')
    await insertRawApplications(database.sql, damaged, 3)
    await damageApplications(database.sql, damaged)
    const key = await createTestKey(database.sql, { programs: ['damaged'] })
    const failing = new ExportClient(service, key, 'damaged')
    for (let i = 0; i < 5; i++) expect((await failing.request()).status).toBe(500)
    for (let i = 0; i < 5; i++) expect((await client.request({ pageSize: '0' })).status).toBe(400)
    expect((await client.page(small)).page.payload.length).toBe(1)
  })
})
