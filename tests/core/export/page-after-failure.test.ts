// Pages that follow one that failed on a row, on the same connection and without a pause in between.

import { expect, test } from 'bun:test'
import { jsonPage } from '../../../src/core/export/framings/all-framings.ts'
import type { PagePlan } from '../../../src/core/export/pages/pack-page.ts'
import { type PageLimits, pageLimits } from '../../../src/core/export/pages/page-limits.ts'
import { PageFailure, writePage } from '../../../src/core/export/pages/write-page.ts'
import { Exports } from '../../../src/core/export/servers/exports.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { noFilters } from '../../../src/db/walks/walk-filters.ts'
import { endWithTest, useDatabase, usePool } from '../../support/fixtures.ts'
import { insertRawApplications, insertRawProgram, type RawProgram } from '../../support/raw-applications.ts'
import { useSilentProxy } from '../../support/silent-proxy.ts'

const database = await useDatabase()
const single = usePool({ url: database.url, connectionsMax: 1 })
// Of all pages on that connection, so that each has the buffers of the one before.
const shared = new Exports(single, 1)
const whole = await insertRawProgram(database.sql, 'whole')
const ids = await insertRawApplications(database.sql, whole, 300)
const damaged = await insertRawProgram(database.sql, 'damaged')
await insertRawApplications(database.sql, damaged, 300)

/** Stores text that no version accounts for, as only damage to the database could make it. */
const damage = (row: number) =>
  database.sql.begin(async tx => {
    await tx`alter table application disable trigger application_snapshot_is_immutable`
    await tx`update application set snapshot = replace(snapshot, ${'\u0001999\u0002'}, '') where program_id = ${damaged.program_id}`
    await tx`
      update application set snapshot = snapshot || ${'\u0001999\u0002'}
      where program_id = ${damaged.program_id} and submit_seq = ${row}`
    await tx`alter table application enable trigger application_snapshot_is_immutable`
  })

const planOf = (program: RawProgram, pageSize: number): PagePlan => ({
  walk: {
    programId: program.program_id,
    horizon: 300,
    lastChange: undefined,
    filters: noFilters,
  },
  after: undefined,
  pageSize,
})

async function read(
  program: RawProgram,
  pageSize: number,
  from = single,
  smaller: Partial<PageLimits> = {},
  listed?: number[],
): Promise<{ ids: number[]; next: unknown }> {
  let text = ''
  const sink = {
    write(bytes: Uint8Array) {
      text += new TextDecoder().decode(bytes)
      return true
    },
  }
  const limits = { ...pageLimits, releaseAfterMs: 60_000, stallTimeoutMs: 60_000, ...smaller }
  const exports = from === single ? shared : new Exports(from, 1)
  const plan = planOf(program, pageSize)
  const walk = { ...plan.walk, listed }
  await writePage({
    plan: { ...plan, walk },
    fills: program.fills,
    framing: jsonPage,
    limits,
    exports,
    buffers: exports.buffers,
    sink,
    sealNext: () => 'next',
  })
  const { payload, nextPageToken } = JSON.parse(text)
  return { ids: payload.map((a: { application_id: number }) => a.application_id), next: nextPageToken }
}

const backend = async (): Promise<unknown> => (await single`select pg_backend_pid() as pid`)[0]!.pid

test.each([
  [2, 1],
  [2, 2],
  [150, 7],
  [150, 120],
  [1000, 3],
  [1000, 290],
])(
  'G15: "A page holds nothing of another program, caller or walk, whatever failed before it on the same connection or in the same buffer": page of %p, row %p',
  async (pageSize, row) => {
    await damage(row)
    const before = await backend()
    for (const size of [2, 50, 150, 1000]) {
      const own = { ids: ids.slice(0, size), next: size < ids.length ? 'next' : null }
      // The moment it has failed, one after the other; and written to the connection, or waiting for it, while it fails.
      await expect(read(damaged, pageSize)).rejects.toThrow(PageFailure)
      for (let i = 0; i < 3; i++) expect(await read(whole, size)).toEqual(own)
      const failing = read(damaged, pageSize).catch(error => error)
      const following = await Promise.all([read(whole, size), read(whole, size)])
      expect(await failing).toBeInstanceOf(PageFailure)
      expect(following).toEqual([own, own])
    }
    expect(await backend()).toBe(before)
  },
)

test('G14: a database that falls silent twice in a row is given up after the second time', async () => {
  const proxy = await useSilentProxy(database.url)
  const silent = openDatabase({ url: proxy.url, connectionsMax: 1, silenceTimeoutMs: 200 })
  endWithTest(() => silent.end({ timeout: 0 }))
  expect(await read(whole, 50, silent)).toEqual({ ids: ids.slice(0, 50), next: 'next' })
  const connections = proxy.made()
  proxy.fallSilent(20_000)
  const failure = await read(whole, 300, silent).catch(error => error)
  expect(failure).toBeInstanceOf(PageFailure)
  // The connection that was there, and one more try.
  expect(proxy.made() - connections).toBe(1)
})

test.each([
  ['a walk', undefined],
  ['a page of changes', ids],
])('after a silence that ended with applications, %s continues, however often that happens', async (_, listed) => {
  const proxy = await useSilentProxy(database.url)
  const silent = openDatabase({ url: proxy.url, connectionsMax: 1, silenceTimeoutMs: 1000 })
  endWithTest(() => silent.end({ timeout: 0 }))
  proxy.silenceEachAfter(90_000)
  expect(await read(whole, 300, silent, { firstBatchRows: 4, batchRows: 10 }, listed)).toEqual({ ids, next: null })
  expect(proxy.made()).toBeGreaterThanOrEqual(3)
})
