// Evaluates a condition of a program version for the answers so far.
// The caller passes in screens, entities and a function to find an answer.

import type { Answer } from './answers.ts'
import type { ComparisonOperator, Condition, ConditionValue } from './program-version.ts'
import { questionTypes } from './question.ts'

/** The answer to a question from the position of the condition; undefined if it is unanswered, hidden or not asked. */
export type FindAnswer = (questionId: number) => Answer | undefined

/** Whether a condition is true. Never throws: a comparison that does not fit its question's answer is false. */
export function holds(condition: Condition, find: FindAnswer): boolean {
  if ('all' in condition) return condition.all.every(inner => holds(inner, find))
  if ('any' in condition) return condition.any.some(inner => holds(inner, find))
  if ('not' in condition) return !holds(condition.not, find)
  const answer = find(condition.question_id)
  if (answer === undefined) return false
  if (condition.operator === 'answered') return true
  const field = fieldOf(answer, condition.field)
  return field !== null && compares(field, condition.operator, condition.value)
}

type Field = string | number | readonly string[]

/** A field of an answer as exported; null if it is empty or missing. */
function fieldOf(answer: Answer, name: string): Field | null {
  const { fields } = questionTypes[answer.type]
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (field === undefined || answer.type === 'ENUMERATOR') return null
  return field.value === undefined ? (answer as unknown as Record<string, Field | null>)[name]! : field.value(answer)
}

function compares(field: Field, operator: ComparisonOperator, value: ConditionValue): boolean {
  const listed: readonly (string | number)[] = typeof value === 'object' ? value : [value]
  if (typeof field === 'object') {
    if (operator === 'includes_any') return listed.some(item => field.includes(String(item)))
    return operator === 'includes_all' && listed.every(item => field.includes(String(item)))
  }
  if (operator === 'in') return listed.includes(field)
  if (typeof value !== typeof field || typeof value === 'object') return false
  switch (operator) {
    case 'equal':
      return field === value
    case 'not_equal':
      return field !== value
    case 'less_than':
      return field < value
    case 'less_than_or_equal':
      return field <= value
    case 'greater_than':
      return field > value
    case 'greater_than_or_equal':
      return field >= value
    default:
      return false
  }
}
