// Parses the expiry of a key: a number of days, a date, or a timestamp. The maximum is checked where keys are created.

import type { Micros } from '../../domain/values/offset-time.ts'

export const dayMicros = 86_400_000_000

/**
 * Days before its expiry from which a key counts as expiring soon. Fewer than the common lifetime of 30 days, so that such keys don't count from the
 * start.
 */
export const expiringSoonDays = 21

/** The last expiry that counts as soon. */
export const expiringUntil = (now: Micros): Micros => now + expiringSoonDays * dayMicros

/** Whether a key needs attention soon. */
export const isExpiringSoon = (expiresAt: Micros, now: Micros): boolean => expiresAt <= expiringUntil(now)

/**
 * `90d` (days of 24 hours from now), `2027-01-31` (through the end of that day in the instance's zone) or `2027-01-31T12:00:00Z` (that instant; any
 * offset); or an error that lists these forms.
 */
export function parseExpiry(text: string, now: Micros, timeZone: string): Micros | { error: string } {
  const days = /^(\d{1,4})d$/.exec(text)
  if (days !== null) return now + Number(days[1]) * dayMicros
  try {
    if (/^\d{4}-\d\d-\d\d$/.test(text)) {
      const dayAfter = Temporal.PlainDate.from(text).add({ days: 1 })
      return dayAfter.toZonedDateTime(timeZone).epochMilliseconds * 1000
    }
    if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/.test(text))
      return Temporal.Instant.from(text).epochMilliseconds * 1000
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return {
    error:
      'must be a number of days such as 90d, a date such as 2027-01-31, or a timestamp such as 2027-01-31T12:00:00Z',
  }
}
