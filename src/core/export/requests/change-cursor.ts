// A client's position in the change feed: readable, without expiry, granting no permission.
// It names the last change that was read by number, time and application. A number alone would also match a restored database that has
// issued the same number again (G13).

import type { ChangePlace } from '../../../db/walks/change-rows.ts'

/** Maximum digits of a number in a cursor: any safe integer. */
const number = '[0-9]{1,16}'
/** `<change>.<its time in microseconds>.<id of its application>`; `0` before the first change, or a plain change number. */
export const changeCursorPattern = `^${number}(\\.-?${number}\\.${number})?$`
const shape = new RegExp(changeCursorPattern)

export const formatChangeCursor = ({ change, mark }: ChangePlace): string =>
  mark === undefined ? String(change) : `${change}.${mark.time}.${mark.application_id}`

/** Undefined if the text cannot be a cursor. */
export function parseChangeCursor(text: string): ChangePlace | undefined {
  if (!shape.test(text)) return undefined
  const numbers = text.split('.').map(Number)
  if (!numbers.every(Number.isSafeInteger)) return undefined
  const [change = 0, time, application_id] = numbers
  if (time === undefined || application_id === undefined) return { change, mark: undefined }
  return { change, mark: { time, application_id } }
}
