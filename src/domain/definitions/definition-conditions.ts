// Which fields a condition can look at, and which operators and values fit them.
// It must not know where in a program the condition stands.

import { type ExportedType, exportedType } from '../questions/question.ts'
import type { DefinitionFault } from './definition-form.ts'
import type { ReadQuestion } from './definition-questions.ts'
import { type ComparisonOperator, comparisonOperators } from './program-version.ts'

/** What a field of an exported answer holds, as a condition sees it. */
export type FieldForm = 'text' | 'number' | 'date' | 'option' | 'option_list' | 'text_list'

/** The fields of each exported type. An ENUMERATOR can only be asked whether it was answered. */
export const conditionFields: Readonly<Record<ExportedType, Readonly<Record<string, FieldForm>>>> = {
  ADDRESS: {
    street: 'text',
    line2: 'text',
    city: 'text',
    state: 'text',
    zip: 'text',
    corrected: 'text',
    latitude: 'text',
    longitude: 'text',
    well_known_id: 'text',
    service_area: 'text',
  },
  CURRENCY: { currency_dollars: 'number' },
  DATE: { date: 'date' },
  EMAIL: { email: 'text' },
  ENUMERATOR: {},
  FILE_UPLOAD: { file_key: 'text', file_urls: 'text_list' },
  ID: { id: 'text' },
  MAP: { selections: 'option_list' },
  MULTI_SELECT: { selections: 'option_list' },
  NAME: { first_name: 'text', middle_name: 'text', last_name: 'text', suffix: 'text' },
  NUMBER: { number: 'number' },
  PHONE: { phone_number: 'text' },
  SINGLE_SELECT: { selection: 'option' },
  TEXT: { text: 'text' },
}

const equality: readonly ComparisonOperator[] = ['equal', 'not_equal', 'in']
const order: readonly ComparisonOperator[] = [
  'less_than',
  'less_than_or_equal',
  'greater_than',
  'greater_than_or_equal',
]
const inclusion: readonly ComparisonOperator[] = ['includes_any', 'includes_all']

const operatorsOfForm: Readonly<Record<FieldForm, readonly ComparisonOperator[]>> = {
  text: equality,
  number: [...equality, ...order],
  date: [...equality, ...order],
  option: equality,
  option_list: inclusion,
  text_list: inclusion,
}

/** The operators a condition may use on a field of this form. */
export function operatorsFor(form: FieldForm): readonly ComparisonOperator[] {
  return operatorsOfForm[form]
}

/** Whether field, operator and value of one comparison fit the question it looks at. What is malformed is left to the form. */
export function comparisonFaults(
  condition: Readonly<Record<string, unknown>>,
  question: ReadQuestion,
  path: string,
): DefinitionFault[] {
  if (question.kind === undefined) return []
  const fault = (member: string, code: string, detail: string): DefinitionFault[] => [
    { path: `${path}/${member}`, code, detail },
  ]
  const name = question.admin_name
  const type = exportedType(question.kind)
  if (type === undefined)
    return fault('question', 'no_answer', `Must look at a question: "${name}" is text, it has no answer.`)
  const { field, value } = condition
  const operator = comparisonOperators.find(known => known === condition.operator)
  if (condition.operator === 'answered' || typeof field !== 'string') return []
  const fields = conditionFields[type]
  const form = Object.hasOwn(fields, field) ? fields[field] : undefined
  if (form === undefined) {
    const right = Object.keys(fields).join(', ')
    return fault(
      'field',
      'unknown_field',
      right === ''
        ? `Must be left out: of "${name}" (${question.kind}) only \`answered\` can be asked.`
        : `Must be a field of "${name}" (${question.kind}): ${right}.`,
    )
  }
  if (operator === undefined || !Object.hasOwn(condition, 'value')) return []
  const operators = operatorsOfForm[form]
  if (!operators.includes(operator)) {
    return fault(
      'operator',
      'operator_does_not_fit',
      `Must be one of ${operators.join(', ')} for ${field} of "${name}".`,
    )
  }
  const isList = operator === 'in' || inclusion.includes(operator)
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  const ofType = form === 'number' ? 'number' : 'string'
  if (isList !== Array.isArray(value) || values.some(one => typeof one !== ofType)) {
    const words = { number: ['a number', 'a list of numbers'], string: ['text', 'a list of texts'] }[ofType]
    return fault(
      'value',
      'value_does_not_fit',
      `Must be ${words[isList ? 1 : 0]} for ${operator} on ${field} of "${name}".`,
    )
  }
  if (form === 'date' && values.some(one => !isDate(String(one)))) {
    return fault('value', 'value_does_not_fit', `Must be a date such as 2026-01-31 for ${field} of "${name}".`)
  }
  const options = form === 'option' || form === 'option_list' ? question.option_ids : undefined
  const missing = options === undefined ? [] : values.filter(one => !options.includes(String(one)))
  return missing.length === 0
    ? []
    : fault(
        'value',
        'unknown_option',
        `Must be an option of "${name}": ${missing.map(one => `"${one}"`).join(', ')} ${missing.length === 1 ? 'is' : 'are'} not.`,
      )
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
