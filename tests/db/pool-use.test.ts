// What a pool reports of itself (patches/README.md, part 5).

import { expect, test } from 'bun:test'
import { useBareDatabase, usePool } from '../support/fixtures.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { until } from '../support/until.ts'

const database = await useBareDatabase()

const aPool = (connectionsMax: number, queueTimeoutMs = 0) => {
  const waits: number[] = []
  const sql = usePool({ url: database.url, connectionsMax, queueTimeoutMs, onWait: ms => waits.push(ms) })
  return { sql, waits }
}

test('the metrics count used, idle and waiting connections in each state', async () => {
  const { sql } = aPool(2)
  expect(sql.pool()).toEqual({ used: 0, idle: 0, waiting: 0 })
  await sql`select 1`
  await until('the connection to be idle', () => sql.pool().idle === 1)
  expect(sql.pool()).toEqual({ used: 0, idle: 1, waiting: 0 })
  const held = await Promise.all([1, 2].map(() => holdTransaction(sql)))
  expect(sql.pool()).toEqual({ used: 2, idle: 0, waiting: 0 })
  const waiting = [1, 2, 3].map(i => sql`select ${i}::int as i`.then(([row]) => row!.i))
  await until('three to wait', () => sql.pool().waiting === 3)
  for (const release of held) await release()
  expect(await Promise.all(waiting)).toEqual([1, 2, 3])
  await until('both to be idle', () => sql.pool().idle === 2)
  expect(sql.pool()).toEqual({ used: 0, idle: 2, waiting: 0 })
})

test('each statement reports its wait once, and in a transaction only its beginning waits', async () => {
  const { sql, waits } = aPool(1)
  await sql`select 1`
  waits.length = 0
  await sql`select 1`
  expect(waits).toHaveLength(1)
  await sql.begin(async tx => {
    await tx`select 1`
    await tx`select 2`
  })
  expect(waits).toHaveLength(2)
  for (const ms of waits) expect(ms).toBeGreaterThanOrEqual(0)
})

test('a statement sent on a busy connection waits until the previous statement ends', async () => {
  const { sql, waits } = aPool(1)
  await sql`select 1`
  waits.length = 0
  await Promise.all([sql`select pg_sleep(0.2)`, sql`select 1`])
  expect(waits).toHaveLength(2)
  const [first, second] = waits as [number, number]
  expect(second - first).toBeGreaterThan(150)
})

test('a statement that finds no free connection in time reports how long it waited', async () => {
  const { sql, waits } = aPool(1, 100)
  await sql`select 1`
  waits.length = 0
  const release = await holdTransaction(sql)
  const refused = await sql`select 1`.catch(error => (error as { code: string }).code)
  await release()
  expect(refused).toBe('CONNECTION_BUSY')
  expect(waits).toHaveLength(2)
  expect(waits[1]).toBeGreaterThanOrEqual(99)
})
