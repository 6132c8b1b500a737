import { expect, test } from 'bun:test'
import { parseExpiry } from '../../../src/core/keys/expiry.ts'
import { formatMicros } from '../../../src/domain/values/offset-time.ts'

const now = Date.UTC(2026, 0, 10, 12) * 1000
const expiry = (text: string, timeZone = 'America/New_York') => {
  const parsed = parseExpiry(text, now, timeZone)
  return typeof parsed === 'number' ? formatMicros(parsed) : parsed.error
}

test('days are counted from now, a date lasts until its end in the time zone of the instance, and an instant is exact', () => {
  expect(expiry('90d')).toBe('2026-04-10T12:00:00.000000Z')
  expect(expiry('2026-01-31')).toBe('2026-02-01T05:00:00.000000Z')
  expect(expiry('2026-01-31', 'UTC')).toBe('2026-02-01T00:00:00.000000Z')
  // The night in which clocks go forward begins at its usual midnight.
  expect(expiry('2026-03-08')).toBe('2026-03-09T04:00:00.000000Z')
  expect(expiry('2026-01-31T00:00:00Z')).toBe('2026-01-31T00:00:00.000000Z')
  expect(expiry('2026-01-31T00:00+02:00')).toBe('2026-01-30T22:00:00.000000Z')
})

test.each([
  '',
  'tomorrow',
  '90',
  '-1d',
  '1.5d',
  '99999d',
  '2026-02-30',
  '2026-1-1',
  '2026-01-31T00:00:00',
  '2026-01-31T25:00Z',
  '20260131',
])('%p is refused with the valid forms', text => {
  expect(expiry(text)).toMatch(/\b90d\b/)
})
