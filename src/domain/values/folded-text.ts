// Normalizes names and email addresses for comparison, ignoring case and Unicode form, and validates names.

export const foldText = (text: string): string => text.trim().replace(/\s+/g, ' ').normalize('NFC').toLowerCase()

/** Whether a name is invisible: it has no letter, digit or symbol, only spaces, fillers and control characters. */
export const isBlank = (name: string): boolean => !/[^\p{C}\p{Z}\p{DI}\u2800]/u.test(name)

/** Whether it is a valid name: single-line Unicode text with something visible, within a number of UTF-16 units. */
export const isName = (text: string, lengthMax: number): boolean =>
  text.length <= lengthMax && text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) && !isBlank(text)
