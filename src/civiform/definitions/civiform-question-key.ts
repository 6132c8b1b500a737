// Derives a question key from an admin name as CiviForm does.

/**
 * CiviForm's own rule for the keys that its clients know and its answers are stored under: ASCII letters in lower case, each space becomes `_`, and
 * everything else is dropped, including letters of other alphabets. May be empty, and names may share a key.
 */
export function civiformQuestionKey(adminName: string): string {
  return adminName
    .replace(/[^A-Za-z ]/g, '')
    .replaceAll(' ', '_')
    .toLowerCase()
}
