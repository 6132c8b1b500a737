// Explains errors of a condition in the editor's words: questions by their texts, comparisons by their labels.

import { operatorLabel } from '../../../domain/definitions/condition-text.ts'
import { operatorsOfForm } from '../../../domain/definitions/definition-conditions.ts'
import type { DefinitionError } from '../../../domain/definitions/definition-form.ts'
import { placeOf } from '../../../domain/definitions/edit-definition.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import type { ComparisonOperator } from '../../../domain/questions/program-version.ts'
import { exportedType, questionTypes } from '../../../domain/questions/question.ts'

interface Comparison {
  question: string
  field?: string
  operator: ComparisonOperator
  value?: string | number | readonly (string | number)[]
}

/** The detail of an error in this document; for an error in a condition, in words for the editor. */
export function detailInWords(definition: ProgramDefinition, { path, code, detail }: DefinitionError): string {
  const [, at] = /^\/(screens\/.*\/?visible_when.*?)\/(?:question|field|operator|value)(?:\/\d+)?$/.exec(path) ?? []
  const condition = at
    ?.split('/')
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], definition)
  const words = condition === undefined ? undefined : wordsOf(definition, condition as Comparison)[code]
  return words?.() ?? detail
}

/** The words for the error with each code; undefined if the document's own words are used. */
function wordsOf(
  definition: ProgramDefinition,
  { question: name, field = '', operator, value }: Comparison,
): Readonly<Record<string, () => string | undefined>> {
  const find = (admin_name: string | undefined) =>
    definition.questions.find(question => question.admin_name === admin_name)
  const textOf = (admin_name: string | undefined) => `“${find(admin_name)?.text ?? admin_name}”`
  const text = textOf(name)
  const question = find(name)
  const type = question && exportedType(question.kind)
  const form = type === undefined ? undefined : questionTypes[type].fields[field]?.form
  const place = placeOf(definition, name)
  const wrongValue = (): string | undefined => {
    const isDay = form === 'date' ? (['a date', '2026-01-31'] as const) : undefined
    const [item, example] = isDay ?? (form === 'number' ? ['a number', '100'] : ['text', ''])
    const several =
      operator === 'in' || operator.startsWith('includes') ? ', or several values separated by commas' : ''
    const such = example === '' ? '' : `, such as ${example}`
    return `Must be ${item}${such}${several}, to compare with ${text}.`
  }
  return {
    not_visible: () =>
      `Must refer to a question that is asked once, or for each entry in the same list; ${text} is asked for each entry in ${textOf(question?.enumerator)}.`,
    not_earlier: () =>
      `Must refer to an earlier question; ${text} is asked later, on screen ${place!.screen + 1} · ${definition.screens[place!.screen]!.name}.`,
    not_asked: () => `Must refer to an earlier question of this program; ${text} isn’t one of its questions.`,
    value_does_not_fit: wrongValue,
    wrong_type: wrongValue,
    operator_does_not_fit: () =>
      `Must be one of ${operatorsOfForm[form!].map(item => `“${operatorLabel[item]}”`).join(', ')} for ${text}.`,
    unknown_option: () => {
      const options = new Set(question?.options?.map(({ admin_id }) => admin_id))
      const wrong = [value ?? []].flat().filter(item => !options.has(String(item)))
      return `Must be an option of ${text}: ${wrong.map(item => `“${item}”`).join(', ')} ${wrong.length === 1 ? 'is' : 'are'} not.`
    },
  }
}
