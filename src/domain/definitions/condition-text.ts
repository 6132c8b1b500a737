// A condition in words that an administrator reads at a glance: `housing is rent`.

import type { ComparisonOperator } from '../questions/program-version.ts'
import type { NamedCondition } from './program-definition.ts'

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

export function namedConditionText(condition: NamedCondition): string {
  if ('all' in condition) return joined(condition.all, ' and ')
  if ('any' in condition) return joined(condition.any, ' or ')
  if ('not' in condition) return `not (${namedConditionText(condition.not)})`
  if (condition.operator === 'answered') return `${condition.question} ${operatorLabel.answered}`
  const { question, field, operator, value } = condition
  const subject = obvious.has(field) ? question : `${field} of ${question}`
  return `${subject} ${operatorLabel[operator]} ${Array.isArray(value) ? value.join(', ') : value}`
}

const joined = (conditions: readonly NamedCondition[], word: string): string =>
  conditions
    .map(inner => ('all' in inner || 'any' in inner ? `(${namedConditionText(inner)})` : namedConditionText(inner)))
    .join(word)
