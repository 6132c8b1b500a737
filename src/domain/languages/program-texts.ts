// Every text of a definition that can be translated, each with the element that has it.

import type { ProgramDefinition, QuestionDefinition } from '../definitions/program-definition.ts'
import type { Translations } from '../fields/translation-schema.ts'
import { pointerTo } from '../values/json-text.ts'

/** A text in the default language. It is `field` of `element`, which also has its translations. */
export interface ProgramText {
  /** The JSON Pointer of the text. */
  pointer: string
  /** Its location for people: `question applicant_name: option rent`. Unlike the pointer, it survives when questions move. */
  context: string
  field: string
  text: string
  element: { translations?: Translations }
}

/** The texts that each kind of element may have, by name. */
const fields = {
  program: ['display_name', 'description', 'confirmation'],
  status: ['public_name'],
  screen: ['name', 'description'],
  question: ['text', 'help'],
  option: ['text'],
} as const

/** Every name under which an element may have a text. */
export const textFields = [...new Set(Object.values(fields).flat())]

const fieldWords: Readonly<Record<string, string>> = {
  display_name: 'name',
  public_name: 'public name',
}

/** In reading order. Screens and statuses of the same name are numbered. */
export function programTexts(definition: ProgramDefinition): ProgramText[] {
  const seen = new Map<string, number>()
  const textsOf = (element: object, names: readonly string[], path: string, what: string): ProgramText[] =>
    names.flatMap(field => {
      const text: unknown = Object.hasOwn(element, field) ? (element as Record<string, unknown>)[field] : undefined
      if (typeof text !== 'string' || text === '') return []
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
    ...textsOf(definition, fields.program, '', 'program'),
    ...status_details.flatMap((details, index) =>
      textsOf(details, fields.status, `/status_details/${index}`, `status ${details.status}`),
    ),
    ...screens.flatMap((screen, at) => [
      ...textsOf(screen, fields.screen, `/screens/${at}`, `screen ${screen.name}`),
      ...screen.questions.flatMap(({ question: name }) => {
        const defined = questions.get(name)
        if (defined === undefined) return []
        const path = `/questions/${defined.index}`
        const { options = [] } = defined.question
        return [
          ...textsOf(defined.question, fields.question, path, `question ${name}`),
          ...options.flatMap((option, index) =>
            textsOf(option, fields.option, `${path}/options/${index}`, `question ${name}, option ${option.admin_id}`),
          ),
        ]
      }),
    ]),
  ]
}

export const isUntranslated = ({ element, field }: Pick<ProgramText, 'element' | 'field'>, language: string): boolean =>
  element.translations?.[language]?.[field] === undefined

/** The program's texts without a translation into one of its languages. */
export const untranslatedTexts = (definition: ProgramDefinition, language: string): ProgramText[] =>
  programTexts(definition).filter(text => isUntranslated(text, language))

const lacking = (element: ProgramText['element'], names: readonly string[], language: string): number =>
  names.filter(field => (element as Record<string, unknown>)[field] && isUntranslated({ element, field }, language))
    .length

const sum = <One>(all: readonly One[], count: (item: One) => number): number =>
  all.reduce((before, item) => before + count(item), 0)

/** Number of a question's texts without a translation into a language. */
export const lackingInQuestion = (question: QuestionDefinition, language: string): number =>
  lacking(question, fields.question, language) +
  sum(question.options ?? [], option => lacking(option, fields.option, language))

export const lackingInScreen = (screen: ProgramDefinition['screens'][number], language: string): number =>
  lacking(screen, fields.screen, language)

/** Number of texts without a translation into a language: the length of `untranslatedTexts`, in a fraction of the time. */
export const countUntranslated = (definition: ProgramDefinition, language: string): number =>
  lacking(definition, fields.program, language) +
  sum(definition.status_details ?? [], status => lacking(status, fields.status, language)) +
  sum(definition.screens, screen => lackingInScreen(screen, language)) +
  sum(definition.questions, question => lackingInQuestion(question, language))
