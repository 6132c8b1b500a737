// Settings shared by several question types, and the checks of answers against them.

import { type TProperties, Type } from 'typebox'
import type { FieldReader } from './field-reader.ts'
import type { AnswerRules, SettingsOf } from './question-type.ts'
import { translationsOf } from './translation-schema.ts'

export const none = {} as const

const count = (minimum: 0 | 1, description: string) => Type.Integer({ minimum, maximum: 1_000_000, description })

export const lengthSettings = {
  min_length: count(0, 'Minimum number of characters (Unicode code points).'),
  max_length: count(1, 'Maximum number of characters (Unicode code points).'),
}

export const countSettings = {
  min_count: count(0, 'Minimum number of selections, entities or files.'),
  max_count: count(1, 'Maximum number of selections, entities or files.'),
}

const optionText = Type.String({ minLength: 1, maxLength: 10_000, description: 'Text shown to applicants.' })

/** The options of a question, each with these additional members. */
export function optionList<More extends TProperties>(more: More) {
  const option = Type.Object(
    {
      admin_id: Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'ID in exports. Lowercase letters a to z, digits, `_` and `-`; for a MAP question, the ID of a map feature, which can be any text.',
      }),
      text: optionText,
      translations: translationsOf({ text: optionText }),
      ...more,
    },
    { additionalProperties: false, title: 'Option' },
  )
  return Type.Array(option, { minItems: 1, maxItems: 5000, description: 'Options to choose from; required.' })
}

export const optionSettings = { options: optionList({}) }

export const optionIdsOf = ({ options = [] }: SettingsOf<typeof optionSettings>): string[] =>
  options.map(option => option.admin_id)

/** "Min and max lengths set on the question are enforced for new answers"; in code points. */
export function lengthFits(
  fields: FieldReader,
  name: string,
  text: string,
  { min_length = 0, max_length = Number.POSITIVE_INFINITY }: SettingsOf<typeof lengthSettings>,
): boolean {
  // A text has at most as many code points as UTF-16 units, and at least half as many.
  if (text.length <= max_length && text.length >= min_length * 2) return true
  const length = codePoints(text)
  if (length < min_length)
    fields.error(
      name,
      'too_short',
      `Must have at least ${min_length} ${min_length === 1 ? 'character' : 'characters'}.`,
    )
  else if (length > max_length)
    fields.error(name, 'too_long', `Must have at most ${max_length} ${max_length === 1 ? 'character' : 'characters'}.`)
  else return true
  return false
}

function codePoints(text: string): number {
  let count = 0
  // The second half of a surrogate pair is not counted. Text is well-formed here.
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) !== 0xdc00) count++
  return count
}

export function countFits(
  fields: FieldReader,
  name: string,
  count: number,
  what: string,
  { min_count = 0, max_count = Number.POSITIVE_INFINITY }: SettingsOf<typeof countSettings>,
): boolean {
  if (count < min_count) fields.error(name, 'too_few', `Must have at least ${min_count} ${what}.`)
  else if (count > max_count) fields.error(name, 'too_many', `Must have at most ${max_count} ${what}.`)
  else return true
  return false
}

/** The maximum number of options listed in an error. */
const optionsShown = 20

export function isOption(
  fields: FieldReader,
  name: string,
  selection: string,
  { optionIds, stage }: AnswerRules,
  item?: number,
): boolean {
  if (optionIds.has(selection)) return true
  const shown = [...optionIds].slice(0, optionsShown).map(id => `"${id}"`)
  const more = optionIds.size > optionsShown ? `, or ${optionIds.size - optionsShown} others` : ''
  const which = stage === 'older' ? 'a current or former option' : 'an option'
  fields.error(name, 'not_an_option', `Must be the ID of ${which} of this question: ${shown.join(', ')}${more}.`, item)
  return false
}
