// Lists what is missing or unusual in a program before it is published. Only errors prevent publishing.

import { languageName } from '../../../domain/comparison/translated-texts.ts'
import type { DefinitionError } from '../../../domain/definitions/definition-form.ts'
import type { NamedCondition, ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import { countUntranslated } from '../../../domain/languages/program-texts.ts'
import { foldText } from '../../../domain/values/folded-text.ts'
import { nameAt } from './checking.ts'
import type { Selection } from './editor-state.ts'

export interface Remark {
  code: string
  text: string
  /** Its location. */
  at: Selection
  /** The field to fill in, as a JSON Pointer, unless it is the first of its panel. */
  field?: string
  /** The language whose translations are missing. */
  language?: string
}

const question = (name: string): Selection => ({ of: 'question', name })

export function remarksOn(document: ProgramDefinition, errors: readonly DefinitionError[]): Remark[] {
  const { questions, screens, statuses } = document
  const asked = screens.flatMap(screen => screen.questions)
  const lists = new Set(questions.map(({ enumerator }) => enumerator))
  const repeated = repeatedIn(document)
  const wrong = [...new Set(errors.map(({ path }) => nameAt(document, path)))]
  return [
    ...wrong.map((name): Remark => {
      const text = questions.find(({ admin_name }) => admin_name === name)?.text
      return name === undefined
        ? { code: 'incomplete', text: 'The program is incomplete', at: placeOfError(errors) }
        : { code: 'incomplete', text: `“${text || 'New question'}” is incomplete`, at: question(name) }
    }),
    ...(questions.length === 0
      ? [{ code: 'no_questions', text: 'The program has no questions', at: { of: 'screen', index: 0 } as const }]
      : []),
    ...screens.flatMap(({ name, questions }, index): Remark[] =>
      questions.length > 0 || screens.length === 1
        ? []
        : [{ code: 'empty_screen', text: `“${name}” has no questions`, at: { of: 'screen', index } }],
    ),
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
    ...asked.flatMap(({ question: name, visible_when }): Remark[] =>
      neverMet(visible_when)
        ? [{ code: 'never_met', text: `“${name}” has a condition that is never true`, at: question(name) }]
        : [],
    ),
    ...(asked.length > 0 && asked.every(({ optional }) => optional)
      ? [{ code: 'all_optional', text: 'All questions are optional', at: question(asked[0]!.question) }]
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

function placeOfError(errors: readonly DefinitionError[]): Selection {
  const [, screen] =
    errors.map(({ path }) => /^\/screens\/(\d+)\/(?!questions)/.exec(path)).find(found => found !== null) ?? []
  return screen === undefined ? { of: 'program' } : { of: 'screen', index: Number(screen) }
}

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

/** Whether one field would need two values at once. */
function neverMet(condition: NamedCondition | null | undefined): boolean {
  if (condition == null || !('all' in condition)) return false
  const equal = condition.all.flatMap(condition =>
    'operator' in condition && condition.operator === 'equal' ? [condition] : [],
  )
  return equal.some(item =>
    equal.some(other => item.question === other.question && item.field === other.field && item.value !== other.value),
  )
}
