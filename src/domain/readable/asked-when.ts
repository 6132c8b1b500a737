// A condition in the words that the applicant read, so that people see why something was not asked.

import { operatorLabel } from '../definitions/condition-text.ts'
import { dayText, isCalendarDate } from '../question-types/date.ts'
import type { Condition, ConditionValue } from '../questions/program-version.ts'
import { exportedType, questionTypes, type VersionQuestion } from '../questions/question.ts'

const dateVerbs: Partial<typeof operatorLabel> = {
  less_than: 'is before',
  less_than_or_equal: 'is on or before',
  greater_than: 'is after',
  greater_than_or_equal: 'is on or after',
}

/** `“Do you rent or own?” is “Rent”`: when the program asks something. */
export function conditionText(condition: Condition, questions: readonly VersionQuestion[]): string {
  if ('all' in condition) return joined(condition.all, ' and ', questions)
  if ('any' in condition) return joined(condition.any, ' or ', questions)
  if ('not' in condition) return `not (${conditionText(condition.not, questions)})`
  const question = questions.find(({ question_id }) => question_id === condition.question_id)
  const name = `“${question?.settings.text ?? 'another question'}”`
  if (condition.operator === 'answered') return `${name} ${operatorLabel.answered}`
  const { field, operator, value } = condition
  const type = question && exportedType(question.kind)
  const fields = type === undefined ? {} : questionTypes[type].fields
  // Where an answer has several fields, which one is meant.
  const part = Object.keys(fields).length > 1 ? ` (${field.replaceAll('_', ' ')})` : ''
  const isDay = fields[field]?.form === 'date'
  const verb = (isDay ? dateVerbs[operator] : undefined) ?? operatorLabel[operator]
  return `${name}${part} ${verb} ${valueText(value, question, isDay)}`
}

function joined(conditions: readonly Condition[], word: string, questions: readonly VersionQuestion[]): string {
  const parts = conditions.map(condition => {
    const words = conditionText(condition, questions)
    return 'all' in condition || 'any' in condition ? `(${words})` : words
  })
  return parts.join(word)
}

function valueText(value: ConditionValue, question: VersionQuestion | undefined, isDay: boolean): string {
  const values: readonly (string | number)[] = typeof value === 'object' ? value : [value]
  return values
    .map(one => {
      if (typeof one === 'number') return String(one)
      const option = question?.settings.options?.find(({ admin_id }) => admin_id === one)
      return isDay && isCalendarDate(one) ? dayText(one) : `“${option?.text ?? one}”`
    })
    .join(', ')
}
