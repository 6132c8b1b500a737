// Derives a question key from an admin name as CiviForm does.

/**
 * CiviForm's own rule, by which its clients know their keys, and by which its answers are stored: ASCII letters in lower case, each space
 * becomes `_`, all else dropped, letters of other alphabets too. May be empty, and names may share a key.
 */
export function civiformQuestionKey(adminName: string): string {
  return adminName
    .replace(/[^A-Za-z ]/g, '')
    .replaceAll(' ', '_')
    .toLowerCase()
}
