// Derives question keys from admin names, and finds collisions.

/**
 * Question key for an admin name: letters (`\p{L}`, after NFC) keep their case, each space becomes `_`, and everything else is dropped. `"applicant
 * name4?"` → `"applicant_name"`. Never throws; may be empty, and two names may share a key. Source: spec, "The application object" 2; contract D15.
 */
export function questionKey(adminName: string): string {
  return adminName
    .normalize('NFC')
    .replace(/[^\p{L} ]/gu, '')
    .replaceAll(' ', '_')
}

/**
 * The form in which keys are compared, ignoring case (D15). Idempotent. It decomposes first and composes last, because some letters only have an
 * uppercase form without their accents (ΐ).
 */
export function foldedQuestionKey(key: string): string {
  return key.normalize('NFD').toLowerCase().toUpperCase().toLowerCase().normalize('NFC')
}

/** The folded key for an admin name. Two questions in one place may not share it (D15). */
export const foldedKeyOf = (adminName: string): string => foldedQuestionKey(questionKey(adminName))

/** Keys with another meaning inside a question object or entity, so no question may have them. */
export const reservedQuestionKeys: ReadonlySet<string> = new Set(['entity_name', 'question_type'])
