// Calendar days across the ends of months and years, and in zones that are ahead of UTC.

import { expect, test } from 'bun:test'
import { dayAfter, lastDays } from '../../../src/domain/values/calendar-days.ts'

test('the day after the last of a month is the first of the next', () => {
  expect(['2026-02-28', '2028-02-28', '2026-12-31'].map(dayAfter)).toEqual(['2026-03-01', '2028-02-29', '2027-01-01'])
})

test('the last days end with today in the zone', () => {
  const now = Date.parse('2026-02-28T23:30:00Z') * 1000
  expect(lastDays(now, 'UTC', 2)).toEqual(['2026-02-27', '2026-02-28'])
  expect(lastDays(now, 'Pacific/Auckland', 2)).toEqual(['2026-02-28', '2026-03-01'])
})
