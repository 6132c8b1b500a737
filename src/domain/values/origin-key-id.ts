// The form of API key IDs in the followed system.

/** Whether a text could be the id of an API key of the origin's: 16 bytes in Base64. */
export function isOriginKeyId(text: string): boolean {
  return /^[0-9A-Za-z+/]{22}==$/.test(text)
}
