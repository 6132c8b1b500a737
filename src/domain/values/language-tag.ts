// Language tags (BCP 47) and their canonical form.
// It must not know whose language it is.

/** Longest tag that is taken; the longest in use are about 35 characters. */
export const languageTagLengthMax = 100

/** The canonical form of a language tag, `en-us` → `en-US`; undefined when it is none. Source: spec, `language`. */
export function canonicalLanguageTag(text: string): string | undefined {
  if (text.length > languageTagLengthMax) return undefined
  try {
    const [tag] = Intl.getCanonicalLocales(text)
    return tag !== undefined && tag.length <= languageTagLengthMax ? tag : undefined
  } catch {
    return undefined
  }
}
