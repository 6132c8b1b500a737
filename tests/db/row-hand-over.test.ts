// What the patched driver does with a statement that has `onRow`: rows are handed over where they lie, and nothing that happens
// to one statement reaches the next one on its connection.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import postgres, { type PendingQuery, type Row } from 'postgres'
import { openDatabase } from '../../src/db/client.ts'
import { useDatabase, usePool } from '../support/fixtures.ts'

const database = await useDatabase()
const single = usePool({ url: database.url, connectionsMax: 1 })

/** Reads a statement of one text column through `onRow`, in batches of the sizes given; the last continues for all batches to come. */
async function readTexts(
  query: PendingQuery<Row[]>,
  batches: readonly number[],
  noteRow: () => void = () => {},
): Promise<string[]> {
  const texts: string[] = []
  query.onRow = (bytes, at) => {
    noteRow()
    const length = bytes.readInt32BE(at + 7)
    texts.push(bytes.toString('utf8', at + 11, at + 11 + length))
  }
  if (batches.length > 0) {
    let batch = 0
    void query.cursor(batches[0]!, () => {
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
  for (const n of [1, 2, 3]) expect(await single`select ${n}::int as n`).toEqual([{ n }] as never)
}

const all = Number.POSITIVE_INFINITY
const thrown = 'thrown by the reader'

describe('rows passed in place', () => {
  const text = (i: number): string => `${i}:${'ä'.repeat((i * 7919) % 9000)}`

  test('are complete and in order, however the socket divides them', async () => {
    for (const batches of [[], [1, 100], [100], [7, 500, all], [300, all], [299, all], [301, all]]) {
      const rows = single`select i || ':' || repeat('ä', (i * 7919) % 9000) from generate_series(1, 300) i`
      expect(await readTexts(rows, batches)).toEqual(Array.from({ length: 300 }, (_, i) => text(i + 1)))
      await expectInOrder()
    }
  })

  test('may be larger than any piece', async () => {
    const rows = single`select repeat(chr(64 + i), 3000000) from generate_series(1, 4) i`
    const texts = await readTexts(rows, [2, all])
    expect(texts.map(t => [t.length, t[0], t.at(-1)])).toEqual(['A', 'B', 'C', 'D'].map(c => [3_000_000, c, c]))
    await expectInOrder()
  })

  test('have binary columns for this statement only', async () => {
    const seen: string[] = []
    const query = single`select 258::bigint as a, true as b`
    query.onRow = (bytes, at) => void seen.push(bytes.toString('hex', at + 7, at + 24))
    await query
    expect(seen).toEqual(['00000008000000000000010200000001' + '01'])
    expect(await single`select 258::bigint as a, true as b`).toEqual([{ a: 258, b: true }] as never)
  })
})

test('G9: an unpatched driver is refused, because an export would find no rows and look complete', () => {
  const driver = postgres as unknown as { patch: string }
  const { patch } = driver
  driver.patch = 'another'
  try {
    expect(() => openDatabase({ url: database.url, connectionsMax: 1 })).toThrow('bun install')
  } finally {
    driver.patch = patch
  }
})

describe('an error affects only its own statement', () => {
  const failing = () => single`select 'x' || 1 / (5 - i) from generate_series(1, 10) i`

  test.each([[[]], [[2, 2]], [[3, all]], [[4, all]], [[5]]])('an error, with batches of %p', async batches => {
    const failed = readTexts(failing(), batches as number[])
    await expect(failed).rejects.toMatchObject({ code: '22012' })
    await expectInOrder()
  })

  test('rows that are no longer wanted', async () => {
    const rows = single`select 'x' || i from generate_series(1, 1000) i`
    expect(await readTexts(rows, [10, 20, 0])).toHaveLength(30)
    await expectInOrder()
  })

  test('a batch requested late while other statements wait', async () => {
    const query = single`select 'x' || i from generate_series(1, 50) i`
    let rows = 0
    query.onRow = () => void rows++
    query.cursor(10, () => setImmediate(() => query.more(rows < 30 ? 10 : all)))
    const after = single`select 7 as n`
    await query
    expect(rows).toBe(50)
    expect(await after).toEqual([{ n: 7 }] as never)
  })

  test('G15: closing without a cursor sends nothing, and the next statements receive their own results', async () => {
    const query = single`select 'x' || i from generate_series(1, 10) i`
    let rows = 0
    query.onRow = () => {
      if (++rows === 3) query.close()
    }
    await query
    expect(rows).toBe(10)
    await expectInOrder()
  })

  test('G15: a statement rejects with what its reader throws, at any row or at the end of a batch', async () => {
    for (const throwsAt of [1, 2, 7, 1000]) {
      for (const batches of [[], [3, 3], [400, all]]) {
        let rows = 0
        const reading = readTexts(single`select 'x' || i from generate_series(1, 1000) i`, batches, () => {
          if (++rows >= throwsAt) throw new Error(`row ${rows}`)
        })
        await expect(reading).rejects.toThrow(`row ${throwsAt}`)
        expect(rows).toBe(throwsAt)
        await expectInOrder()
      }
    }
    for (const fail of [
      () => {
        throw new Error('batch ends')
      },
      () => Promise.reject(new Error('batch ends')),
    ]) {
      const query = single`select 'x' || i from generate_series(1, 1000) i`
      query.onRow = () => {}
      query.cursor(5, fail)
      await expect(Promise.resolve(query)).rejects.toThrow('batch ends')
      await expectInOrder()
    }
  })

  test('a cursor whose plan is outdated, and that fails again with a new plan, rejects', async () => {
    await single`create table changing (a int)`
    const read = () => single`select *, 1 / a from changing where a <> ${1}`.cursor(2, () => {})
    await read()
    // The kept plan no longer fits, and the new one meets a row that it cannot divide by.
    await single`alter table changing add column b text`
    await single`insert into changing values (0)`
    await expect(read()).rejects.toMatchObject({ code: '0A000' })
    await expectInOrder()
    await single`drop table changing`
  })

  test('G15: with or without a cursor, after a close, an error or a throwing reader at any row, all rows are right, and so are the next statements', async () => {
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
      cursor: fc.boolean(),
      readerThrowsAt: fc.option(fc.integer({ min: 1, max: 60 })),
    })
    await fc.assert(
      fc.asyncProperty(plan, async ({ rows, first, asks, failsAt, prepared, cursor, readerThrowsAt }) => {
        const text = 'select (i + 0 / ($1::int - i))::text from generate_series(1, $2::int) i'
        const query = single.unsafe(text, [failsAt ?? 0, rows], { prepare: prepared })
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
          if (++seen === readerThrowsAt) throw new Error(thrown)
          expect(bytes.toString('latin1', at + 11, at + 11 + bytes.readInt32BE(at + 7))).toBe(String(seen))
          if (!closed && pending.length > 0 && seen >= pending[0]!.at && open < 3) ask()
        }
        if (cursor)
          void query.cursor(first, () => {
            open--
            if (!closed && open === 0) ask()
          })
        const reading = query.then(
          () => undefined,
          error => error as { code?: string; message: string },
        )
        // Written to the same connection at once, if that takes it.
        const other = single`select ${rows}::int as rows`.then(
          answer => answer as unknown,
          error => error.code as unknown,
        )
        const error = await reading
        const reachable = failsAt === null || failsAt > rows ? rows : failsAt - 1
        const gaveUp = error?.message === thrown
        expect([[{ rows }], ...(gaveUp ? ['CONNECTION_CLOSED'] : [])]).toContainEqual((await other) as never)
        if (gaveUp) expect(seen).toBe(readerThrowsAt as number)
        else if (error !== undefined) expect([error.code, seen]).toEqual(['22012', reachable])
        else if (!closed || !cursor) expect(seen).toBe(rows)
        else expect(seen).toBeLessThanOrEqual(reachable)
        await expectInOrder()
      }),
      { numRuns: 400 },
    )
  })
})
