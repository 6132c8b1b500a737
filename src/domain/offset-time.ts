// Instants: as whole microseconds inside the house, as ISO 8601 with an offset outside it.
// It must not know the present time or which zone the instance is in; both are handed in.

/**
 * Whole microseconds since 1970-01-01T00:00:00Z, which is what PostgreSQL keeps. Always a safe integer, which reaches from
 * 1684 to 2255: no application is from outside. Bounds of a filter may be; they are held to `earliest` and `latest`.
 */
export type Micros = number

/** Bounds beyond which an instant is only known to be earlier, or later, than every application. */
export const earliest: Micros = Number.MIN_SAFE_INTEGER
export const latest: Micros = Number.MAX_SAFE_INTEGER

/**
 * ISO_OFFSET_DATE_TIME in whole seconds (floor) with the numeric offset valid at that instant; UTC is `+00:00` (D13).
 * `formatOffsetTime(0, 'America/New_York')` → `1969-12-31T19:00:00-05:00`.
 */
export function formatOffsetTime(instant: Micros, timeZone: string): string {
  const seconds = Math.floor(instant / 1_000_000)
  return Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
    .toZonedDateTimeISO(timeZone)
    .toString({ timeZoneName: 'never', smallestUnit: 'second', calendarName: 'never' })
}

/** An instant with all its microseconds, in UTC: `2026-01-02T03:04:05.000006Z`. Exact; what the database and `Snapshot-Time` take. */
export function formatMicros(instant: Micros): string {
  return Temporal.Instant.fromEpochNanoseconds(BigInt(instant) * 1000n).toString({ smallestUnit: 'microsecond' })
}

/** The reverse of PostgreSQL's `timestamptz` text under `TimeZone = UTC`, `DateStyle = ISO`: `2026-01-02 03:04:05.000006+00`. */
export function parsePostgresInstant(text: string): Micros {
  const match = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?\+00$/.exec(text)
  if (match === null) throw new Error(`not a UTC timestamp of the years 0001 to 9999: ${text}`)
  const [, year, month, day, hour, minute, second, fraction = ''] = match
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute), Number(second))
  const instant = date.getTime() * 1000 + Number(fraction.padEnd(6, '0'))
  if (!Number.isSafeInteger(instant)) throw new Error(`a time beyond the years 1684 to 2255 came from the database: ${text}`)
  return instant
}
