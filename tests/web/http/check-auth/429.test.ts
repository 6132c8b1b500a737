import { describe, expect, test } from 'bun:test'
import { parseSubnet, type Subnet } from '../../../../src/domain/values/ip-address.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { createTestKey, type TestKey } from '../../../support/keys.ts'
import type { startTestService, TestService } from '../../../support/service.ts'

const path = '/api/v1/checkAuth'
const database = await useDatabase()
const key = await createTestKey(database.sql)

async function withService(
  overrides: Parameters<typeof startTestService>[1],
  act: (get: (authorization?: string, from?: string) => Promise<Response>, service: TestService) => Promise<void>,
): Promise<void> {
  const trustedProxies = [parseSubnet('127.0.0.0/8') as Subnet]
  const service = await useService(database, { trustedProxies, ...overrides })
  await act(
    (authorization, from = '192.0.2.1') =>
      service.get(path, {
        headers: {
          'X-Forwarded-For': from,
          'X-Forwarded-Proto': 'https',
          ...(authorization === undefined ? {} : { Authorization: authorization }),
        },
      }),
    service,
  )
}

async function statuses(count: number, get: () => Promise<Response>): Promise<number[]> {
  const seen = []
  for (let i = 0; i < count; i++) seen.push((await get()).status)
  return seen
}

describe('"Failed authentications are throttled per address; a valid key from an allowed address is never locked out." (contract section 3)', () => {
  test('beyond the limit a failing request gets 429 with Retry-After, and the valid key alongside it 200', () =>
    withService({ authFailuresPerMinute: 3 }, async (get, service) => {
      expect(await statuses(5, () => get('Basic eDp5'))).toEqual([401, 401, 401, 429, 429])
      expect(await statuses(3, () => get(key.authorization))).toEqual([200, 200, 200])
      const refused = await get()
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
      expect(refused.headers.get('www-authenticate')).toBeNull()
      expect(await refused.json()).toMatchObject({
        type: 'urn:tributary:problem:rate-limited',
        status: 429,
        errors: [],
      })
      expect(service.requestLine(refused.headers.get('x-request-id'))).toMatchObject({ reason: 'no_header' })
    }))

  test('a program that was not granted is no failed authentication: such a key is never throttled for it', () =>
    withService({ authFailuresPerMinute: 1 }, async (_, service) => {
      const other = '/api/v1/admin/programs/not-granted/applications'
      const headers = { Authorization: key.authorization, 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.1' }
      expect(await statuses(3, () => service.get(other, { headers }))).toEqual([401, 401, 401])
    }))
})

describe('"Per key …: requests a minute …. Over: 429 problem with Retry-After and RateLimit/RateLimit-Policy fields" (contract D23)', () => {
  test('what is left is sent with each answer; one too many is refused; other keys are not', () =>
    withService({ requestsPerMinute: 2, exportsAtATime: 4 }, async (get, service) => {
      const policy = '"requests";q=2;w=60, "exports";q=4;qu="concurrent-requests"'
      const first = await get(key.authorization)
      expect(first.headers.get('ratelimit-policy')).toBe(policy)
      expect(first.headers.get('ratelimit')).toMatch(/^"requests";r=1;t=(59|60)$/)
      expect((await get(key.authorization)).headers.get('ratelimit')).toStartWith('"requests";r=0;t=')
      const refused = await get(key.authorization)
      expect(refused.status).toBe(429)
      expect(refused.headers.get('ratelimit-policy')).toBe(policy)
      expect(refused.headers.get('ratelimit')).toBe(`"requests";r=0;t=${refused.headers.get('retry-after')}`)
      expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
      const line = service.requestLine(refused.headers.get('x-request-id'))
      expect(line).toMatchObject({ api_key_id: key.api_key_id, reason: 'requests_per_minute' })
      const other = await createTestKey(database.sql)
      expect((await get(other.authorization)).status).toBe(200)
    }))

  test('a key beyond its quota waits for each refusal, so that one that floods takes little from the others', () =>
    withService({ requestsPerMinute: 1 }, async (get, service) => {
      const own = await createTestKey(database.sql)
      await get(own.authorization)
      const refused = await Promise.all([1, 2, 3].map(() => get(own.authorization)))
      expect(refused.map(({ status }) => status)).toEqual([429, 429, 429])
      for (const { headers } of refused)
        expect(Number(service.requestLine(headers.get('x-request-id'))?.duration_ms)).toBeGreaterThanOrEqual(99)
    }))

  test('what is refused for want of a grant or of a right counts like what is answered', () =>
    withService({ requestsPerMinute: 3 }, async (_, service) => {
      const ask = async (method: string, path: string): Promise<number> => {
        const headers = {
          Authorization: own.authorization,
          'X-Forwarded-Proto': 'https',
          'X-Forwarded-For': '192.0.2.1',
        }
        return (await service.get(path, { method, headers })).status
      }
      let own: TestKey
      for (const [method, path] of [
        ['GET', '/api/v1/admin/programs/not-granted/applications'],
        ['GET', '/docs/api/programs/not-granted'],
        ['GET', '/intake/v1/programs/not-granted'],
        ['POST', '/intake/v1/applicants'],
      ] as const) {
        own = await createTestKey(database.sql)
        expect([await ask(method, path), await ask(method, path), await ask(method, path)]).toEqual([401, 401, 401])
        expect([path, await ask(method, path)]).toEqual([path, 429])
      }
    }))

  test('a 401 carries none of these fields: they would distinguish a key that works from one that does not', () =>
    withService({ requestsPerMinute: 10, exportsAtATime: 4 }, async (_, service) => {
      const headers = { Authorization: key.authorization, 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.1' }
      const response = await service.get('/api/v1/admin/programs/not-granted/applications', { headers })
      expect(response.status).toBe(401)
      expect([...response.headers.keys()].filter(name => name.includes('ratelimit'))).toEqual([])
    }))
})
