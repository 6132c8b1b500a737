import { describe, expect, test } from 'bun:test'
import { disableApiKey, enableApiKey, retireApiKey } from '../../../../src/core/keys/api-keys.ts'
import { parseSubnet, type Subnet } from '../../../../src/domain/values/ip-address.ts'
import { testCertificate } from '../../../support/certificate.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'
import { until } from '../../../support/until.ts'

const dayMicros = 86_400_000_000
const now = Date.UTC(2026, 5, 1, 12) * 1000

const database = await useDatabase()
const service = await useService(database, { timeZone: 'America/New_York' }, { now: () => now })

const loopback = parseSubnet('127.0.0.0/8') as Subnet
const path = '/api/v1/checkAuth'
const check = (authorization: string, init: RequestInit = {}, on = service) =>
  on.get(path, { ...init, headers: { Authorization: authorization, ...(init.headers as Record<string, string>) } })
const makeKey = (options: Parameters<typeof createTestKey>[1] = {}) =>
  createTestKey(database.sql, { createdAt: now - dayMicros, ...options })

describe('"status 200 when the key is valid" (spec, "Check credentials")', () => {
  test('"JSON: key id, key name, expiry, granted program slugs" (contract D5)', async () => {
    const key = await makeKey({
      name: 'Payroll – Ünïcödé',
      programs: ['rent-aid', 'child-care', 'a-b', 'ab'],
      expiresAt: Date.UTC(2026, 5, 20, 3, 59, 59) * 1000 + 999_999,
    })
    const response = await check(key.authorization)
    expect(response.status).toBe(200)
    // Over plain HTTP, as here in development, it would mean nothing.
    expect(response.headers.get('strict-transport-security')).toBeNull()
    expect(response.headers.get('content-type')).toStartWith('application/json')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({
      api_key_id: key.api_key_id,
      name: 'Payroll – Ünïcödé',
      expires_at: '2026-06-19T23:59:59-04:00',
      programs: ['a-b', 'ab', 'child-care', 'rent-aid'],
      notice: expect.stringMatching(/\b21\b/),
    })
  })

  test('a notice warns about a key that expires within 21 days', async () => {
    const noticeOf = async (expiresAt: number) => {
      const response = await check((await makeKey({ expiresAt })).authorization)
      return ((await response.json()) as { notice: string | null }).notice
    }
    expect(await noticeOf(now + 21 * dayMicros)).toContain('expires within 21 days')
    expect(await noticeOf(now + 21 * dayMicros + 1)).toBeNull()
  })

  test('HEAD has the same header fields and no body (contract D25), also for a key that may only submit', async () => {
    const key = await makeKey({ mayExport: false, maySubmit: true })
    const got = await check(key.authorization)
    const head = await check(key.authorization, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    for (const name of ['content-type', 'content-length', 'cache-control'])
      expect(head.headers.get(name)).toBe(got.headers.get(name)!)
  })

  test('over TLS that the service itself ends, in production', async () => {
    const secure = await useService(database, { environment: 'production' }, { tls: testCertificate, now: () => now })
    const key = await makeKey()
    const response = await check(key.authorization, { tls: { rejectUnauthorized: false } } as RequestInit, secure)
    expect(response.status).toBe(200)
    expect(secure.baseUrl).toStartWith('https:')
    expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000')
  })

  test('behind a trusted proxy, with the address that the proxy reports (contract section 3)', async () => {
    const proxied = await useService(
      database,
      { environment: 'production', trustedProxies: [loopback] },
      { now: () => now },
    )
    const key = await makeKey({ allowedSubnets: ['2001:db8::/32'] })
    const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '203.0.113.1, 2001:DB8::0:7' }
    const response = await check(key.authorization, { headers }, proxied)
    expect(response.status).toBe(200)
    expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000')
    expect(proxied.requestLine(response.headers.get('x-request-id'))).toMatchObject({
      address: '2001:db8::7',
      peer: '127.0.0.1',
      api_key_id: key.api_key_id,
    })
  })
})

describe('"Retiring or editing takes effect on every instance within 1 s" (contract section 3)', () => {
  const by = { actor: 'admin:kim', now }

  test('disabling, enabling and retiring, with the next request', async () => {
    const other = await useService(database, {}, { now: () => now })
    const key = await makeKey()
    const statuses = async () => {
      const responses = await Promise.all([service, other].map(instance => check(key.authorization, {}, instance)))
      return responses.map(({ status }) => status)
    }
    await disableApiKey(database.sql, key.api_key_id, by)
    expect(await statuses()).toEqual([401, 401])
    await enableApiKey(database.sql, key.api_key_id, by)
    expect(await statuses()).toEqual([200, 200])
    await retireApiKey(database.sql, key.api_key_id, by)
    expect(await statuses()).toEqual([401, 401])
  })
})

describe('the last use of a key', () => {
  const lastUse = async (id: string) => {
    const [row] = await database.sql<{ last_used_at: number | null; last_used_address: string | null }[]>`
      select last_used_at, host(last_used_address) as last_used_address from api_key where api_key_id = ${id}`
    return row!
  }
  const lastUseAt = (id: string, at: number) =>
    until('the last use', async () => (await lastUse(id)).last_used_at === at && lastUse(id))

  test('never delays a request: the answer comes while the row is locked', async () => {
    const key = await makeKey()
    await database.sql.begin(async tx => {
      await tx`select api_key_id from api_key where api_key_id = ${key.api_key_id} for update`
      expect((await check(key.authorization)).status).toBe(200)
      expect((await lastUse(key.api_key_id)).last_used_at).toBeNull()
    })
    expect((await lastUseAt(key.api_key_id, now)).last_used_address).toBe('127.0.0.1')
  })

  test('never fails a request', async () => {
    const own = await useDatabase()
    const broken = await useService(own, {}, { now: () => now })
    await own.sql`
      create function refuse_use() returns trigger language plpgsql as 'begin raise exception $$no room$$; end'`
    await own.sql`create trigger refuse_use before update on api_key for each row execute function refuse_use()`
    const key = await createTestKey(own.sql, { createdAt: now - dayMicros })
    expect((await check(key.authorization, {}, broken)).status).toBe(200)
    const line = await until('the warning', () => broken.logLines.find(entry => entry.level === 'warn'))
    expect(line).toMatchObject({ api_key_id: key.api_key_id })
  })
})
