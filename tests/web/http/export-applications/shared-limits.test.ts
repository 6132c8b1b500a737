// Pages while their keys are counted in Redis, alongside the reading: nothing of a page leaves before it is known that it may.

import { beforeAll, describe, expect, test } from 'bun:test'
import { createLog } from '../../../../src/base/log.ts'
import { ExportPlaces } from '../../../../src/core/keys/limits.ts'
import { CountingRedis } from '../../../../src/core/queue/counting-redis.ts'
import { ExportClient } from '../../../support/export-client.ts'
import { endWithFile, useDatabase, useService } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'
import { needs } from '../../../support/needs.ts'
import { insertRawApplications, insertRawProgram } from '../../../support/raw-applications.ts'
import { useRedis } from '../../../support/redis.ts'
import type { TestService } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const database = await useDatabase()

describe.skipIf(!needs('redis'))('D23: keys counted in one Redis by two services', () => {
  const counts: CountingRedis[] = []
  const services: TestService[] = []
  beforeAll(async () => {
    const redis = await useRedis()
    await insertRawApplications(database.sql, await insertRawProgram(database.sql, 'raw'), 200, () => 'x'.repeat(5000))
    for (let i = 0; i < 2; i++) {
      const whole = { requestsPerMinute: 6, exportsAtATime: 1 }
      const countingRedis = new CountingRedis(redis.url, createLog('fatal'))
      endWithFile(() => countingRedis.close())
      counts.push(countingRedis)
      services.push(await useService(database, whole, { countingRedis }))
    }
    await until('Redis to be reached', () => counts.every(({ away }) => !away))
  })

  const clientsOf = async () => {
    const key = await createTestKey(database.sql, { programs: ['raw'] })
    return { key, clients: services.map(service => new ExportClient(service, key, 'raw')) }
  }
  /** How many lines the audit log has on pages that a key was sent. */
  const sentTo = async (id: string): Promise<number> => {
    const [row] = await database.sql`
      select count(*)::int as lines from audit_event where actor = ${`key:${id}`} and action = 'applications_exported'`
    return row!.lines as number
  }

  test('are limited over both, and one request too many gets a 429 without an audit entry', async () => {
    const { key, clients } = await clientsOf()
    const left: (string | null)[] = []
    for (let i = 0; i < 6; i++) {
      const { response, page } = await clients[i % 2]!.page(i < 2 ? {} : { pageSize: '1' })
      expect(page.payload.length).toBe(i < 2 ? 200 : 1)
      left.push(/r=(\d+)/.exec(response.headers.get('RateLimit') ?? '')?.[1] ?? null)
    }
    expect(left).toEqual(['5', '4', '3', '2', '1', '0'])
    const sent = await until('the audit log to be written', async () =>
      (await sentTo(key.api_key_id)) === 6 ? 6 : undefined,
    )
    const asked: [Record<string, string>, Record<string, string>][] = [
      [{}, {}],
      [{}, { 'Accept-Encoding': 'zstd' }],
      [{ pageSize: '1' }, { 'Accept-Encoding': 'gzip' }],
      // What else is wrong is not reported before the quota.
      [{ pageSize: '0' }, {}],
    ]
    for (const [parameters, headers] of asked)
      for (const client of clients) {
        const refused = await client.request(parameters, headers)
        expect(refused.status).toBe(429)
        expect(refused.headers.get('RateLimit')).toStartWith('"requests";r=0;')
        expect(refused.headers.get('Content-Encoding')).toBeNull()
        expect(await refused.json()).toMatchObject({ status: 429 })
      }
    expect(await sentTo(key.api_key_id)).toBe(sent)
  })

  test('also have the rate limit headers on HEAD and 304', async () => {
    const { key, clients } = await clientsOf()
    const { response } = await clients[0]!.page({ pageSize: '1' })
    const tag = response.headers.get('ETag')!
    const same = await clients[1]!.request({ pageSize: '1' }, { 'If-None-Match': tag })
    const head = await services[0]!.get('/api/v1/admin/programs/raw/applications', {
      method: 'HEAD',
      headers: { Authorization: key.authorization },
    })
    const leftOf = ({ headers }: Response): string => /r=(\d+)/.exec(headers.get('RateLimit')!)![1]!
    expect([same.status, leftOf(same), head.status, leftOf(head)]).toEqual([304, '4', 200, '3'])
  })

  test('have a place taken on one service by an export on the other until it ends', async () => {
    const { key, clients } = await clientsOf()
    const held = new ExportPlaces(1, counts[0]).begin(key.api_key_id)!
    expect(await held.free).toBe(true)
    const refused = await clients[1]!.request()
    expect([refused.status, refused.headers.get('RateLimit')]).toEqual([429, '"exports";r=0'])
    expect(services[1]!.requestLine(refused.headers.get('X-Request-Id'))).toMatchObject({ reason: 'exports_at_a_time' })
    // Changes with their applications and receipts take a place as a page does.
    const another = await clientsOf()
    const walk = (await another.clients[0]!.page()).response.headers.get('Walk-Token')
    for (const path of ['changes?after=0&include=application&pageSize=1', `receipt?walk=${walk}`]) {
      const headers = { Authorization: key.authorization }
      expect((await services[1]!.get(`/api/v1/admin/programs/raw/${path}`, { headers })).status).toBe(429)
    }
    held.end()
    // A page that was refused has given its place back, and one that has ended too.
    for (const client of [clients[1]!, clients[0]!])
      await until('a place', async () => (await client.request({ pageSize: '1' })).status === 200)
  })
})
