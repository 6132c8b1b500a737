// A condition in words that an administrator reads at a glance: `“How do you live?” is “I rent”`.

import type { ComparisonOperator } from '../questions/program-version.ts'
import type { NamedCondition, QuestionDefinition } from './program-definition.ts'

export const operatorLabel: Readonly<Record<ComparisonOperator | 'answered', string>> = {
  answered: 'was answered',
  equal: 'is',
  not_equal: 'is not',
  less_than: 'is less than',
  less_than_or_equal: 'is at most',
  greater_than: 'is more than',
  greater_than_or_equal: 'is at least',
  in: 'is one of',
  includes_any: 'has any of',
  includes_all: 'has all of',
}

/** Fields that go without saying: the only one of their type. */
const obvious = new Set(['selection', 'selections', 'number', 'text', 'date', 'currency_dollars'])

/** How the questions and options of a condition are called. */
export interface ConditionNames {
  question: (name: string) => string
  value: (question: string, value: string) => string
}

/** The words that applicants read, of the questions that are defined here. */
export function conditionNames(questions: readonly QuestionDefinition[]): ConditionNames {
  const known = new Map(questions.map(question => [question.admin_name, question]))
  return {
    question: name => known.get(name)?.text ?? name,
    value: (name, value) => known.get(name)?.options?.find(({ admin_id }) => admin_id === value)?.text ?? value,
  }
}

export function namedConditionText(condition: NamedCondition, names: ConditionNames): string {
  if ('all' in condition) return joined(condition.all, ' and ', names)
  if ('any' in condition) return joined(condition.any, ' or ', names)
  if ('not' in condition) return `not (${namedConditionText(condition.not, names)})`
  const asked = `“${names.question(condition.question)}”`
  if (condition.operator === 'answered') return `${asked} ${operatorLabel.answered}`
  const { question, field, operator, value } = condition
  const subject = obvious.has(field) ? asked : `${fieldLabel(field)} of ${asked}`
  return `${subject} ${operatorLabel[operator]} ${[value]
    .flat()
    .map(one => (typeof one === 'number' ? one : `“${names.value(question, one)}”`))
    .join(', ')}`
}

/** A field of an answer as people say it: `first name`. */
export const fieldLabel = (field: string): string => fieldLabels[field] ?? field.replaceAll('_', ' ')
const fieldLabels: Readonly<Record<string, string>> = { line2: 'apartment or suite', zip: 'ZIP code' }

const joined = (conditions: readonly NamedCondition[], word: string, names: ConditionNames): string =>
  conditions
    .map(inner =>
      'all' in inner || 'any' in inner ? `(${namedConditionText(inner, names)})` : namedConditionText(inner, names),
    )
    .join(word)
