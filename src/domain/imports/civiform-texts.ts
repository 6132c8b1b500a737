// Reads texts that CiviForm stores in several languages, `{"translations": {"en_US": "…", "es_US": "…"}}`, with their languages
// as our tags.

import { canonicalLanguageTag } from '../values/language-tag.ts'

/** The text in each language, by tag. Anything that is not a localized text, empty texts and unknown languages are dropped. */
export function civiformTexts(stored: unknown): Map<string, string> {
  const translations = (stored as { translations?: unknown } | null | undefined)?.translations
  if (typeof translations !== 'object' || translations === null) return new Map()
  return new Map(
    Object.entries(translations).flatMap(([locale, text]) => {
      const tag = canonicalLanguageTag(locale.replaceAll('_', '-'))
      return tag === undefined || typeof text !== 'string' || text.trim() === '' ? [] : [[tag, text.trim()] as const]
    }),
  )
}

/** Combines the texts of one element: `name` and `description` in the default language, the others as its translations. */
export function translatedElement<Name extends string>(
  texts: Readonly<Record<Name, ReadonlyMap<string, string>>>,
  standard: string,
): { texts: Partial<Record<Name, string>>; translations?: Record<string, Partial<Record<Name, string>>> } {
  const element: Partial<Record<Name, string>> = {}
  const translations: Record<string, Partial<Record<Name, string>>> = {}
  for (const [name, all] of Object.entries(texts) as [Name, ReadonlyMap<string, string>][]) {
    const [first] = all.values()
    if (first === undefined) continue
    element[name] = all.get(standard) ?? first
    for (const [tag, text] of all) {
      if (tag === standard) continue
      translations[tag] = { ...translations[tag], [name]: text }
    }
  }
  return Object.keys(translations).length === 0 ? { texts: element } : { texts: element, translations }
}
