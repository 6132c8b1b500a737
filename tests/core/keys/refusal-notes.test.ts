// Why requests were refused: each kept once, gathered and written together, for as long as that is of use.

import { beforeEach, expect, test } from 'bun:test'
import { createLog } from '../../../src/base/log.ts'
import { RefusalNotes } from '../../../src/core/keys/refusal-notes.ts'
import type { Sql } from '../../../src/db/client.ts'
import { endWithTest, useDatabase } from '../../support/fixtures.ts'
import { until } from '../../support/until.ts'

const day = 86_400_000_000
const now = Date.now() * 1000
let sql: Sql
let notes: RefusalNotes
beforeEach(async () => {
  sql = (await useDatabase({}, endWithTest)).sql
  notes = new RefusalNotes(sql, createLog('fatal'))
})

/** Named by its path, for its id is a UUID. */
const note = (path: string, happened_at = now): void =>
  notes.note({
    request_id: crypto.randomUUID(),
    happened_at,
    reason: 'unknown_key',
    api_key_id: null,
    address: '192.0.2.7',
    path,
  })
const kept = async (): Promise<string[]> => {
  const rows = await sql<{ path: string }[]>`select path from refusal order by refusal_id`
  return rows.map(row => row.path)
}

test('each refusal is stored once, also after others were written', async () => {
  const all: string[] = []
  for (const together of [['a', 'b'], ['c'], ['d', 'e']]) {
    for (const id of together) note(id)
    all.push(...together)
    await until('them to be written', async () => (await kept()).length >= all.length)
  }
  expect(await kept()).toEqual(all)
})

test('of a flood of refusals, the first 500 are stored, and later ones after these are written', async () => {
  const ids = Array.from({ length: 501 }, (_, i) => `flood-${i}`)
  for (const id of ids) note(id)
  await until('them to be written', async () => (await kept()).length > 0)
  note('after')
  await until('the next', async () => (await kept()).includes('after'))
  expect(await kept()).toEqual([...ids.slice(0, 500), 'after'])
})

test('refusals older than 30 days are deleted', async () => {
  note('old', now - 31 * day)
  note('young', now - 29 * day)
  await until('them to be written', async () => (await kept()).length > 0)
  // As a process that is started later does with its first.
  notes = new RefusalNotes(sql, createLog('fatal'))
  note('new')
  await until('the next', async () => (await kept()).includes('new'))
  await until('the old to go', async () => !(await kept()).includes('old'))
  expect(await kept()).toEqual(['young', 'new'])
})

test('refusals that cannot be written are lost, and later ones are written', async () => {
  await sql`alter table refusal rename to away`
  const lines: string[] = []
  notes = new RefusalNotes(sql, createLog('warn', { write: line => void lines.push(line) }))
  note('lost')
  await until('that to be logged', () => lines.length === 1)
  await sql`alter table away rename to refusal`
  note('kept')
  await until('the next', async () => (await kept()).length > 0)
  expect(await kept()).toEqual(['kept'])
})
