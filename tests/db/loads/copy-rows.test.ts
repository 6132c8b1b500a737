import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Transaction } from '../../../src/db/client.ts'
import { CopyRows, copyRows, copyTime } from '../../../src/db/loads/copy-rows.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { until } from '../../support/until.ts'

const database = await useDatabase({ connectionsMax: 2 })
await database.sql`create table copied (id bigint primary key, instant timestamptz, words text)`

interface Row {
  id: number
  instant: number | null
  words: string | null
}

function pack(rows: readonly Row[], packed = new CopyRows()): CopyRows {
  for (const { id, instant, words } of rows) packed.add([id, copyTime(instant), words])
  return packed
}

const copy = (tx: Transaction, rows: CopyRows) => copyRows(tx`copy copied (id, instant, words) from stdin`, rows)

describe('copyRows', () => {
  test('what is packed comes out of the table as it was, and can be added to again', async () => {
    const row = fc.record({
      id: fc.maxSafeInteger(),
      instant: fc.option(fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })),
      words: fc.option(fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\0'))),
    })
    const packed = new CopyRows()
    const runs = fc.uniqueArray(row, { selector: ({ id }) => id, minLength: 1, maxLength: 200 })
    await fc.assert(
      fc.asyncProperty(runs, async rows => {
        await database.sql`truncate copied`
        await database.sql.begin(tx => copy(tx, pack(rows, packed)))
        const stored = await database.sql<Row[]>`select id, instant, words from copied order by id`
        expect([...stored]).toEqual(rows.toSorted((a, b) => a.id - b.id))
      }),
      { numRuns: 25 },
    )
  })

  test('megabytes arrive whole', async () => {
    await database.sql`truncate copied`
    const words = 'ä'.repeat(5000)
    const rows = Array.from({ length: 1000 }, (_, id) => ({ id, instant: 0, words }))
    await database.sql.begin(tx => copy(tx, pack(rows)))
    const [row] = await database.sql<{ rows: number; characters: number }[]>`
      select count(*) as rows, sum(length(words))::bigint as characters from copied`
    expect(row).toEqual({ rows: 1000, characters: 5_000_000 })
  })

  test("rejects with the server's own error, early or late in the rows, and the connection continues", async () => {
    for (const count of [2, 50_000]) {
      await database.sql`truncate copied`
      const twice = Array.from({ length: count }, (_, i) => ({ id: i % (count - 1), instant: 0, words: 'words' }))
      const copying = database.sql.begin(tx => copy(tx, pack(twice)))
      await expect(copying).rejects.toThrow(/duplicate key value violates unique constraint "copied_pkey"/)
      await copying.catch(() => {})
      expect(await database.sql`select count(*) as rows from copied`).toMatchObject([{ rows: 0 }])
    }
  })

  test('rejects when the connection dies', async () => {
    let copying: Promise<unknown> = Promise.resolve()
    await database.sql.begin(async tx => {
      // A lock that the copy waits for, so that it is under way when its backend goes.
      await tx`lock table copied in access exclusive mode`
      copying = database.sql.begin(inner => copy(inner, pack([{ id: 1, instant: 0, words: 'words' }])))
      copying.catch(() => {})
      await until('the copy waits for the lock', async () => {
        const ended = await tx`
          select pg_terminate_backend(pid)
          from pg_locks
          where relation = 'copied'::regclass
          and not granted`
        return ended.length > 0
      })
    })
    await copying.then(
      () => expect.unreachable(),
      error => expect(String(error)).toMatch(/CONNECTION_CLOSED|terminating connection/),
    )
  })
})
