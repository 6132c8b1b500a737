// Edits a program's texts and languages. Each function returns a new document, in which unchanged parts are the same objects as before.

import type { ProgramDefinition } from '../definitions/program-definition.ts'
import { onlyIn, translationsIn } from '../definitions/version-definition.ts'
import type { Translations } from '../fields/translation-schema.ts'

interface Translated {
  translations?: Translations
  [name: string]: unknown
}

const partsOf = (pointer: string): { path: string[]; field: string } => {
  const path = pointer.split('/').slice(1)
  return { field: path.pop()!, path }
}

const editedAt = (value: unknown, [name, ...rest]: string[], edit: (element: Translated) => Translated): unknown => {
  if (name === undefined) return edit(value as Translated)
  const inside = (value as Record<string, unknown>)[name]
  const edited = editedAt(inside, rest, edit)
  return Array.isArray(value) ? value.with(Number(name), edited) : { ...(value as object), [name]: edited }
}

/** The JSON Pointer to the translation of the text at this pointer. */
export const translationPointer = (pointer: string, language: string): string =>
  pointer.replace(/\/[^/]*$/, field => `/translations/${language}${field}`)

/** The translation of the text at this pointer; undefined if missing. */
export function translationAt(definition: ProgramDefinition, pointer: string, language: string): string | undefined {
  const { path, field } = partsOf(pointer)
  const element = path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], definition)
  return (element as Translated).translations?.[language]?.[field]
}

/** Sets the translation of the text at this pointer; an empty one removes it. */
export function withTranslation(definition: ProgramDefinition, pointer: string, language: string, text: string) {
  const { path, field } = partsOf(pointer)
  return editedAt(definition, path, element => translated(element, field, language, text)) as ProgramDefinition
}

/** Sets the text at this pointer in the default language; an empty one removes it and its translations. */
export function withText(definition: ProgramDefinition, pointer: string, text: string): ProgramDefinition {
  const { path, field } = partsOf(pointer)
  return editedAt(definition, path, element => {
    if (text !== '') return { ...element, [field]: text }
    const tags = Object.keys(element.translations ?? {})
    const { [field]: _, ...rest } = tags.reduce((rest, tag) => translated(rest, field, tag, ''), element)
    return rest
  }) as ProgramDefinition
}

function translated(element: Translated, field: string, language: string, text: string): Translated {
  const { [field]: _, ...others } = element.translations?.[language] ?? {}
  const texts = text === '' ? others : { ...others, [field]: text }
  return translationsIn({ ...element, translations: { ...element.translations, [language]: texts } }, () => true)
}

export const addLanguage = (definition: ProgramDefinition, language: string): ProgramDefinition => ({
  ...definition,
  languages: [...(definition.languages ?? []), language],
})

/** Removes a language and all its translations. */
export function removeLanguage(definition: ProgramDefinition, language: string): ProgramDefinition {
  const isKept = (tag: string): boolean => tag !== language
  const { languages, ...rest } = translationsIn(definition, isKept)
  const kept = languages?.filter(isKept) ?? []
  return {
    ...rest,
    ...(kept.length > 0 && { languages: kept }),
    ...(rest.status_details && {
      status_details: rest.status_details.map(statusDetails => translationsIn(statusDetails, isKept)),
    }),
    screens: rest.screens.map(screen => translationsIn(screen, isKept)),
    questions: rest.questions.map(question => onlyIn(question, isKept)),
  }
}
