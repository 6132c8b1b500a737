// Describes a condition in words: `“How do you live?” is “I rent”`. Works for documents, which refer to questions by name, and for stored
// versions, which use IDs.

import { dayText, isCalendarDate } from '../question-types/date.ts'
import type { ComparisonOperator, Condition } from '../questions/program-version.ts'
import { exportedType, questionTypes, type VersionQuestion } from '../questions/question.ts'
import type { NamedCondition, QuestionDefinition } from './program-definition.ts'

export const operatorLabel: Readonly<Record<ComparisonOperator | 'answered', string>> = {
  answered: 'was answered',
  equal: 'is',
  not_equal: 'is not',
  less_than: 'is less than',
  less_than_or_equal: 'is at most',
  greater_than: 'is more than',
  greater_than_or_equal: 'is at least',
  in: 'is any of',
  includes_any: 'has any of',
  includes_all: 'has all of',
}

const dateVerbs: Partial<typeof operatorLabel> = {
  less_than: 'is before',
  less_than_or_equal: 'is on or before',
  greater_than: 'is after',
  greater_than_or_equal: 'is on or after',
}

type AskedQuestion = Pick<QuestionDefinition, 'kind' | 'text' | 'options'>

/** The questions used in conditions, as applicants read them, by their name in the condition: admin name or ID. */
export type AskedQuestions = ReadonlyMap<string | number, AskedQuestion>

export const askedByName = (questions: readonly QuestionDefinition[]): AskedQuestions =>
  new Map(questions.map(question => [question.admin_name, question]))

export const askedById = (questions: readonly VersionQuestion[]): AskedQuestions =>
  new Map(questions.map(({ question_id, kind, settings }) => [question_id, { kind, ...settings }]))

/** Describes when something is asked. */
export function conditionText(condition: NamedCondition | Condition, questions: AskedQuestions): string {
  if ('all' in condition) return joined(condition.all, ' and ', questions)
  if ('any' in condition) return joined(condition.any, ' or ', questions)
  if ('not' in condition) return `not (${conditionText(condition.not, questions)})`
  const question = questions.get('question' in condition ? condition.question : condition.question_id)
  const name = `“${question?.text ?? ('question' in condition ? condition.question : 'another question')}”`
  if (condition.operator === 'answered') return `${name} ${operatorLabel.answered}`
  const { field, operator, value } = condition
  const type = question && exportedType(question.kind)
  const fields = type === undefined ? {} : questionTypes[type].fields
  // Says which field is meant if an answer has several.
  const part = Object.keys(fields).length > 1 ? ` (${fieldLabel(field)})` : ''
  const isDay = fields[field]?.form === 'date'
  const verb = (isDay ? dateVerbs[operator] : undefined) ?? operatorLabel[operator]
  const valueText = (item: string | number): string => {
    if (typeof item === 'number') return String(item)
    if (isDay && isCalendarDate(item)) return dayText(item)
    return `“${question?.options?.find(({ admin_id }) => admin_id === item)?.text ?? item}”`
  }
  return `${name}${part} ${verb} ${[value].flat().map(valueText).join(', ')}`
}

/** A field of an answer for people, such as `first name`. */
export const fieldLabel = (field: string): string => fieldLabels[field] ?? field.replaceAll('_', ' ')
const fieldLabels: Readonly<Record<string, string>> = { line2: 'apartment or suite', zip: 'ZIP code' }

function joined(conditions: readonly (NamedCondition | Condition)[], word: string, questions: AskedQuestions): string {
  const parts = conditions.map(condition => {
    const words = conditionText(condition, questions)
    return 'all' in condition || 'any' in condition ? `(${words})` : words
  })
  return parts.join(word)
}
