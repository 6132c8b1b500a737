// The deadlines of a database connection (contract G14): how long it may say nothing while it owes an answer, and how long a
// statement may wait for one.

import { beforeEach, expect, test } from 'bun:test'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { endWithTest, useDatabase } from '../support/fixtures.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { failureOf } from '../support/refusal.ts'
import { type SilentProxy, useSilentProxy } from '../support/silent-proxy.ts'
import { until } from '../support/until.ts'

/** Beyond what a busy machine takes for a statement. */
const silenceTimeoutMs = 700
let proxy: SilentProxy
let sql: Sql
const database = await useDatabase()
beforeEach(async () => {
  proxy = await useSilentProxy(database.url)
  sql = openDatabase({
    url: proxy.url,
    connectionsMax: 1,
    silenceTimeoutMs,
    queueTimeoutMs: 1000,
    applicationName: 'silence',
  })
  endWithTest(() => sql.end({ timeout: 0 }))
  await sql`select 1`
})

const codeOf = async (work: PromiseLike<unknown>) => (await failureOf(work))?.code ?? 'done'

test('a silent connection is closed, even while statements keep being sent on it', async () => {
  proxy.fallSilent()
  const codes: unknown[] = []
  let asked = 0
  // Each is written after the one before, on the same connection.
  await until('the first to fail', async () => {
    asked++
    void codeOf(sql`select 1`).then(code => codes.push(code))
    return codes.length > 0
  })
  await until('all to fail', () => codes.length === asked)
  expect(codes[0]).toBe('CONNECTION_SILENT')
  proxy.speak()
  await until('a new connection', async () => (await codeOf(sql`select 1`)) === 'done')
  expect(proxy.made()).toBeGreaterThan(1)
})

test('a silence in the middle of a response counts too', async () => {
  proxy.fallSilent(50_000)
  expect(await codeOf(sql`select repeat('x', 1000) from generate_series(1, 1000)`)).toBe('CONNECTION_SILENT')
})

test('a transaction that falls silent is abandoned', async () => {
  const work = sql.begin(async tx => {
    await tx`select 1`
    proxy.fallSilent()
    await tx`select 2`
  })
  // The closing connection reports its end.
  expect(await codeOf(work)).toBe('CONNECTION_CLOSED')
})

test('a slow cursor reader, a transaction without statements and an idle connection do not count as silent', async () => {
  const aWhile = () => database.sql`select pg_sleep(${(silenceTimeoutMs * 1.5) / 1000})`
  const seen: number[] = []
  await sql`select n from generate_series(1, 6) as n`.cursor(2, async rows => {
    if (seen.length === 2) await aWhile()
    seen.push(...rows.map(row => row.n as number))
  })
  expect(seen).toEqual([1, 2, 3, 4, 5, 6])
  const [row] = await sql.begin(async tx => {
    await tx`select 1`
    await aWhile()
    return tx`select 2 as n`
  })
  expect(row!.n).toBe(2)
  await aWhile()
  expect((await sql`select 3 as n`)[0]!.n).toBe(3)
  expect(proxy.made()).toBe(1)
})

test('statements that wait too long for a connection fail, oldest first, and the others are served', async () => {
  const release = await holdTransaction(sql)
  const ended: string[] = []
  const waiting = ['first', 'second'].map(async name => ended.push(`${name} ${await codeOf(sql`select 1`)}`))
  await Promise.all(waiting)
  expect(ended).toEqual(['first CONNECTION_BUSY', 'second CONNECTION_BUSY'])
  const third = codeOf(sql`select 1`)
  await release()
  expect(await third).toBe('done')
})
