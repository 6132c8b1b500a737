// The languages of applicants' pages, by language tag. One line each.

import { ar } from './ar.ts'
import { en, type Language } from './en.ts'
import { es } from './es.ts'

export const languages: Readonly<Record<string, Language>> = { en, es, ar }

/** The default language of applicants' pages. */
export const defaultLanguage = 'en'

/** The first of these languages that exists: `es-US` → `es`. */
export function findLanguage(tags: readonly string[]): string | undefined {
  for (const tag of tags) {
    const found = [tag.toLowerCase(), tag.toLowerCase().split('-')[0]!].find(name => Object.hasOwn(languages, name))
    if (found !== undefined) return found
  }
  return undefined
}
