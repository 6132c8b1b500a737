// Reads texts that CiviForm stores in several languages: `{"isRequired": …, "translations": {"en_US": "…"}}`.

/** The American English text, or else the first; undefined if there is none. */
export function readTranslation(stored: unknown): string | undefined {
  const translations = (stored as { translations?: unknown } | null)?.translations
  if (typeof translations !== 'object' || translations === null) return undefined
  const texts = translations as Record<string, unknown>
  return [texts.en_US, ...Object.values(texts)].find((text): text is string => typeof text === 'string' && text !== '')
}
