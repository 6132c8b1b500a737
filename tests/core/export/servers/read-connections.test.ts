// Which reads wait for which: long pages queue for their share of the connections, short ones find one that is kept for them.

import { expect, test } from 'bun:test'
import { Exports, PageBuffers } from '../../../../src/core/export/servers/exports.ts'
import { ReadConnections } from '../../../../src/core/export/servers/read-connections.ts'
import type { Sql } from '../../../../src/db/client.ts'
import { endWithTest, useDatabase, usePool } from '../../../support/fixtures.ts'
import { insertRawApplications, insertRawProgram } from '../../../support/raw-applications.ts'
import { failureOf } from '../../../support/refusal.ts'
import { until } from '../../../support/until.ts'
import { idsOf, limits, planOf, Reader, write } from '../page-reader.ts'

const database = await useDatabase()
const program = await insertRawProgram(database.sql, 'short-and-long')
const ids = await insertRawApplications(database.sql, program, 205)

/** A read that keeps its connection until it is let go. */
function aRead(log: string[] = [], name = '') {
  const held = Promise.withResolvers<void>()
  endWithTest(async () => held.resolve())
  const work = (sql: Sql) =>
    sql.begin(async tx => {
      await tx`select 1`
      log.push(name)
      await held.promise
    })
  return { work, end: held.resolve }
}

const connectionsOf = (connectionsMax: number, queueTimeoutMs = 0) => {
  const waits: number[] = []
  const onWait = (ms: number) => void waits.push(ms)
  const sql = usePool({ url: database.url, connectionsMax, queueTimeoutMs, onWait }, endWithTest)
  return { connections: new ReadConnections(sql, connectionsMax), sql, waits }
}

test.each([
  [3, 3],
  [4, 3],
  [8, 7],
  [16, 14],
])('of %p connections, long reads use %p, in the order of their requests', async (max, longMax) => {
  const { connections, sql } = connectionsOf(max)
  const log: string[] = []
  const names = Array.from({ length: longMax + 2 }, (_, i) => `long ${i}`)
  const reads = names.map(name => aRead(log, name))
  const done = reads.map(({ work }) => connections.read('long', work))
  await until('their share to be in use', () => log.length === longMax)
  expect([connections.reading, connections.holding, sql.pool().used]).toEqual([longMax + 2, longMax, longMax])
  if (longMax < max) expect(await connections.read('short', async its => (await its`select 7 as n`)[0]!.n)).toBe(7)
  expect(log).toHaveLength(longMax)
  for (const [i, name] of names.slice(longMax).entries()) {
    reads[i]!.end()
    await until('the next to follow', () => log.length === longMax + i + 1)
    expect(log.at(-1)).toBe(name)
  }
  for (const { end } of reads) end()
  await Promise.all(done)
  expect([connections.reading, connections.holding]).toEqual([0, 0])
})

test('a failed long read frees its place', async () => {
  const { connections } = connectionsOf(4)
  for (let i = 0; i < 5; i++)
    expect(await failureOf(connections.read('long', sql => sql`select 1 / 0`))).toMatchObject({ code: '22012' })
  expect(await connections.read('long', async sql => (await sql`select 7 as n`)[0]!.n)).toBe(7)
})

test('G14: a long read that waits too long is rejected like any statement, reports its wait, and leaves no place occupied', async () => {
  const { connections, waits } = connectionsOf(4, 50)
  const log: string[] = []
  const holding = [1, 2, 3].map(i => aRead(log, `long ${i}`))
  const held = holding.map(({ work }) => connections.read('long', work))
  await until('three to be held', () => log.length === 3)
  waits.length = 0
  const late = aRead(log, 'late')
  expect(await failureOf(connections.read('long', late.work))).toMatchObject({ code: 'CONNECTION_BUSY' })
  expect([waits.length, connections.reading]).toEqual([1, 3])
  for (const { end } of holding) end()
  await Promise.all(held)
  expect(log).not.toContain('late')
  expect(await connections.read('long', async sql => (await sql`select 7 as n`)[0]!.n)).toBe(7)
})

test('G14: a page of 100 is complete while every connection for long pages is in use and more long pages wait', async () => {
  const { sql } = connectionsOf(4)
  const exports = new Exports(sql, 4)
  const page = (pageSize: number, sink = new Reader()) => ({
    sink,
    done: write({
      plan: planOf(program, 205, pageSize),
      fills: program.fills,
      exports,
      sink,
      limits,
      buffers: new PageBuffers(2048, 4),
    }),
  })
  const log: string[] = []
  const holding = [1, 2, 3].map(i => aRead(log, `long ${i}`))
  const held = holding.map(({ work }) => exports.read('long', work))
  await until('three to be held', () => log.length === 3)
  const long = [page(101), page(205)]
  const short = page(100)
  expect((await short.done).outcome).toBe('complete')
  expect(idsOf(short.sink)).toEqual(ids.slice(0, 100))
  expect([exports.waiting, exports.holding, ...long.map(({ sink }) => sink.writes)]).toEqual([2, 3, 0, 0])
  for (const { end } of holding) end()
  await Promise.all(held)
  for (const { done } of long) expect((await done).outcome).toBe('complete')
  expect(long.map(({ sink }) => idsOf(sink))).toEqual([ids.slice(0, 101), ids])
  expect(exports.reading).toBe(0)
})
