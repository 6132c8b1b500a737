// Lists what is missing or unusual in a program, for those who are about to publish it. None of it prevents publishing.

import type { NamedCondition, ProgramDefinition } from '../definitions/program-definition.ts'
import { countUntranslated } from '../languages/program-texts.ts'
import { foldText } from '../values/folded-text.ts'
import { languageName } from './translated-texts.ts'

export type PlaceInProgram = { of: 'program' } | { of: 'screen'; index: number } | { of: 'question'; name: string }

/** The hash with which the editor's address opens a place. */
export const hashOf = (place: PlaceInProgram): string =>
  place.of === 'question'
    ? `question-${encodeURIComponent(place.name)}`
    : place.of === 'screen'
      ? `screen-${place.index + 1}`
      : 'program'

export interface Remark {
  code: string
  text: string
  /** Its location. */
  at: PlaceInProgram
  /** The field to fill in, as a JSON Pointer, unless it is the first of its panel. */
  field?: string
  /** The language whose translations are missing. */
  language?: string
}

/** Codes of remarks on a program that can't be applied for: its applicants' pages have no way to submit. */
export const deadEnds: readonly string[] = ['no_questions', 'no_answers']

const question = (name: string): PlaceInProgram => ({ of: 'question', name })

export function unusualParts(document: ProgramDefinition): Remark[] {
  const { questions, screens, statuses } = document
  const asked = screens.flatMap(screen => screen.questions)
  const information = new Set(questions.filter(({ kind }) => kind === 'STATIC').map(({ admin_name }) => admin_name))
  const answered = asked.filter(({ question }) => !information.has(question))
  const lists = new Set(questions.map(({ enumerator }) => enumerator))
  const repeated = repeatedIn(document)
  return [
    ...(questions.length === 0
      ? [{ code: 'no_questions', text: `The program has no questions, ${so}`, at: { of: 'screen', index: 0 } as const }]
      : questions.every(({ kind }) => kind === 'STATIC')
        ? [{ code: 'no_answers', text: `No question takes an answer, ${so}`, at: question(questions[0]!.admin_name) }]
        : []),
    ...screens.flatMap(({ name, questions, visible_when }, index): Remark[] => [
      ...(questions.length > 0 || screens.length === 1
        ? []
        : [{ code: 'empty_screen', text: `“${name}” has no questions`, at: { of: 'screen', index } as const }]),
      ...neverMet(name, visible_when, { of: 'screen', index }),
    ]),
    ...questions.flatMap(({ admin_name, kind, text, options }): Remark[] => [
      ...(options?.length === 1
        ? [{ code: 'one_option', text: `“${text}” has only one option`, at: question(admin_name) }]
        : []),
      ...(kind === 'ENUMERATOR' && !lists.has(admin_name)
        ? [{ code: 'empty_list', text: `“${text}” has no questions to repeat`, at: question(admin_name) }]
        : []),
      ...(repeated.has(admin_name)
        ? [{ code: 'same_text', text: `“${text}” is asked twice`, at: question(admin_name) }]
        : []),
    ]),
    ...asked.flatMap(({ question: name, visible_when }) => neverMet(name, visible_when, question(name))),
    ...(answered.length > 0 && answered.every(({ optional }) => optional)
      ? [{ code: 'all_optional', text: 'All questions are optional', at: question(answered[0]!.question) }]
      : []),
    ...(document.languages ?? []).flatMap((language): Remark[] => {
      const missing = countUntranslated(document, language)
      const texts = missing === 1 ? '1 text has' : `${missing.toLocaleString()} texts have`
      const text = `${texts} no ${languageName(language)} translation`
      return missing === 0 ? [] : [{ code: 'untranslated', text, at: { of: 'program' }, language }]
    }),
    ...(statuses.length === 0
      ? [
          {
            code: 'no_statuses',
            text: 'The program has no statuses',
            at: { of: 'program' } as const,
            field: '/statuses/-',
          },
        ]
      : []),
  ]
}

const so = 'so applicants have nothing to submit'

/** Questions with the same text as an earlier one in the same place. */
function repeatedIn({ questions }: ProgramDefinition): ReadonlySet<string> {
  const first = new Set<string>()
  return new Set(
    questions.flatMap(({ admin_name, enumerator, text }) => {
      const key = JSON.stringify([enumerator, foldText(text)])
      if (text === '' || !first.has(key)) {
        first.add(key)
        return []
      }
      return [admin_name]
    }),
  )
}

/** A remark if one field would need two values at once. */
function neverMet(name: string, condition: NamedCondition | null | undefined, at: PlaceInProgram): Remark[] {
  if (condition == null || !('all' in condition)) return []
  const equal = condition.all.flatMap(condition =>
    'operator' in condition && condition.operator === 'equal' ? [condition] : [],
  )
  const isContradictory = equal.some(item =>
    equal.some(other => item.question === other.question && item.field === other.field && item.value !== other.value),
  )
  return isContradictory ? [{ code: 'never_met', text: `“${name}” has a condition that is never true`, at }] : []
}
