// The form of the ids that the followed system gives its API keys.

/** Whether a text could be the id of an API key of the origin's: 16 bytes in Base64. */
export function isOriginKeyId(text: string): boolean {
  return /^[0-9A-Za-z+/]{22}==$/.test(text)
}
