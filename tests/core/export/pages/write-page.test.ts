import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { jsonPage } from '../../../../src/core/export/framings/all-framings.ts'
import { ndjsonPage } from '../../../../src/core/export/framings/ndjson-page.ts'
import type { PagePlan } from '../../../../src/core/export/pages/pack-page.ts'
import { nextBatchRows, type PageLimits } from '../../../../src/core/export/pages/page-limits.ts'
import type { Sink } from '../../../../src/core/export/pages/page-outlet.ts'
import { PageFailure, type PageToWrite } from '../../../../src/core/export/pages/write-page.ts'
import { Exports, PageBuffers } from '../../../../src/core/export/servers/exports.ts'
import { isBehindWalk } from '../../../../src/db/walks/walk-start.ts'
import { type Position, readPageRows } from '../../../../src/db/walks/walks.ts'
import { tamper } from '../../../support/audit-log.ts'
import { endWithTest, useDatabase, usePool } from '../../../support/fixtures.ts'
import { portOf, startProxy } from '../../../support/proxy.ts'
import { insertRawApplications, insertRawProgram } from '../../../support/raw-applications.ts'
import { failureOf } from '../../../support/refusal.ts'
import { until } from '../../../support/until.ts'
import { batch, idsOf, limits, planOf, Reader, small, write as writeOf } from '../page-reader.ts'

const database = await useDatabase()
// As many connections as `database.sql` has.
const exports = new Exports(database.sql, 20)
const program = await insertRawProgram(database.sql, 'raw')
const textOf = (i: number): string => 'x'.repeat((i * 37) % 600)
// Several at one time, so that only their numbers distinguish them.
const ids = await insertRawApplications(database.sql, program, 205, textOf, i => 1_700_000_000_000_000 + (i >> 3))

const planAll = (pageSize: number, after?: Position) => planOf(program, 205, pageSize, after)

/** A page of the program above, unless given another. */
const write = (sink: Sink, plan: PagePlan, limits: PageLimits = small, changes: Partial<PageToWrite> = {}) =>
  writeOf({ fills: program.fills, exports, sink, plan, limits, ...changes })

/** Backends of this test's pool that are inside a transaction. */
async function busyBackends(): Promise<{ pid: number }[]> {
  return database.sql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null and application_name like 'test %'`
}

describe('writePage', () => {
  test('G7: joined pages are the whole list in order, and the token is null exactly on the last page, also at batch boundaries', async () => {
    const atBatchLimits = [batch - 1, batch, batch + 1, 4 + batch, 4 + 2 * batch]
    for (const pageSize of [1, 3, 4, 5, ...atBatchLimits, 41, 204, 205, 206, 1000]) {
      const joined: number[] = []
      let after: Position | undefined
      let pages = 0
      do {
        const reader = new Reader()
        const receipt = await write(reader, planAll(pageSize, after))
        const { nextPageToken, payload } = reader.page()
        joined.push(...payload.map(a => a.application_id))
        expect(receipt).toMatchObject({
          outcome: 'complete',
          applications: payload.length,
          bytes: Buffer.byteLength(reader.text),
        })
        after = nextPageToken === null ? undefined : JSON.parse(nextPageToken)
        pages++
      } while (after !== undefined)
      expect(joined).toEqual(ids)
      expect(pages).toBe(Math.ceil(ids.length / pageSize))
    }
  })

  test('the digest at the end of NDJSON covers the bytes that were sent, even after parts were packed again or the backend was killed', async () => {
    const digestOf = (reader: Reader) => {
      const last = reader.text.lastIndexOf('\n', reader.text.length - 2) + 1
      expect(reader.text.slice(last)).toMatch(/^\{"nextPageToken":.*,"count":\d+,"sha256":"[0-9a-f]{64}"\}\n$/)
      const { sha256, count } = JSON.parse(reader.text.slice(last)) as { sha256: string; count: number }
      expect(sha256).toBe(createHash('sha256').update(reader.text.slice(0, last)).digest('hex'))
      return count
    }
    const slow = new Reader(async () => {
      await until('the connection to be given back', async () => (await busyBackends()).length === 0)
      return true
    })
    const killing = new Reader(async n => {
      if (n % 5 === 0)
        for (const { pid } of await busyBackends()) await database.sql`select pg_terminate_backend(${pid})`
      return true
    })
    const released = { ...small, releaseAfterMs: 10 }
    for (const [reader, limits] of [
      [new Reader(), small],
      [slow, released],
      [killing, small],
    ] as const) {
      await write(reader, planAll(205), limits, { framing: ndjsonPage })
      expect(digestOf(reader)).toBe(205)
    }
    // Parts that wait when the page ends.
    const ahead = new Reader(() => Bun.sleep(1).then(() => true))
    await write(ahead, planAll(205), { ...limits, firstBatchRows: 300 }, { framing: ndjsonPage })
    expect(digestOf(ahead)).toBe(205)
    for (const pageSize of [0, 1, 7]) {
      const reader = new Reader()
      const after = pageSize === 0 ? { submit_time: 2_000_000_000_000_000, submit_seq: 1 } : undefined
      await write(reader, planAll(pageSize || 1, after), small, { framing: ndjsonPage })
      expect(digestOf(reader)).toBe(pageSize)
    }
  })

  test('an empty page is an empty payload and a null token', async () => {
    const reader = new Reader()
    await write(reader, planAll(10, { submit_time: 2_000_000_000_000_000, submit_seq: 1 }))
    expect(reader.page()).toEqual({ payload: [], nextPageToken: null })
  })

  test('G10: a slow reader returns its database connection immediately and still receives every row once', async () => {
    const reader = new Reader(async () => {
      await until('the connection to be given back', async () => (await busyBackends()).length === 0)
      return true
    })
    const receipt = await write(reader, planAll(205), { ...small, releaseAfterMs: 10 })
    expect(receipt.outcome).toBe('complete')
    expect(idsOf(reader)).toEqual(ids)
    expect(reader.writes).toBeGreaterThan(10)
  })

  test('G10: a reader that stops for STALL_TIMEOUT is disconnected without the closing bracket', async () => {
    const reader = new Reader(n => (n < 3 ? true : new Promise<boolean>(() => {})))
    const receipt = await write(reader, planAll(205), { ...small, releaseAfterMs: 10, stallTimeoutMs: 60 })
    expect(receipt.outcome).toBe('stalled')
    expect(() => reader.page()).toThrow()
    expect(await busyBackends()).toEqual([])
    const atTheEnd = await write(new Reader(() => new Promise(() => {})), planAll(1), { ...small, stallTimeoutMs: 60 })
    expect(atTheEnd.outcome).toBe('stalled')
  })

  test('a reader that disconnects ends the page immediately, without the closing bracket', async () => {
    const reader = new Reader(n => n < 3)
    let rowsRead = 0
    const writeRow: typeof jsonPage.rows.write = (...row) => {
      rowsRead++
      return jsonPage.rows.write(...row)
    }
    const framing = { ...jsonPage, rows: { ...jsonPage.rows, write: writeRow } }
    expect((await write(reader, planAll(205), small, { framing })).outcome).toBe('client_gone')
    expect(reader.writes).toBe(3)
    expect(rowsRead).toBeLessThan(80)
    expect(() => reader.page()).toThrow()
    expect(await busyBackends()).toEqual([])
  })

  test('G9: a page whose backend is killed again and again loses and repeats nothing', async () => {
    let killed = 0
    const reader = new Reader(async n => {
      if (n % 5 === 0) {
        for (const { pid } of await busyBackends()) {
          await database.sql`select pg_terminate_backend(${pid})`
          killed++
        }
      }
      return true
    })
    const receipt = await write(reader, planAll(205))
    expect(killed).toBeGreaterThan(3)
    expect(receipt.outcome).toBe('complete')
    expect(idsOf(reader)).toEqual(ids)
  })

  test('G9: a page whose connection is cut anywhere, even within a row, loses and repeats nothing', async () => {
    const wide = await insertRawProgram(database.sql, 'wide')
    const wideIds = await insertRawApplications(database.sql, wide, 300, i => `${i}`.repeat(1 + ((i * 37) % 900)))
    let cuts = 0
    const proxy = await startProxy(portOf(database.url), ({ client, upstream }, n) => {
      let left = 20_000 + ((n * 7919) % 60_000)
      return {
        fromUpstream: bytes => {
          if (left <= 0) return
          client.write(bytes.subarray(0, left))
          left -= bytes.length
          if (left > 0) return
          cuts++
          upstream.destroy()
        },
      }
    })
    endWithTest(() => proxy.stop())
    const cut = usePool({ url: proxy.through(database.url), connectionsMax: 1 }, endWithTest)
    const whole = new Reader()
    await write(whole, planOf(wide, 300, 300), { ...limits, firstBatchRows: 40 }, { fills: wide.fills })
    for (const firstBatchRows of [10, 40, 100]) {
      const reader = new Reader()
      const using = { ...limits, firstBatchRows, batchRows: 60, reopenPauseMs: 1 }
      const receipt = await write(reader, planOf(wide, 300, 300), using, {
        exports: new Exports(cut, 1),
        fills: wide.fills,
      })
      expect(receipt.outcome).toBe('complete')
      expect(reader.text).toBe(whole.text)
    }
    expect(idsOf(whole)).toEqual(wideIds)
    expect(cuts).toBeGreaterThan(10)
  })

  test.each([4, 60, 300])(
    'a slow reader holds one write buffer, not all rows read for it (first batch of %d)',
    async firstBatchRows => {
      const buffers = new PageBuffers(2048, 64)
      let taken: () => void = () => {}
      const reader = new Reader(n => (n === 3 ? new Promise(resolve => (taken = () => resolve(true))) : true))
      const page = write(
        reader,
        planAll(205),
        { ...small, firstBatchRows, batchRows: 100, releaseAfterMs: 10 },
        { buffers },
      )
      await until(
        'the connection to be given back',
        async () => reader.writes === 3 && (await busyBackends()).length === 0,
      )
      await until('what was read ahead to be let go', () => buffers.inUse === 1)
      taken()
      expect((await page).outcome).toBe('complete')
      expect(idsOf(reader)).toEqual(ids)
    },
  )

  test('G9: a statement that fails midway makes the page reject, and the body is not valid JSON', async () => {
    const broken = await insertRawProgram(database.sql, 'broken')
    await insertRawApplications(database.sql, broken, 30, i => (i === 25 ? 'y' : 'x'.repeat(500)))
    // A row of an unknown version: the page cannot be right, so it must not end well.
    const reader = new Reader()
    const fills = new Map([[broken.program_version_id + 1, broken.fills.get(broken.program_version_id)!]])
    const failure = await failureOf<PageFailure>(write(reader, planOf(broken, 30, 100), small, { fills }))
    expect(failure).toBeInstanceOf(PageFailure)
    // It names the version, which is the first row's.
    const named = broken.versions.filter(version =>
      new RegExp(`\\b${version.program_version_id}\\b`).test(String(failure!.cause)),
    )
    expect(named).toHaveLength(1)
    expect(failure!.receipt).toMatchObject({ outcome: 'failed', bytes: 0, next: undefined })
    expect(await busyBackends()).toEqual([])
    expect(() => reader.page()).toThrow()
  })

  describe('G13: when the database fails over midway to a server that lacks part of the walk, the page', () => {
    /** Writes a page whose cursor is let go at the third write; the counter stands one submission back until `caughtUp`. */
    async function failOver(slug: string, using: Partial<PageLimits>, caughtUp: (reader: Reader) => Promise<unknown>) {
      const moved = await insertRawProgram(database.sql, slug)
      const movedIds = await insertRawApplications(database.sql, moved, 100, () => 'x'.repeat(500))
      const setCounter = (submissions: number) =>
        tamper(
          database.sql,
          `update submission_counter set submit_seq = ${submissions} where program_id = ${moved.program_id}`,
        )
      const reader: Reader = new Reader(async n => {
        if (n !== 3) return true
        await until('the connection to be given back', async () => (await busyBackends()).length === 0)
        await setCounter(99)
        void caughtUp(reader).then(() => setCounter(100))
        return true
      })
      const all = { ...small, releaseAfterMs: 10, reopenPauseMs: 1, ...using }
      return { reader, movedIds, page: write(reader, planOf(moved, 100, 100), all, { fills: moved.fills }) }
    }

    test('breaks off if the server keeps lagging, and never ends as if complete', async () => {
      const { reader, page } = await failOver('behind', { reopensMax: 3 }, () => new Promise(() => {}))
      const failure = await failureOf<PageFailure>(page)
      expect(failure).toBeInstanceOf(PageFailure)
      expect(isBehindWalk(failure!.cause)).toBe(true)
      expect(failure!.receipt).toMatchObject({ outcome: 'failed', next: undefined })
      expect(() => reader.page()).toThrow()
    })

    test('continues if the server catches up', async () => {
      const { reader, page, movedIds } = await failOver('caught-up', {}, () => Promise.resolve())
      expect((await page).outcome).toBe('complete')
      expect(idsOf(reader)).toEqual(movedIds)
    })
  })

  test('G10: batches shrink with the size of the rows', async () => {
    expect(nextBatchRows(limits, 1, 4000)).toBe(limits.batchRows)
    expect(nextBatchRows(limits, 1, 1024 * 1024)).toBe(4)
    expect(nextBatchRows(limits, 1, 64 * 1024 * 1024)).toBe(1)
    const sizes = [0]
    const wanted = [7, 20, 1, 100]
    await readPageRows(database.sql, { ...planAll(1).walk, after: undefined, rowsMax: 100 }, 3, {
      take: () => void sizes[sizes.length - 1]!++,
      batchAhead: () => 0,
      endBatch: () => {
        sizes.push(0)
        return wanted[sizes.length - 2]!
      },
    })
    expect(sizes).toEqual([3, 7, 20, 1, 69])
  })

  test('concurrent pages share the rows read at once, and each gets a worthwhile number', () => {
    const rowsOfPages = (pages: number): number => nextBatchRows(limits, pages, 1000)
    expect([1, 2, 4, 5, 16].map(rowsOfPages)).toEqual([200, 100, 50, 40, 40])
    expect(nextBatchRows(small, 16, 1000)).toBe(batch)
  })

  test('many slow readers at once share few connections', async () => {
    const few = usePool({ url: database.url, connectionsMax: 2 }, endWithTest)
    const using: PageLimits = { ...small, firstBatchRows: 50, releaseAfterMs: 10 }
    const shared = { exports: new Exports(few, 2), buffers: new PageBuffers(8192, 4) }
    const readers = Array.from({ length: 20 }, () => new Reader(() => Bun.sleep(30).then(() => true)))
    const receipts = await Promise.all(readers.map(reader => write(reader, planAll(205), using, shared)))
    expect(receipts.every(r => r.outcome === 'complete')).toBe(true)
    for (const reader of readers) expect(idsOf(reader)).toEqual(ids)
  })

  test('G10: readers that accept nothing hold no connection that another export waits for', async () => {
    const few = usePool({ url: database.url, connectionsMax: 2 }, endWithTest)
    const shared = { exports: new Exports(few, 2), buffers: new PageBuffers(2048, 4) }
    let leave: (taken: boolean) => void = () => {}
    const left = new Promise<boolean>(resolve => {
      leave = resolve
    })
    // Their patience, and that of `small`, is a minute.
    const stalled = Array.from({ length: 24 }, () => write(new Reader(() => left), planAll(205), small, shared))
    const reader = new Reader()
    expect((await write(reader, planAll(205), small, shared)).outcome).toBe('complete')
    expect(idsOf(reader)).toEqual(ids)
    leave(false)
    for (const receipt of await Promise.all(stalled)) expect(receipt.outcome).toBe('client_gone')
  })

  test('G10: if no other export waits, a reader that accepts nothing keeps its connection for the allowed time', async () => {
    const shared = { exports: new Exports(database.sql, 2) }
    let taken: (taken: boolean) => void = () => {}
    const reader = new Reader(n => (n === 3 ? new Promise(resolve => (taken = resolve)) : true))
    const page = write(reader, planAll(205), small, shared)
    await until('the reader to stop', () => reader.writes === 3)
    for (let i = 0; i < 5; i++) await write(new Reader(), planAll(205), small, shared)
    expect((await busyBackends()).length).toBe(1)
    taken(true)
    expect((await page).outcome).toBe('complete')
    expect(idsOf(reader)).toEqual(ids)
  })

  test('G9: a page is full even if its cursor is released after the row following the page was read', async () => {
    for (const pageSize of [40, 41, 204]) {
      // Nothing is taken until the connection is free; until then everything is read.
      const reader = new Reader(async n => {
        if (n === 1) await until('the connection to be given back', () => exports.reading === 0)
        if (n === 1) await until('what waits to be dropped', () => buffers.inUse === 1)
        return true
      })
      const buffers = new PageBuffers(2048, 4)
      const ahead = { ...small, aheadBytes: 1024 * 1024, releaseAfterMs: 10 }
      const receipt = await write(reader, planAll(pageSize), ahead, { buffers })
      expect(receipt).toMatchObject({ outcome: 'complete', applications: pageSize })
      expect(idsOf(reader)).toEqual(ids.slice(0, pageSize))
      expect(reader.page().nextPageToken).not.toBeNull()
    }
  })
})
