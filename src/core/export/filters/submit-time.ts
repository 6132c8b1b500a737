// Filters by submission time: `fromDate` and `toDate`, `submit_time` in `$filter`. Source: spec, "List program applications";
// contract D12.

import type { FilterValues } from '../../../db/walks/walk-filters.ts'
import { parseInstantParameter } from '../../../domain/values/instant-parameter.ts'
import { earliest, formatMicros, latest, type Micros } from '../../../domain/values/offset-time.ts'
import { type FeedOperator, RefusedValue, type TokenPart, type WalkFilter } from './walk-filter.ts'

const dateForms =
  'A date or date-time: 2026-01-31, 2026-01-31T09:30, 2026-01-31T09:30:00Z, 2026-01-31T09:30:00-08:00. ' +
  'A date means the start of the day. The default time zone is that of the service.'

function parse(text: string, { timeZone }: { timeZone: string }): Micros | RefusedValue {
  const instant = parseInstantParameter(text, timeZone)
  return typeof instant === 'number' ? instant : new RefusedValue('invalid_date', instant.error)
}

const inToken = (bit: number, slot: 0 | 1): TokenPart<Micros> => ({
  bit,
  slot,
  count: 1,
  numbers: instant => [instant],
  value: numbers => numbers[0]!,
})

export const fromDate: WalkFilter<Micros> = {
  parameter: {
    name: 'fromDate',
    description: `Only applications submitted at or after this time. ${dateForms}`,
    parse,
  },
  report: formatMicros,
  feed: {
    name: 'submit_time',
    literal: 'time',
    possible: 'submit_time with ge, gt, le, lt or eq and a time such as 2026-01-31T00:00:00Z',
    narrow: narrowSpan,
  },
  inToken: inToken(2, 0),
}

export const toDate: WalkFilter<Micros> = {
  parameter: { name: 'toDate', description: `Only applications submitted before this time. ${dateForms}`, parse },
  report: formatMicros,
  inToken: inToken(3, 1),
}

const second = 1_000_000

/** Times are compared in whole seconds, as shown in the feed. */
function narrowSpan(before: FilterValues, operator: FeedOperator, text: string): FilterValues | RefusedValue {
  const hasZone = /T.*(?:Z|[+ -]\d\d:\d\d)$/.test(text)
  const instant = hasZone
    ? parseInstantParameter(text, 'UTC')
    : { error: 'must be a time with an offset, such as 2026-01-31T00:00:00Z.' }
  if (typeof instant !== 'number')
    return new RefusedValue('invalid_filter', `contains ${text}: a time ${instant.error}`)
  const whole = (seconds: number): Micros => Math.max(earliest, Math.min(latest, seconds * second))
  const first = whole(Math.ceil(instant / second))
  const next = whole(Math.floor(instant / second) + 1)
  const later = (bound: number) => Math.max(before.from ?? bound, bound)
  const earlier = (bound: number) => Math.min(before.to ?? bound, bound)
  return {
    ...before,
    ...((operator === 'ge' || operator === 'eq') && { from: later(first) }),
    ...(operator === 'gt' && { from: later(next) }),
    ...(operator === 'lt' && { to: earlier(first) }),
    ...((operator === 'le' || operator === 'eq') && { to: earlier(next) }),
  }
}
