// Parses `fromDate` and `toDate` (contract D12): a date, or a date-time with or without a time zone.

import { earliest, latest, type Micros } from './offset-time.ts'

const form =
  /^(?<year>[0-9]{4})-(?<month>[0-9]{2})-(?<day>[0-9]{2})(?:T(?<hour>[0-9]{2}):(?<minute>[0-9]{2})(?::(?<second>[0-9]{2})(?:\.(?<fraction>[0-9]{1,9}))?)?(?<zone>Z|[+ -][0-9]{2}:[0-9]{2})?)?$/

const examples = '2026-01-31, 2026-01-31T09:30:00Z or 2026-01-31T09:30:00-08:00'

/** Specific errors, tried in order for a text in none of the valid formats. */
const hints: readonly (readonly [RegExp, string])[] = [
  [/^[0-9]+$/, 'A number of seconds or milliseconds is not accepted.'],
  [/^[0-9]{4}-?W/i, 'Week dates are not accepted.'],
  [/^[0-9]{4}-?[0-9]{3}(?![0-9-])/, 'Days of the year are not accepted.'],
  [/^[0-9]{4}-[0-9]{2}-[0-9]{2}[t ]/, 'Separate the date and time with a capital T.'],
  [/z$/, 'Write UTC as a capital Z.'],
  [/^[0-9]{4}-[0-9]{2}-[0-9]{2}(Z|[+ -])/, 'Omit the time zone after a date without a time.'],
  [/\.[0-9]{10,}/, 'Use at most 9 digits for fractions of a second.'],
  [/[+ -][0-9]{2}(:?[0-9]{2})?$/, 'Write the offset as ±hh:mm.'],
]

/**
 * The first microsecond at or after the instant a text names, or `error`: a sentence that says what would be right.
 *
 * - Forms: `YYYY-MM-DD`; `YYYY-MM-DDThh:mm`, with `:ss`, with a fraction of 1 to 9 digits; then nothing, `Z` or `±hh:mm`
 *   (up to 23:59, as in RFC 3339). `T` and `Z` are capitals, as in ISO 8601. A space is a `+` that was sent unescaped.
 * - Without a zone: local in `timeZone`. A time that clocks there skipped moves forward by the gap; of one that came twice, the
 *   earlier is meant. Without a time: the first instant of that day there, which is not always midnight.
 * - A fraction finer than a microsecond rounds up. Submissions have whole microseconds, so both "on or after" and "before" the
 *   exact instant mean the same as for the rounded one.
 * - Beyond what Micros hold (1684 to 2255; year 0000 is a year too) the result is `earliest` or `latest`, which stand for
 *   "before" and "after every application".
 *
 * Source: spec, "List program applications", `fromDate`; contract D12.
 */
export function parseInstantParameter(text: string, timeZone: string): Micros | { error: string } {
  const parts = form.exec(text)?.groups
  if (parts === undefined) {
    const hint = hints.find(([pattern]) => pattern.test(text))?.[1]
    return { error: `must be a date or a date-time such as ${examples}.${hint === undefined ? '' : ` ${hint}`}` }
  }
  const { year, month, day, hour, minute, second = '00', fraction = '', zone } = parts
  // The format is checked first, without Temporal, because its own parser accepts many more.
  const date = calendarDate(Number(year), Number(month), Number(day))
  if (date === undefined) return { error: `contains ${year}-${month}-${day}, which is not a valid date.` }
  if (hour === undefined) return clamped(date.toZonedDateTime(timeZone).epochNanoseconds)
  if (Number(hour) > 23)
    return { error: 'must have an hour from 00 to 23. Write the end of a day as 00:00 of the next day.' }
  if (Number(minute) > 59) return { error: 'must have minutes from 00 to 59.' }
  if (Number(second) > 59) return { error: 'must have seconds from 00 to 59. Leap seconds are not accepted.' }
  const nanoseconds = Number(fraction.padEnd(9, '0'))
  const local = date.toPlainDateTime({
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    millisecond: Math.floor(nanoseconds / 1e6),
    microsecond: Math.floor(nanoseconds / 1e3) % 1000,
    nanosecond: nanoseconds % 1000,
  })
  if (zone === undefined)
    return clamped(local.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochNanoseconds)
  const utc = local.toZonedDateTime('UTC').epochNanoseconds
  if (zone === 'Z') return clamped(utc)
  const [offsetHours, offsetMinutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))]
  if (offsetHours > 23 || offsetMinutes > 59) return { error: 'must have an offset from -23:59 to +23:59.' }
  const offset = BigInt(offsetHours * 60 + offsetMinutes) * 60_000_000_000n
  return clamped(zone.startsWith('-') ? utc + offset : utc - offset)
}

function calendarDate(year: number, month: number, day: number): Temporal.PlainDate | undefined {
  try {
    return Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' })
  } catch {
    return undefined
  }
}

/** Microseconds, rounded up, within the bounds of Micros. */
function clamped(nanoseconds: bigint): Micros {
  const micros = nanoseconds / 1000n + (nanoseconds > 0n && nanoseconds % 1000n !== 0n ? 1n : 0n)
  if (micros <= BigInt(earliest)) return earliest
  return micros >= BigInt(latest) ? latest : Number(micros)
}
