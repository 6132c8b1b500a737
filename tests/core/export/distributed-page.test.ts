// A page where applications are distributed over a cluster: batch by batch in statements of their own, since a node of Citus holds all that a
// statement finds before it hands out the first row. The same bytes as from a cursor, and each statement asks whether the database is the
// walk's (G13). On PostgreSQL itself; scripts/test-citus reads pages of a cluster.

import { expect, test } from 'bun:test'
import { PageFailure } from '../../../src/core/export/pages/write-page.ts'
import { Exports } from '../../../src/core/export/servers/exports.ts'
import type { Sql } from '../../../src/db/client.ts'
import { tamper } from '../../support/audit-log.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'
import { failureOf } from '../../support/refusal.ts'
import { useRecorder } from '../../support/statement-recorder.ts'
import { idsOf, planOf, Reader, small, write as writeOf } from './page-reader.ts'

const { sql, url } = await useDatabase()
const program = await insertRawProgram(sql, 'distributed')
const ids = await insertRawApplications(sql, program, 205, i => 'x'.repeat((i * 37) % 600))
const { recorder, recorded } = await useRecorder(url)
const exportsOf = (pool: Sql, areDistributed: boolean) => new Exports(pool, 2, { areDistributed })
const distributed = exportsOf(recorded, true)

const write = (exports: Exports, sink: Reader, pageSize: number, changes: object = {}) =>
  writeOf({ fills: program.fills, exports, sink, plan: planOf(program, 205, pageSize), ...changes })

test.each([1, 3, 4, 13, 14, 15, 204, 205, 1000])(
  'G1, G7: a page of %d has the same bytes as with a cursor',
  async pageSize => {
    const [from, by] = [new Reader(), new Reader()]
    await write(exportsOf(sql, false), from, pageSize)
    expect(await write(distributed, by, pageSize)).toMatchObject({ outcome: 'complete' })
    expect(by.text).toBe(from.text)
    expect(idsOf(by)).toEqual(ids.slice(0, pageSize))
  },
)

test('no statement requests more rows than a batch holds, or the same rows twice', async () => {
  recorder.clear()
  await write(distributed, new Reader(), 40)
  const asked = recorder.statements.filter(({ text }) => /from application\b/.test(text))
  // The last is for the one more that shows whether a page follows.
  expect(asked.map(({ parameters }) => Number(parameters.at(-1)))).toEqual([4, 10, 10, 10, 7])
  expect(asked.map(({ fetches }) => fetches)).toEqual([1, 1, 1, 1, 1])
})

test('G10: a slow reader returns its connection between batches and receives every row once', async () => {
  const reader = new Reader(() => Bun.sleep(2).then(() => true))
  const before = distributed.released
  await write(distributed, reader, 205, { limits: { ...small, releaseAfterMs: 0 } })
  expect(idsOf(reader)).toEqual(ids)
  expect(distributed.released).toBeGreaterThan(before)
})

test('G13: a database that is restored in the middle of a page is refused by the next statement', async () => {
  let set = false
  const reader = new Reader(async () => {
    if (!set) await tamper(sql, 'update submission_counter set submit_seq = 204')
    set = true
    return true
  })
  const limits = { ...small, reopensMax: 1, reopenPauseMs: 1 }
  const failure = await failureOf<PageFailure>(write(distributed, reader, 205, { limits }))
  await tamper(sql, 'update submission_counter set submit_seq = 205')
  expect(failure).toBeInstanceOf(PageFailure)
  expect(failure!.cause).toMatchObject({ code: 'TB001' })
  expect(reader.text.length).toBeGreaterThan(0)
  expect(() => reader.page()).toThrow()
})
