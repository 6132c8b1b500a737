// Where a client stands in a program's changes, as it keeps it: readable, for ever good, and a place and no more. It grants nothing.
// It names the last submission up to there too, by which a database that was set back is told from the one it came from (G13).

import type { ChangePlace } from '../db/change-rows.ts'

/** Digits of the largest number that a cursor may hold: any safe integer. */
const number = '[0-9]{1,16}'
/** `<change>`, and if there was a submission by then `.<its number>.<its time in microseconds>`. */
export const changeCursorPattern = `^${number}(\\.${number}\\.-?${number})?$`
const shape = new RegExp(changeCursorPattern)

export const formatChangeCursor = ({ change, lastApplication: last }: ChangePlace): string =>
  last === undefined ? String(change) : `${change}.${last.submit_seq}.${last.submit_time}`

/** Undefined when the text is no cursor that was ever given out. */
export function parseChangeCursor(text: string): ChangePlace | undefined {
  if (!shape.test(text)) return undefined
  const numbers = text.split('.').map(Number)
  if (!numbers.every(Number.isSafeInteger)) return undefined
  const [change = 0, submit_seq, submit_time] = numbers
  if (submit_seq === undefined || submit_time === undefined) return { change, lastApplication: undefined }
  return submit_seq > change ? undefined : { change, lastApplication: { submit_seq, submit_time } }
}
