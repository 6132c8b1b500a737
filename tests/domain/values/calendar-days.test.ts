// Calendar days across the ends of months and years, and in zones that are ahead of UTC.

import { expect, test } from 'bun:test'
import { dayAfter, lastDays, timesOfDay } from '../../../src/domain/values/calendar-days.ts'
import { latest } from '../../../src/domain/values/offset-time.ts'

test('the day after the last day of a month is the first day of the next', () => {
  expect(['2026-02-28', '2028-02-28', '2026-12-31'].map(dayAfter)).toEqual(['2026-03-01', '2028-02-29', '2027-01-01'])
})

test('the last days end with the current day in the time zone', () => {
  const now = Date.parse('2026-02-28T23:30:00Z') * 1000
  expect(lastDays(now, 'UTC', 2)).toEqual(['2026-02-27', '2026-02-28'])
  expect(lastDays(now, 'Pacific/Auckland', 2)).toEqual(['2026-02-28', '2026-03-01'])
})

test('a day ends when the next begins in its time zone, and the last day that can be written never ends', () => {
  const times = (from: string, to: string) => ({ from: Date.parse(from) * 1000, to: Date.parse(to) * 1000 })
  // Clocks in Los Angeles go forward on this day.
  expect(timesOfDay('2026-03-08', 'America/Los_Angeles')).toEqual(times('2026-03-08T08:00Z', '2026-03-09T07:00Z'))
  expect(timesOfDay('9999-12-31', 'UTC').to).toBe(latest)
})
