// The form of API key IDs in the followed system.

/** Whether a text has the format of an origin's API key ID: 16 bytes in Base64. */
export function isOriginKeyId(text: string): boolean {
  return /^[0-9A-Za-z+/]{22}==$/.test(text)
}
