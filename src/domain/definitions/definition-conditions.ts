// Checks the fields, operators and values of conditions.

import type { FieldForm } from '../fields/question-type.ts'
import { isCalendarDate } from '../question-types/date.ts'
import { type ComparisonOperator, comparisonOperators } from '../questions/program-version.ts'
import { type ExportedType, exportedType, questionTypes } from '../questions/question.ts'
import { type DefinitionError, oneError } from './definition-form.ts'
import type { ReadQuestion } from './definition-questions.ts'

const equality: readonly ComparisonOperator[] = ['equal', 'not_equal', 'in']
const order: readonly ComparisonOperator[] = [
  'less_than',
  'less_than_or_equal',
  'greater_than',
  'greater_than_or_equal',
]
const inclusion: readonly ComparisonOperator[] = ['includes_any', 'includes_all']

/** The operators a condition may use on a field of a form. */
export const operatorsOfForm: Readonly<Record<FieldForm, readonly ComparisonOperator[]>> = {
  text: equality,
  number: [...equality, ...order],
  date: [...equality, ...order],
  option: equality,
  option_list: inclusion,
  text_list: inclusion,
  entities: [],
}

/** The fields of an exported answer that a condition can use. For an ENUMERATOR, a condition can only test whether it was answered. */
export const conditionFields = (type: ExportedType): string[] =>
  Object.entries(questionTypes[type].fields).flatMap(([name, { form }]) => (form === 'entities' ? [] : [name]))

/** Checks that field, operator and value of a comparison fit its question. Malformed comparisons are reported by the check of the form. */
export function comparisonErrors(
  condition: Readonly<Record<string, unknown>>,
  question: ReadQuestion,
  path: string,
): DefinitionError[] {
  if (question.kind === undefined) return []
  const error = (member: string, code: string, detail: string) => oneError(`${path}/${member}`, code, detail)
  const name = question.admin_name
  const type = exportedType(question.kind)
  if (type === undefined)
    return error('question', 'no_answer', `Must refer to a question with an answer; "${name}" is information text.`)
  const { field, value } = condition
  const operator = comparisonOperators.find(known => known === condition.operator)
  if (condition.operator === 'answered' || typeof field !== 'string') return []
  const known = conditionFields(type)
  if (!known.includes(field)) {
    const right = known.join(', ')
    return error(
      'field',
      'unknown_field',
      right === ''
        ? `Must be omitted: "${name}" (${question.kind}) supports only \`answered\`.`
        : `Must be a field of "${name}" (${question.kind}): ${right}.`,
    )
  }
  if (operator === undefined || !Object.hasOwn(condition, 'value')) return []
  const { form } = questionTypes[type].fields[field]!
  const operators = operatorsOfForm[form]
  if (!operators.includes(operator)) {
    return error(
      'operator',
      'operator_does_not_fit',
      `Must be one of ${operators.join(', ')} for ${field} of "${name}".`,
    )
  }
  const isList = operator === 'in' || inclusion.includes(operator)
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  const ofType = form === 'number' ? 'number' : 'string'
  if (isList !== Array.isArray(value) || values.some(value => typeof value !== ofType)) {
    const words = { number: ['a number', 'a list of numbers'], string: ['text', 'a list of texts'] }[ofType]
    return error(
      'value',
      'value_does_not_fit',
      `Must be ${words[isList ? 1 : 0]} for ${operator} on ${field} of "${name}".`,
    )
  }
  if (form === 'date' && values.some(value => !isCalendarDate(String(value)))) {
    return error('value', 'value_does_not_fit', `Must be a date such as 2026-01-31 for ${field} of "${name}".`)
  }
  const options = form === 'option' || form === 'option_list' ? question.optionIds() : undefined
  const missing = options === undefined ? [] : values.filter(value => !options.has(String(value)))
  return missing.length === 0
    ? []
    : error(
        'value',
        'unknown_option',
        `Must be an option of "${name}"; ${missing.map(id => `"${id}"`).join(', ')} ${missing.length === 1 ? 'is' : 'are'} not.`,
      )
}
