import { expect, test } from 'bun:test'
import { readKeyExpiries } from '../../../src/db/keys/api-key-rows.ts'
import { Metrics } from '../../../src/http/server/metrics.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'

const day = 86_400_000_000

test('keys that expire soon are counted whenever metrics are read; without a database the count is left out, and the rest is there', async () => {
  const database = await useDatabase()
  const metrics = new Metrics()
  let reachable = true
  metrics.watchKeys(() => (reachable ? readKeyExpiries(database.sql) : Promise.reject(new Error('no database'))))
  const now = Date.now() * 1000
  for (const [expiresAt, retiredAt] of [
    [now + 5 * day],
    [now + 20 * day],
    [now + 60 * day],
    [now - 0.5 * day],
    [now + 5 * day, now],
  ] as const)
    await createTestKey(database.sql, { expiresAt, ...(retiredAt === undefined ? {} : { retiredAt }) })
  const counted = (await metrics.exposition()).text
  expect(counted).toContain('tributary_api_keys_expiring{within="30d"} 2\n')
  expect(counted).toContain('tributary_api_keys_expiring{within="7d"} 1\n')
  reachable = false
  const rest = (await metrics.exposition()).text
  expect(rest).not.toContain('tributary_api_keys_expiring{')
  expect(rest).toContain('tributary_open_requests')
})
