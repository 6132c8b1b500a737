// The limits of a key over two processes on one port that share a Redis; and when that is gone.

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

/** 1 where the process counts for itself, as its metrics have it. */
const apart = async ({ health }: TestMain): Promise<number | undefined> =>
  (await readMetrics(health)).values.get('tributary_key_limits_apart')

const isThere = needs('redis')
const redis = await openedIf(isThere, useRedis)

describe.skipIf(!isThere)('with a Redis (contract D23)', () => {
  test('the limit applies to both processes together, or to each alone during an outage of Redis, which metric and log report', async () => {
    const settings = { REDIS_URL: redis.url, REQUESTS_PER_MINUTE: '8', REUSE_PORT: 'on' }
    const testMain = await startMain(database, settings)
    const services = [testMain, await startMain(database, { ...settings, PORT: new URL(testMain.url).port })]
    const allApart = async (value: number): Promise<boolean> =>
      (await Promise.all(services.map(apart))).every(reported => reported === value)
    await until('both to reach Redis', () => allApart(0))
    expect(await letIn(services, 20)).toBe(8)

    await redis.takeAway()
    await until('both to notice', () => allApart(1))
    expect(await letIn(services, 30)).toBeWithin(8, 17)
    for (const { log } of services)
      expect(log.filter(({ level, err }) => level === 'warn' && err !== undefined)).toHaveLength(1)

    await redis.bringBack()
    await until('both to be back', () => allApart(0))
    expect(await letIn(services, 20)).toBe(8)
  })
})

test('without Redis, each process counts on its own', async () => {
  const testMain = await startMain(database, { REQUESTS_PER_MINUTE: '3' })
  expect(await letIn([testMain], 5)).toBe(3)
  expect(await apart(testMain)).toBe(0)
})
