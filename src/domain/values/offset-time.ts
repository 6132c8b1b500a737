// Times: whole microseconds within the code, ISO 8601 with an offset outside it.
// Callers pass the current time and the service's time zone.

/**
 * Whole microseconds since 1970-01-01T00:00:00Z, which is what PostgreSQL keeps. Always a safe integer, with a range from 1684 to 2255. All
 * applications are within it. Bounds of a filter may be outside and are clamped to `earliest` and `latest`.
 */
export type Micros = number

/** Bounds: an instant beyond them is only known to be before or after every application. */
export const earliest: Micros = Number.MIN_SAFE_INTEGER
export const latest: Micros = Number.MAX_SAFE_INTEGER

/** No submission is earlier than this. It is the `Snapshot-Time` of a program without submissions (D35). */
export const beforeAllSubmissions = '1900-01-01T00:00:00Z'

/**
 * ISO_OFFSET_DATE_TIME in whole seconds (floor) with the numeric offset valid at that instant; UTC is `+00:00` (D13). An offset
 * with seconds, as zones had before standard time (Monrovia until 1972), is rounded to the minute, and the local time is the one
 * that fits the rounded offset: what is written always denotes the instant.
 * `formatOffsetTime(0, 'America/New_York')` → `1969-12-31T19:00:00-05:00`.
 */
export function formatOffsetTime(instant: Micros, timeZone: string): string {
  const ms = Math.floor(instant / 1_000_000) * 1000
  const { offsetMs, offset } = offsetPeriod(ms, timeZone)
  return new Date(ms + offsetMs).toISOString().slice(0, 19) + offset
}

/** A period in which a zone keeps one offset, in milliseconds since 1970; `until` is exclusive. */
interface OffsetPeriod {
  from: number
  until: number
  offsetMs: number
  offset: string
}

/** Periods by zone, the most recently found first. Calling Temporal for every instant takes six times as long. */
const offsetPeriods = new Map<string, OffsetPeriod[]>()
/** Enough for more than ten years with two changes a year; searching through them is still faster than calling Temporal. */
const periodsMax = 24
const zonesMax = 100

function offsetPeriod(ms: number, timeZone: string): OffsetPeriod {
  let periods = offsetPeriods.get(timeZone)
  if (periods === undefined) {
    periods = []
    if (offsetPeriods.size >= zonesMax) offsetPeriods.clear()
    offsetPeriods.set(timeZone, periods)
  }
  for (const period of periods) if (ms >= period.from && ms < period.until) return period
  const local = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone)
  const offsetMinutes = Math.round(local.offsetNanoseconds / 60e9)
  const period = {
    // `getTimeZoneTransition('previous')` excludes the instant itself; with 1 ns added, a transition at it counts.
    from:
      local.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    until: local.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offsetMs: offsetMinutes * 60_000,
    offset: writeOffset(offsetMinutes),
  }
  periods.unshift(period)
  if (periods.length > periodsMax) periods.pop()
  return period
}

function writeOffset(minutes: number): string {
  const absolute = Math.abs(minutes)
  const [hours, rest] = [Math.floor(absolute / 60), absolute % 60].map(part => String(part).padStart(2, '0'))
  return `${minutes < 0 ? '-' : '+'}${hours}:${rest}`
}

/** An instant with all its microseconds, in UTC: `2026-01-02T03:04:05.000006Z`. Exact; what the database and `Snapshot-Time` take. */
export function formatMicros(instant: Micros): string {
  const milliseconds = Math.floor(instant / 1000)
  const rest = String(instant - milliseconds * 1000).padStart(3, '0')
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`
}

export const formatMicrosOrNull = (instant: Micros | null): string | null =>
  instant === null ? null : formatMicros(instant)

/** The reverse of PostgreSQL's `timestamptz` text under `TimeZone = UTC`, `DateStyle = ISO`: `2026-01-02 03:04:05.000006+00`. */
export function parsePostgresInstant(text: string): Micros {
  const match = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?\+00$/.exec(text)
  if (match === null) throw new Error(`not a UTC timestamp in the years 0001 to 9999: ${text}`)
  const [, year, month, day, hour, minute, second, fraction = ''] = match
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute), Number(second))
  const instant = date.getTime() * 1000 + Number(fraction.padEnd(6, '0'))
  if (!Number.isSafeInteger(instant))
    throw new Error(`a time beyond the years 1684 to 2255 came from the database: ${text}`)
  return instant
}

const offsetTime =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,9}))?)?(?:Z|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))$/

/**
 * The reverse of `formatOffsetTime`, of any offset and with a fraction of up to 9 digits, of which those finer than a microsecond
 * must be zeros. Undefined when a text names no instant exactly, or one beyond what Micros hold.
 * Source: spec, ISO_OFFSET_DATE_TIME.
 */
export function parseOffsetTime(text: string): Micros | undefined {
  const match = offsetTime.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second = '0', fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] =
    match
  // The years 0 to 99 are taken for 1900 to 1999 here, and are beyond Micros either way.
  const midnight = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  // February 30 has become March 2.
  if (midnight.getUTCMonth() !== Number(month) - 1 || Number(year) < 100) return undefined
  const nanoseconds = fraction === '' ? 0 : Number(fraction.padEnd(9, '0'))
  if (nanoseconds % 1000 !== 0) return undefined
  const offsetSeconds = (sign === '-' ? -1 : 1) * (Number(offsetHours) * 3600 + Number(offsetMinutes) * 60)
  const seconds = midnight.getTime() / 1000 + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offsetSeconds
  const instant = seconds * 1_000_000 + nanoseconds / 1000
  return Number.isSafeInteger(instant) ? instant : undefined
}
