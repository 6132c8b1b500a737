// A name or an e-mail as it is compared, without case and in one Unicode form; and whether a name can be seen.

export const foldText = (text: string): string => text.trim().replace(/\s+/g, ' ').normalize('NFC').toLowerCase()

/** Whether a name has nothing to be seen: no letter, digit or sign, but at most spaces and characters that only steer others. */
export const isBlank = (name: string): boolean => !/[^\p{C}\p{Z}]/u.test(name)
