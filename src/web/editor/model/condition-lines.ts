// Converts a condition to and from lines of question, comparison and value, of which all or any must be true. More deeply nested conditions
// can only be edited in the document.

import { fieldLabel } from '../../../domain/definitions/condition-text.ts'
import { conditionFields, operatorsOfForm } from '../../../domain/definitions/definition-conditions.ts'
import { ancestors, isVisibleIn } from '../../../domain/definitions/definition-questions.ts'
import type {
  NamedCondition,
  OptionDefinition,
  ProgramDefinition,
  QuestionDefinition,
} from '../../../domain/definitions/program-definition.ts'
import type { FieldForm } from '../../../domain/fields/question-type.ts'
import type { ComparisonOperator } from '../../../domain/questions/program-version.ts'
import { exportedType, questionTypes } from '../../../domain/questions/question.ts'

export type LineOperator = ComparisonOperator | 'answered'

export interface ConditionLine {
  question: string
  /** Empty if the line only tests `answered`. */
  field: string
  operator: LineOperator
  values: readonly (string | number)[]
}

export interface ConditionLines {
  of: 'all' | 'any'
  lines: readonly ConditionLine[]
}

const lists: ReadonlySet<string> = new Set(['in', 'includes_any', 'includes_all'])
/** Whether a comparison accepts several values. */
export const takesSeveral = (operator: LineOperator): boolean => lists.has(operator)

/** Undefined for a condition that lines can't express. */
export function linesOf(condition: NamedCondition | null | undefined): ConditionLines | undefined {
  if (condition == null) return { of: 'all', lines: [] }
  const [of, inner] =
    'all' in condition
      ? (['all', condition.all] as const)
      : 'any' in condition
        ? (['any', condition.any] as const)
        : (['all', [condition]] as const)
  const lines = inner.map((condition): ConditionLine | undefined => {
    if (!('operator' in condition)) return undefined
    const { question, operator } = condition
    return operator === 'answered'
      ? { question, field: '', operator, values: [] }
      : { question, field: condition.field, operator, values: [condition.value].flat() }
  })
  return lines.every(line => line !== undefined) ? { of, lines } : undefined
}

export function conditionOf({ of, lines }: ConditionLines): NamedCondition | undefined {
  const conditions = lines.map(({ question, field, operator, values }): NamedCondition => {
    if (operator === 'answered') return { question, operator }
    const value = takesSeveral(operator) ? (values as string[]) : (values[0] ?? '')
    return { question, field, operator, value: value as string }
  })
  if (conditions.length < 2) return conditions[0]
  return of === 'all' ? { all: conditions } : { any: conditions }
}

/** The target of a line: a field of the answer to a question, with the comparisons that fit it. */
export interface Target {
  question: string
  field: string
  text: string
  /** Undefined where a condition can only test whether it was answered. */
  form: FieldForm | undefined
  operators: readonly LineOperator[]
  options: readonly OptionDefinition[] | undefined
}

/** Fields that mean nothing to people. */
const technical: ReadonlySet<string> = new Set([
  'well_known_id',
  'latitude',
  'longitude',
  'corrected',
  'file_key',
  'file_urls',
])

/** The possible targets: each meaningful field of the answers to these questions, and those in `used`. */
export const targetsIn = (questions: readonly QuestionDefinition[], used: readonly ConditionLine[]): Target[] =>
  questions.flatMap(({ admin_name: question, kind, text, options }): Target[] => {
    const type = exportedType(kind)
    if (type === undefined) return []
    const isUsed = (field: string): boolean =>
      used.some(conditionLine => conditionLine.question === question && conditionLine.field === field)
    const fields = conditionFields(type).filter(field => !technical.has(field) || isUsed(field))
    if (fields.length === 0)
      return [{ question, field: '', text, form: undefined, operators: ['answered'], options: undefined }]
    return fields.map(field => {
      const { form } = questionTypes[type].fields[field]!
      const isOption = form === 'option' || form === 'option_list'
      return {
        question,
        field,
        text: fields.length === 1 ? text : `${text} (${fieldLabel(field)})`,
        form,
        operators: [...operatorsOfForm[form], 'answered'],
        options: isOption ? options : undefined,
      }
    })
  })

/** The target of a line; any field of a question that was only tested for being answered. */
export const targetOf = (targets: readonly Target[], { question, field }: ConditionLine): Target | undefined =>
  targets.find(target => target.question === question && (field === '' || target.field === field))

/** A line with a valid comparison, as far as that can be known. */
export function lineOn({ question, field, form, operators, options }: Target): ConditionLine {
  const operator = operators[0]!
  if (operator === 'answered') return { question, field: '', operator, values: [] }
  const first = options?.[0]?.admin_id
  return { question, field, operator, values: first !== undefined ? [first] : [form === 'number' ? 0 : ''] }
}

/** A value in the form used by comparisons: a number if the field is one. */
export const typedValue = (form: FieldForm | undefined, text: string): string | number =>
  form === 'number' && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text

/** The questions that a condition may use: those asked before this place that are asked once, or for each of the same entities. */
export function earlierThan(
  { screens, questions }: ProgramDefinition,
  { screen, index, enumerator }: { screen: number; index: number; enumerator?: string | undefined },
): QuestionDefinition[] {
  const known = new Map(questions.map(question => [question.admin_name, question]))
  const inside = enumerator === undefined ? [] : ancestors(enumerator, known)
  const asked = screens.slice(0, screen).flatMap(screen => screen.questions)
  return [...asked, ...(screens[screen]?.questions.slice(0, index) ?? [])]
    .flatMap(({ question }) => known.get(question) ?? [])
    .filter(definition => isVisibleIn(inside, definition.enumerator))
}
