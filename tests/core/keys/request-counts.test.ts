// Requests of keys by day and outcome: counted in memory, written together, kept for a month.

import { expect, test } from 'bun:test'
import { createLog } from '../../../src/base/log.ts'
import { KeyRequestCounts, requestDays } from '../../../src/core/keys/request-counts.ts'
import { readKeyRequestDays } from '../../../src/db/keys/key-request-days.ts'
import { lastDays } from '../../../src/domain/values/calendar-days.ts'
import { useDatabase } from '../../support/fixtures.ts'

const { sql } = await useDatabase()
const day = 86_400_000_000
/** 31 January, 23:30 in UTC, which is 1 February in Auckland. */
const begin = Date.parse('2026-01-31T23:30:00Z') * 1000
const log = createLog('silent')

test('requests are added up over batches and processes, by day in the instance’s time zone', async () => {
  for (const timeZone of ['UTC', 'Pacific/Auckland']) {
    const process = () => new KeyRequestCounts(sql, log, { timeZone, now: () => begin })
    const [counts, other] = [process(), process()]
    const key = `counted in ${timeZone}`
    for (const outcome of ['complete', 'complete', 'no_grant']) counts.count(key, outcome)
    other.count(key, 'complete')
    await Promise.all([counts.finish(), other.finish()])
    counts.count(key, 'no_grant')
    await counts.finish()
    const date = timeZone === 'UTC' ? '2026-01-31' : '2026-02-01'
    expect(await readKeyRequestDays(sql, key, '2026-01-01')).toEqual([
      { day: date, outcome: 'complete', requests: 3 },
      { day: date, outcome: 'no_grant', requests: 2 },
    ])
  }
})

test('a batch of any number of keys is one statement, and nothing is written when nothing was counted', async () => {
  let statements = 0
  const apply = (target: typeof sql, self: unknown, sent: unknown[]) => {
    statements++
    return Reflect.apply(target, self, sent)
  }
  const counts = new KeyRequestCounts(new Proxy(sql, { apply }), log, { timeZone: 'UTC', now: () => begin })
  await counts.finish()
  expect(statements).toBe(0)
  for (let i = 0; i < 500; i++) counts.count(`many ${i % 50}`, String(400 + (i % 10)))
  await counts.finish()
  // The second removes what is old, once a day.
  expect(statements).toBe(2)
  counts.count('many 1', '400')
  await counts.finish()
  expect(statements).toBe(3)
})

test('30 days are kept, including today', async () => {
  let now = begin
  const counts = new KeyRequestCounts(sql, log, { timeZone: 'UTC', now: () => now })
  for (const days of [0, 1, 30]) {
    now = begin + days * day
    counts.count('kept', 'complete')
    await counts.finish()
  }
  const kept = (await readKeyRequestDays(sql, 'kept', '2026-01-01')).map(row => row.day)
  expect(kept).toEqual(['2026-02-01', '2026-03-02'])
  expect(lastDays(now, 'UTC', requestDays)).toHaveLength(30)
  expect(lastDays(now, 'UTC', requestDays)[0]).toBe('2026-02-01')
})
