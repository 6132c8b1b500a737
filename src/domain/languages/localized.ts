// A program in one of its languages: every text in that language, or in the nearest available one.

import type { ProgramDefinition } from '../definitions/program-definition.ts'
import type { Translations } from '../fields/translation-schema.ts'
import type { ProgramDetails, Screen } from '../questions/program-version.ts'
import type { QuestionSettings } from '../questions/question.ts'
import { canonicalLanguageTag } from '../values/language-tag.ts'

/** The language of programs that don't name one. */
export const usualLanguage = 'en'

export const defaultLanguageOf = ({ default_language = usualLanguage }: ProgramDetails): string => default_language

/** The languages of a program, the default language first. */
export const languagesOf = (program: ProgramDetails): readonly string[] => [
  defaultLanguageOf(program),
  ...(program.languages ?? []),
]

/** The tags under which a text is looked up, nearest first: `es-MX`, `es`. Source: RFC 4647, 3.4. */
export function lookupTags(language: string): string[] {
  const parts = (canonicalLanguageTag(language) ?? language).split('-')
  const tags: string[] = []
  while (parts.length > 0) {
    tags.push(parts.join('-'))
    parts.pop()
    // A single letter or digit only introduces the subtag after it.
    if (parts.at(-1)?.length === 1) parts.pop()
  }
  return tags
}

interface Translated {
  translations?: Translations | undefined
}

/** The translation of a text into the first of these languages that has one. */
export const translationOf = (
  { translations }: Translated,
  field: string,
  tags: readonly string[],
): string | undefined => tags.map(tag => translations?.[tag]?.[field]).find(text => text !== undefined)

/** An element with its texts in the first of these languages that has them, otherwise in the default language. */
export function inLanguage<Element extends Translated>(
  element: Element,
  tags: readonly string[],
): Omit<Element, 'translations'> {
  const { translations, ...localized } = element
  if (translations === undefined) return element
  for (const tag of tags.toReversed()) {
    if (!Object.hasOwn(translations, tag)) continue
    for (const [name, text] of Object.entries(translations[tag]!))
      if (text !== undefined && Object.hasOwn(localized, name)) Object.assign(localized, { [name]: text })
  }
  return localized
}

/** The settings of a question with its options. */
export function localizedSettings<Settings extends QuestionSettings>(
  settings: Settings,
  tags: readonly string[],
): Settings {
  const localized = inLanguage(settings, tags) as Settings
  const { options } = localized
  return options === undefined ? localized : { ...localized, options: options.map(option => inLanguage(option, tags)) }
}

/** The texts of a program apart from its screens and questions. Its languages stay listed. */
export function localizedDetails<Details extends ProgramDetails & { display_name: string }>(
  details: Details,
  tags: readonly string[],
): Details {
  const localized = inLanguage(details, tags) as Details
  const { status_details } = localized
  if (status_details === undefined) return localized
  return { ...localized, status_details: status_details.map(status => inLanguage(status, tags)) }
}

export const localizedScreens = <One extends Pick<Screen, 'name' | 'description' | 'translations'>>(
  screens: readonly One[],
  tags: readonly string[],
): One[] => screens.map(screen => inLanguage(screen, tags) as One)

/**
 * The definition in a language: each text under the exact tag, else under its base language (`es` for `es-MX`), else in the default language. Only
 * texts differ: translations are removed, and the list of languages is kept.
 */
export function localized(definition: ProgramDefinition, language: string): ProgramDefinition {
  const tags = lookupTags(language)
  return {
    ...localizedDetails(definition, tags),
    questions: definition.questions.map(question => localizedSettings(question, tags)),
    screens: localizedScreens(definition.screens, tags),
  }
}

/**
 * The program's best language for a reader's preferred ones, most preferred first: a language itself, the one it belongs to (`es` for `es-MX`), or
 * another form of it (`es-US` for `es`). Otherwise the default language.
 */
export function offeredLanguage(program: ProgramDetails, wanted: readonly string[]): string {
  const offered = languagesOf(program)
  for (const language of wanted) {
    const tags = lookupTags(language)
    const found =
      tags.map(tag => offered.find(value => value === tag)).find(item => item !== undefined) ??
      offered.find(value => lookupTags(value).at(-1) === tags.at(-1))
    if (found !== undefined) return found
  }
  return offered[0]!
}
