// Finds the language of each text of a program on a page. A text without a translation is in the default language, which screen readers have
// to know to pronounce it.

import type { Translations } from '../fields/translation-schema.ts'
import type { ProgramDetails, ProgramVersion } from '../questions/program-version.ts'
import { textFields } from './program-texts.ts'

/** The language of a text, as a tag; undefined for the page's language and for texts that aren't the program's. */
export type LanguageOf = (text: string) => string | undefined

type Element = { readonly [field in (typeof textFields)[number]]?: string } & {
  translations?: Translations | undefined
}

type ProgramParts = { display_name: string; details: ProgramDetails } & Partial<ProgramVersion>

/** Every element of a program that applicants read. */
export const elementsOf = ({ display_name, details, screens = [], questions = [] }: ProgramParts): object[] => [
  { display_name, ...details },
  ...(details.status_details ?? []),
  ...screens,
  ...questions.flatMap(({ settings }) => [settings, ...(settings.options ?? [])]),
]

/** The languages of the texts of these elements on a page in `page`, where `tags` are looked up and `usual` is the default language. */
export function languageOfTexts(
  elements: readonly object[],
  { page, tags, usual }: { page: string; tags: readonly string[]; usual: string },
): LanguageOf {
  const languages = new Map<string, string>()
  const ofPage = new Set<string>()
  for (const element of elements as readonly Element[])
    for (const field of textFields) {
      const text = element[field]
      if (text === undefined || text === '') continue
      const tag = tags.find(tag => element.translations?.[tag]?.[field] !== undefined)
      const shown = tag === undefined ? text : element.translations![tag]![field]!
      if ((tag ?? usual) === page) ofPage.add(shown)
      else languages.set(shown, tag ?? usual)
    }
  return text => (ofPage.has(text) ? undefined : languages.get(text))
}
