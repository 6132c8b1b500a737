// Calendar days as text: `2026-01-31`.

import { parseInstantParameter } from './instant-parameter.ts'
import { formatOffsetTime, latest, type Micros } from './offset-time.ts'

/** `2026-01-31` → `2026-02-01`. Throws RangeError for a day that doesn't exist. */
export const dayAfter = (day: string): string => Temporal.PlainDate.from(day).add({ days: 1 }).toString()

/** The start of a day in a time zone, and of the next day. */
export function timesOfDay(day: string, timeZone: string): { from: Micros; to: Micros } {
  const begin = (text: string): Micros => {
    const instant = parseInstantParameter(text, timeZone)
    // The day after the last of the year 9999 has no such text.
    return typeof instant === 'number' ? instant : latest
  }
  return { from: begin(day), to: begin(dayAfter(day)) }
}

/** This many days in a zone, oldest first. The last one is today. */
export function lastDays(now: Micros, timeZone: string, days: number): string[] {
  const today = Temporal.PlainDate.from(formatOffsetTime(now, timeZone).slice(0, 10))
  return Array.from({ length: days }, (_, i) => today.subtract({ days: days - 1 - i }).toString())
}
