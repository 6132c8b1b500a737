// IDs as `crypto.randomUUID` writes them.

/** Whether a text is a UUID in lower case. */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
