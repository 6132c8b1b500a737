// The form of the ids that CiviForm gives its API keys.

/** Whether a text could be the id of an API key of CiviForm's: 16 bytes in Base64. */
export function isCiviFormKeyId(text: string): boolean {
  return /^[0-9A-Za-z+/]{22}==$/.test(text)
}
