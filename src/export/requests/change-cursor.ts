// Where a client stands in a program's changes, as it keeps it: readable, for ever good, and a place and no more. It grants nothing.
// It names the change it stands after by its number, its time and its application, by which a database that was set back and has come as
// far another way is told from the one that the cursor came from (G13). A number alone tells only that it has come as far.

import type { ChangePlace } from '../../db/walks/change-rows.ts'

/** Digits of the largest number that a cursor may hold: any safe integer. */
const number = '[0-9]{1,16}'
/** `<change>.<its time in microseconds>.<id of its application>`; `0` before the first, or the number of a change. */
export const changeCursorPattern = `^${number}(\\.-?${number}\\.${number})?$`
const shape = new RegExp(changeCursorPattern)

export const formatChangeCursor = ({ change, mark }: ChangePlace): string =>
  mark === undefined ? String(change) : `${change}.${mark.time}.${mark.application_id}`

/** Undefined when the text is no cursor that was ever given out. */
export function parseChangeCursor(text: string): ChangePlace | undefined {
  if (!shape.test(text)) return undefined
  const numbers = text.split('.').map(Number)
  if (!numbers.every(Number.isSafeInteger)) return undefined
  const [change = 0, time, application_id] = numbers
  if (time === undefined || application_id === undefined) return { change, mark: undefined }
  return { change, mark: { time, application_id } }
}
