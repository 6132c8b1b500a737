// Validates language tags (BCP 47: RFC 5646) and converts them to canonical form.

/** Maximum length of a tag; the longest in use have about 35 characters. */
const languageTagLengthMax = 100

/**
 * The canonical form of a language tag, `en-us` → `en-US`; undefined if invalid. Source: spec, `language`; RFC 5646, 4.5.
 *
 * Intl knows the tags of today and not all that RFC 5646 has: these are private use (`x-home`, in lower case), the tags that are older
 * than its grammar (`i-klingon` → `tlh`), and languages written after the larger one they belong to (`zh-yue-HK` → `yue-HK`).
 */
export function canonicalLanguageTag(text: string): string | undefined {
  if (text.length > languageTagLengthMax) return undefined
  const lower = text.toLowerCase()
  if (privateUse.test(lower)) return lower
  const today = grandfathered.get(lower)
  if (today !== undefined) return today
  try {
    const [tag] = Intl.getCanonicalLocales(text.replace(extendedLanguage, '$1'))
    return tag !== undefined && tag.length <= languageTagLengthMax ? tag : undefined
  } catch {
    return undefined
  }
}

const privateUse = /^x(?:-[a-z0-9]{1,8})+$/

/** The registry's prefixes of extended languages. Each of those is now a language of its own, and its canonical form has no prefix. */
const extendedLanguage = /^(?:ar|kok|lv|ms|sgn|sw|uz|zh)-([a-z]{3})(?=-|$)/i

/** Grandfathered tags of the registry with their preferred values; tags without one stay as they are. */
const grandfathered: ReadonlyMap<string, string> = new Map([
  ['art-lojban', 'jbo'],
  ['cel-gaulish', 'cel-gaulish'],
  ['en-gb-oed', 'en-GB-oxendict'],
  ['i-ami', 'ami'],
  ['i-bnn', 'bnn'],
  ['i-default', 'i-default'],
  ['i-enochian', 'i-enochian'],
  ['i-hak', 'hak'],
  ['i-klingon', 'tlh'],
  ['i-lux', 'lb'],
  ['i-mingo', 'i-mingo'],
  ['i-navajo', 'nv'],
  ['i-pwn', 'pwn'],
  ['i-tao', 'tao'],
  ['i-tay', 'tay'],
  ['i-tsu', 'tsu'],
  ['no-bok', 'nb'],
  ['no-nyn', 'nn'],
  ['sgn-be-fr', 'sfb'],
  ['sgn-be-nl', 'vgt'],
  ['sgn-ch-de', 'sgg'],
  ['zh-guoyu', 'cmn'],
  ['zh-hakka', 'hak'],
  ['zh-min', 'zh-min'],
  ['zh-min-nan', 'nan'],
  ['zh-xiang', 'hsn'],
])
