// A client's position in a program's changes: readable, without expiry, and without any permission.
// It names the last change that the client read by number, time and application. A number alone would also fit a database that was restored
// to an earlier state and has issued the same number again (G13).

import type { ChangePlace } from '../../../db/walks/change-rows.ts'

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
