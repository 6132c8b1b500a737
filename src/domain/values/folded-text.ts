// A name or an e-mail as it is compared: without case and in one Unicode form.

export const foldText = (text: string): string => text.trim().replace(/\s+/g, ' ').normalize('NFC').toLowerCase()
