// What the patched driver does with a statement that has `onRow`: rows are handed over where they lie, and nothing that happens
// to one statement reaches the next one on its connection.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let one: Sql
beforeAll(async () => {
  database = await createTestDatabase()
  one = openDatabase({ url: database.url, connectionsMax: 1 })
})
afterAll(async () => {
  await one.end()
  await database.drop()
})

interface RowStatement extends PromiseLike<unknown> {
  onRow: (bytes: Buffer, at: number) => void
  cursorRows: number
  cursor(rows: number, endBatch: () => unknown): unknown
}

/** Reads a statement of one text column through `onRow`, in batches of the sizes given; the last goes on for all batches to come. */
async function readTexts(statement: unknown, batches: readonly number[]): Promise<string[]> {
  const texts: string[] = []
  const query = statement as RowStatement
  query.onRow = (bytes, at) => {
    const length = bytes.readInt32BE(at + 7)
    texts.push(bytes.toString('utf8', at + 11, at + 11 + length))
  }
  if (batches.length > 0) {
    let batch = 0
    query.cursor(batches[0]!, () => {
      query.cursorRows = batches[Math.min(++batch, batches.length - 1)]!
      return query.cursorRows === 0 ? one.CLOSE : undefined
    })
  }
  await query
  return texts
}

/** That the connection answers what it is asked, several times, so that an answer too many would show. */
async function expectInOrder(): Promise<void> {
  for (const n of [1, 2, 3]) expect(await one`select ${n}::int as n`).toEqual([{ n }] as never)
}

const all = Number.POSITIVE_INFINITY

describe('rows handed over where they lie', () => {
  const text = (i: number): string => `${i}:${'ä'.repeat((i * 7919) % 9000)}`

  test('are whole and in order, however the pieces that the socket gives cut them', async () => {
    for (const batches of [[], [1, 100], [100], [7, 500, all], [300, all], [299, all], [301, all]]) {
      const rows = one`select i || ':' || repeat('ä', (i * 7919) % 9000) from generate_series(1, 300) i`
      expect(await readTexts(rows, batches)).toEqual(Array.from({ length: 300 }, (_, i) => text(i + 1)))
      await expectInOrder()
    }
  })

  test('larger than any piece', async () => {
    const rows = one`select repeat(chr(64 + i), 3000000) from generate_series(1, 4) i`
    const texts = await readTexts(rows, [2, all])
    expect(texts.map(t => [t.length, t[0], t.at(-1)])).toEqual(['A', 'B', 'C', 'D'].map(c => [3_000_000, c, c]))
    await expectInOrder()
  })

  test('are the columns in binary, for this statement and no other', async () => {
    const seen: string[] = []
    const query = one`select 258::bigint as a, true as b` as unknown as RowStatement
    query.onRow = (bytes, at) => void seen.push(bytes.toString('hex', at + 7, at + 24))
    await query
    expect(seen).toEqual(['00000008000000000000010200000001' + '01'])
    expect(await one`select 258::bigint as a, true as b`).toEqual([{ a: 258, b: true }] as never)
  })
})

describe('what happens to a statement ends with it', () => {
  const failing = () => one`select 'x' || 1 / (5 - i) from generate_series(1, 10) i`

  test.each([[[]], [[2, 2]], [[3, all]], [[4, all]], [[5]]])('an error, batches %p', async batches => {
    const failed = readTexts(failing(), batches as number[])
    await expect(failed).rejects.toMatchObject({ code: '22012' })
    await expectInOrder()
  })

  test('rows that nobody wants any more', async () => {
    const rows = one`select 'x' || i from generate_series(1, 1000) i`
    expect(await readTexts(rows, [10, 20, 0])).toHaveLength(30)
    await expectInOrder()
  })

  test('a batch answered late, with other statements waiting', async () => {
    const query = one`select 'x' || i from generate_series(1, 50) i` as unknown as RowStatement
    let rows = 0
    query.onRow = () => void rows++
    query.cursor(10, async () => {
      await new Promise(resolve => setImmediate(resolve))
      query.cursorRows = rows < 30 ? 10 : all
    })
    const after = one`select 7 as n`
    await query
    expect(rows).toBe(50)
    expect(await after).toEqual([{ n: 7 }] as never)
  })
})
