// Every text of a definition that can be translated, each with the element that has it.

import type { ProgramDefinition } from '../definitions/program-definition.ts'
import type { Translations } from '../fields/translation-schema.ts'
import { pointerTo } from '../values/json-text.ts'

/** A text in the default language. `element` has it under the name `field`, and its translations. */
export interface ProgramText {
  /** The JSON Pointer of the text. */
  pointer: string
  /** Where people find it: `question applicant_name: option rent`. Unlike the pointer, it survives when questions move. */
  context: string
  field: string
  text: string
  element: { translations?: Translations }
}

const fieldWords: Readonly<Record<string, string>> = {
  display_name: 'name',
  public_name: 'public name',
}

/** In the order in which people read them. Screens and statuses of the same name are counted. */
export function programTexts(definition: ProgramDefinition): ProgramText[] {
  const seen = new Map<string, number>()
  const textsOf = (element: object, names: readonly string[], path: string, what: string): ProgramText[] =>
    names.flatMap(field => {
      const text: unknown = Object.hasOwn(element, field) ? (element as Record<string, unknown>)[field] : undefined
      if (typeof text !== 'string') return []
      const context = `${what}: ${fieldWords[field] ?? field}`
      const nth = (seen.get(context) ?? 0) + 1
      seen.set(context, nth)
      return [
        {
          pointer: pointerTo(path, field),
          context: nth === 1 ? context : `${context} (${nth})`,
          field,
          text,
          element,
        },
      ]
    })
  const { status_details = [], screens } = definition
  const questions = new Map(definition.questions.map((question, index) => [question.admin_name, { question, index }]))
  return [
    ...textsOf(definition, ['display_name', 'description', 'confirmation'], '', 'program'),
    ...status_details.flatMap((details, index) =>
      textsOf(details, ['public_name'], `/status_details/${index}`, `status ${details.status}`),
    ),
    ...screens.flatMap((screen, at) => [
      ...textsOf(screen, ['name', 'description'], `/screens/${at}`, `screen ${screen.name}`),
      ...screen.questions.flatMap(({ question: name }) => {
        const defined = questions.get(name)
        if (defined === undefined) return []
        const path = `/questions/${defined.index}`
        const { options = [] } = defined.question
        return [
          ...textsOf(defined.question, ['text', 'help'], path, `question ${name}`),
          ...options.flatMap((option, index) =>
            textsOf(option, ['text'], `${path}/options/${index}`, `question ${name}, option ${option.admin_id}`),
          ),
        ]
      }),
    ]),
  ]
}

/** The texts that a program lacks in one of its languages. */
export const untranslatedTexts = (definition: ProgramDefinition, language: string): ProgramText[] =>
  programTexts(definition).filter(({ element, field }) => element.translations?.[language]?.[field] === undefined)
