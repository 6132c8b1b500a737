import { expect, test } from 'bun:test'
import { watchMaintenance } from '../../../../src/core/metrics/database-metrics.ts'
import { watchTraces } from '../../../../src/core/metrics/trace-metrics.ts'
import { disableApiKeyRow, readKeyExpiries } from '../../../../src/db/keys/api-key-rows.ts'
import { Metrics } from '../../../../src/web/http/server/metrics.ts'
import { useDatabase } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'

const day = 86_400_000_000

test('keys that expire soon are counted whenever metrics are read, and without a database only this count is left out', async () => {
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
  const disabled = await createTestKey(database.sql, { expiresAt: now + 5 * day })
  await disableApiKeyRow(database.sql, disabled.api_key_id, now, 'operator:test')
  const counted = (await metrics.exposition()).text
  expect(counted).toContain('tributary_api_keys_expiring{within="30d"} 2\n')
  expect(counted).toContain('tributary_api_keys_expiring{within="7d"} 1\n')
  reachable = false
  const rest = (await metrics.exposition()).text
  expect(rest).not.toContain('tributary_api_keys_expiring{')
  expect(rest).toContain('tributary_open_requests')
})

test('values read at each scrape are current: nothing accumulates, and unknown or missing values are left out', async () => {
  const metrics = new Metrics()
  metrics.watch({ exports: { holding: 1, waiting: 2, released: 3, reopened: 4 }, auditLog: { waiting: 6 }, fileSpace: { read: async () => 5 } })
  watchTraces(metrics, { exported: 8, dropped: 9 })
  let unfinished: { job: string; state: string; things: number }[] | undefined = [{ job: 'key-map', state: 'failed', things: 7 }]
  watchMaintenance(metrics, async () => {
    if (unfinished === undefined) throw new Error('no database')
    const [derived, audit] = [{ unfinished, oldestSeconds: 0 }, { errors: 0, checkedSeconds: undefined }]
    return { outbox: { jobs: 1, oldestSeconds: 2 }, derived, workers: 3, audit, setBackSeconds: undefined, webhooks: {} }
  })
  metrics.pools.watch('x', onWait => {
    onWait(1500)
    return { options: { max: 9 }, pool: () => ({ used: 1, idle: 2, waiting: 3 }) } as never
  })
  const read = async () => {
    const lines = (await metrics.exposition()).text.split('\n')
    const values = lines.filter(line => /^tributary_(cursors|spans|derived_unf|workers|unavailable|pool_(wait_seconds_sum|conn|waiting))/.test(line))
    return values.map(line => line.slice('tributary_'.length)).toSorted()
  }
  await read()
  metrics.begin()
  metrics.end({ route: 'x', status: 503, outcome: 'failed', seconds: 1, isPage: false, reason: 'database_57P01' })
  const always = ['cursors_released_total 3', 'cursors_reopened_total 4', 'pool_connections_max{pool="x"} 9', 'pool_connections{pool="x",state="idle"} 2', 'pool_connections{pool="x",state="used"} 1', 'pool_wait_seconds_sum{pool="x"} 1.5', 'pool_waiting{pool="x"} 3', 'spans_dropped_total 9', 'spans_exported_total 8', 'unavailable_total{reason="database"} 1']
  const known = [...always, 'workers 3']
  expect(await read()).toEqual([...known, 'derived_unfinished{job="key-map",state="failed"} 7'].toSorted())
  unfinished = []
  expect(await read()).toEqual(known.toSorted())
  unfinished = undefined
  expect(await read()).toEqual(always.toSorted())
}) // biome-ignore format: side by side
