// Whether a condition of a program version holds, given the answers so far.
// It must not know screens, entities or where an answer is found; that is handed in.

import type { ComparisonOperator, Condition, ConditionValue } from '../definitions/program-version.ts'
import type { Answer } from './answers.ts'

/** The answer to a question as the asker sees it; undefined when it is unanswered, hidden or not asked. */
export type FindAnswer = (questionId: number) => Answer | undefined

/** Whether a condition holds. Never throws: a comparison that does not fit its question's answer is false. */
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

/** A field of an answer as it is exported; null when it is empty or there is none of that name. */
function fieldOf(answer: Answer, name: string): Field | null {
  switch (answer.type) {
    case 'CURRENCY':
      // The double nearest to the amount, as the condition's value is: 1010 cents are 10.1 here and there.
      return name === 'currency_dollars' ? answer.currency_cents / 100 : null
    case 'ENUMERATOR':
      return null
    case 'FILE_UPLOAD':
      if (name === 'file_key') return answer.file_urls[0] ?? null
      return name === 'file_urls' ? answer.file_urls : null
    default: {
      const { type, ...fields } = answer
      return Object.hasOwn(fields, name) ? (fields as Readonly<Record<string, Field | null>>)[name]! : null
    }
  }
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
