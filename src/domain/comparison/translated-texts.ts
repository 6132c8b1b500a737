// How a comparison of versions names translated texts: `Spanish text`, `Spanish text of option rent`.

import type { Translations } from '../fields/translation-schema.ts'

const names = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' })

/** `Spanish` for `es`; a tag without a name is returned as it is. */
export function languageName(tag: string): string {
  try {
    return names.of(tag) ?? tag
  } catch {
    return tag
  }
}

interface Translated {
  translations?: Translations | undefined
}

interface Parts {
  options?: readonly (Translated & { admin_id: string })[] | undefined
  statuses?: readonly (Translated & { status: string })[] | undefined
}

/** The translations of an element and its parts, by the name of each part. */
export function translatedTexts(element: Translated, { options = [], statuses = [] }: Parts): Map<string, string> {
  const texts = [
    ...textsOf(element, ''),
    ...statuses.flatMap(status => textsOf(status, ` of status “${status.status}”`)),
    ...options.flatMap(option => textsOf(option, ` of option ${option.admin_id}`)),
  ]
  return new Map(texts.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const textsOf = ({ translations = {} }: Translated, of: string): [name: string, text: string][] =>
  Object.entries(translations).flatMap(([tag, texts]) =>
    Object.entries(texts).flatMap(([field, text]): [string, string][] =>
      text === undefined ? [] : [[`${languageName(tag)} ${field.replaceAll('_', ' ')}${of}`, text]],
    ),
  )
