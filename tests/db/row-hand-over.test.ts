// What the patched driver does with a statement that has `onRow`: rows are handed over where they lie, and nothing that happens
// to one statement reaches the next one on its connection.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import postgres from 'postgres'
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
  cursor(rows: number, endBatch: () => void): unknown
  more(rows: number): void
  close(): void
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
      const rows = batches[Math.min(++batch, batches.length - 1)]!
      if (rows === 0) query.close()
      else query.more(rows)
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

test('G9: another driver than the patched one is refused, since an export would find no rows with it and look complete', () => {
  const driver = postgres as unknown as { patch: string }
  const { patch } = driver
  driver.patch = 'another'
  try {
    expect(() => openDatabase({ url: database.url, connectionsMax: 1 })).toThrow('Run: bun install')
  } finally {
    driver.patch = patch
  }
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
    query.cursor(10, () => setImmediate(() => query.more(rows < 30 ? 10 : all)))
    const after = one`select 7 as n`
    await query
    expect(rows).toBe(50)
    expect(await after).toEqual([{ n: 7 }] as never)
  })

  test('batches asked for ahead, a close or an error at any row: what came is right, and the next statements are', async () => {
    const plan = fc.record({
      rows: fc.nat(60),
      first: fc.integer({ min: 1, max: 20 }),
      /** Rows of each batch asked for, and at which row it is asked for at the earliest; 0 closes. */
      asks: fc.array(
        fc.record({ at: fc.nat(60), rows: fc.oneof(fc.constantFrom(all, 0), fc.integer({ min: 1, max: 20 })) }),
        {
          maxLength: 8,
        },
      ),
      failsAt: fc.option(fc.integer({ min: 1, max: 60 })),
      prepared: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(plan, async ({ rows, first, asks, failsAt, prepared }) => {
        const text = 'select (i + 0 / ($1::int - i))::text from generate_series(1, $2::int) i'
        const query = one.unsafe(text, [failsAt ?? 0, rows], { prepare: prepared }) as unknown as RowStatement
        const pending = [...asks]
        let [seen, open, closed] = [0, 1, false]
        const ask = (): void => {
          const { rows: batch } = pending.shift() ?? { rows: all }
          if (batch === 0) {
            closed = true
            query.close()
          } else {
            open++
            query.more(batch)
          }
        }
        query.onRow = (bytes, at) => {
          seen++
          expect(bytes.toString('latin1', at + 11, at + 11 + bytes.readInt32BE(at + 7))).toBe(String(seen))
          if (!closed && pending.length > 0 && seen >= pending[0]!.at && open < 3) ask()
        }
        query.cursor(first, () => {
          open--
          if (!closed && open === 0) ask()
        })
        const error = await query.then(
          () => undefined,
          error => error as { code?: string },
        )
        const reachable = failsAt === null || failsAt > rows ? rows : failsAt - 1
        if (error !== undefined) expect([error.code, seen]).toEqual(['22012', reachable])
        else if (!closed) expect(seen).toBe(rows)
        else expect(seen).toBeLessThanOrEqual(reachable)
        await expectInOrder()
      }),
      { numRuns: 400 },
    )
  })
})
