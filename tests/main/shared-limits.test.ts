// The limits of a key over two services, one of them of two processes, that share a Redis; and when that is gone.

import { afterEach, describe, expect, test } from 'bun:test'
import { openedIf, useDatabase } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { readMetrics } from '../support/metrics.ts'
import { needs } from '../support/needs.ts'
import { endProcesses, startMain, type TestMain } from '../support/processes.ts'
import { useRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

const database = await useDatabase()
afterEach(endProcesses)

/** How many of many requests of a new key are let in, asked of each service in turn, each on a connection of its own. */
async function letIn(services: readonly TestMain[], most: number): Promise<number> {
  const { authorization } = await createTestKey(database.sql)
  let let_ = 0
  for (let i = 0; i < most; i++) {
    const headers = { Authorization: authorization, Connection: 'close' }
    const { status } = await fetch(`${services[i % services.length]!.url}/api/v1/checkAuth`, { headers })
    if (status === 200) let_++
    else expect(status).toBe(429)
  }
  return let_
}

/** Processes of a service that count for themselves, as its metrics have it. */
const apart = async ({ health }: TestMain): Promise<number | undefined> =>
  (await readMetrics(health)).values.get('tributary_key_limits_apart')

const isThere = needs('redis')
const redis = await openedIf(isThere, useRedis)

describe.skipIf(!isThere)('with a Redis (contract D23)', () => {
  test('the whole holds over all processes; without it each has its share, and metric and log say so; with it again, the whole', async () => {
    const settings = { REDIS_URL: redis.url, REQUESTS_PER_MINUTE: '8' }
    const two = await startMain(database, { ...settings, PROCESSES: '2' })
    const one = await startMain(database, settings)
    await until('both to reach Redis', async () => (await apart(two)) === 0 && (await apart(one)) === 0)
    expect(await letIn([two, one], 20)).toBe(8)

    await redis.takeAway()
    await until('all to notice', async () => (await apart(two)) === 2 && (await apart(one)) === 1)
    // A share of four each and one of eight, which is never more than that of each service.
    expect(await letIn([one], 12)).toBe(8)
    expect(await letIn([two], 30)).toBeWithin(4, 9)
    for (const { log } of [one, two])
      expect(log.filter(({ msg }) => String(msg).startsWith('Redis is away')).length).toBe(log === one.log ? 1 : 2)

    await redis.bringBack()
    await until('all to be back', async () => (await apart(two)) === 0 && (await apart(one)) === 0)
    expect(await letIn([one, two], 20)).toBe(8)
  })
})

test('without one, each process has its share, as ever', async () => {
  const one = await startMain(database, { REQUESTS_PER_MINUTE: '3' })
  expect(await letIn([one], 5)).toBe(3)
  expect(await apart(one)).toBe(0)
})
