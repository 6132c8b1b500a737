// Derives question keys from admin names, and finds collisions.

/**
 * Question key for an admin name: letters (`\p{L}`, after NFC) kept in their case, each space becomes `_`, all else dropped.
 * `"applicant name4?"` → `"applicant_name"`. Never throws; may be empty, and two names may share a key.
 * Source: spec, "The application object" 2; contract D15.
 */
export function questionKey(adminName: string): string {
  return adminName
    .normalize('NFC')
    .replace(/[^\p{L} ]/gu, '')
    .replaceAll(' ', '_')
}

/**
 * The form under which two keys count as equal: compared without case (D15). Idempotent.
 * Decomposed first and composed last, because some letters have an upper case only with their accents alongside them (ΐ).
 */
export function foldedQuestionKey(key: string): string {
  return key.normalize('NFD').toLowerCase().toUpperCase().toLowerCase().normalize('NFC')
}

/** The folded key for an admin name. Two questions at one place may not share it (D15). */
export const foldedKeyOf = (adminName: string): string => foldedQuestionKey(questionKey(adminName))

/** Keys that mean something else inside a question object or an entity, so no question may have them. */
export const reservedQuestionKeys: ReadonlySet<string> = new Set(['entity_name', 'question_type'])
