// Slugs: the stable names of programs in addresses.

export const slugPattern = '^[a-z0-9]+(-[a-z0-9]+)*$'
export const slugLengthMax = 100

/** A text as a lowercase name of the letters a to z and digits, with this separator between words: `Red maple` → `red_maple`. May be empty. */
export const asciiName = (text: string, between: '-' | '_'): string =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .slice(0, 60)
    .trimEnd()
    .replaceAll(' ', between)

/** Whether a program could have this slug. */
export function isSlug(text: unknown): text is string {
  return typeof text === 'string' && text.length <= slugLengthMax && new RegExp(slugPattern).test(text)
}
