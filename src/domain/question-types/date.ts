// DATE: a calendar date without a time zone.

import { orNull } from '../fields/field-schema.ts'
import { json, type QuestionType } from '../fields/question-type.ts'
import { none } from '../fields/settings.ts'
import { integerFrom } from '../random/seeded-random.ts'

interface DateAnswer {
  type: 'DATE'
  /** `YYYY-MM-DD`. */
  date: string
}

export const date = {
  kinds: ['DATE'],
  settings: none,
  fields: {
    date: {
      form: 'date',
      schema: orNull('string', { format: 'date', description: 'Calendar date, YYYY-MM-DD, without a time zone.' }),
    },
  },
  text: a => `{"question_type":"DATE","date":${json(a.date)}}`,
  lines: a => [{ text: dayText(a.date) }],
  read: fields => {
    const date = fields.formatted('date', isCalendarDate, 'a calendar date in the form YYYY-MM-DD')
    return date === undefined ? undefined : { type: 'DATE', date }
  },
  sample: (_, variant) => ({ type: 'DATE', date: `19${84 + (variant % 10)}-02-${28 - (variant % 10)}` }),
  random: () => next => ({
    type: 'DATE',
    date: `${integerFrom(next, 1945, 2006)}-${two(integerFrom(next, 1, 12))}-${two(integerFrom(next, 1, 28))}`,
  }),
} as const satisfies QuestionType<DateAnswer, typeof none>

const two = (value: number): string => String(value).padStart(2, '0')

/** Whether a text is `YYYY-MM-DD` and that day exists, in the years 0001 to 9999. Source: spec, DATE. */
export function isCalendarDate(text: string): boolean {
  const match = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text)
  if (match === null) return false
  const year = Number(match[1])
  const month = Number(match[2])
  const day = Number(match[3])
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** `1962-08-27` → `Aug 27, 1962`, the form of days on English pages. A text that is not a calendar date is returned unchanged. */
export function dayText(date: string): string {
  if (!isCalendarDate(date)) return date
  const [year = '', month, day] = date.split('-')
  return `${months[Number(month) - 1]} ${Number(day)}, ${year.replace(/^0+(?=.)/, '')}`
}
