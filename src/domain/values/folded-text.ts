// Normalizes names and email addresses for comparison, ignoring case and Unicode form, and validates names.

export const foldText = (text: string): string => text.trim().replace(/\s+/g, ' ').normalize('NFC').toLowerCase()

/** Whether a name has nothing to be seen: no letter, digit or sign, but at most spaces, fillers and characters that only steer others. */
export const isBlank = (name: string): boolean => !/[^\p{C}\p{Z}\p{DI}\u2800]/u.test(name)

/** Whether it is a name: Unicode text of one line with something to be seen, and of at most so many UTF-16 units. */
export const isName = (text: string, lengthMax: number): boolean =>
  text.length <= lengthMax && text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) && !isBlank(text)
