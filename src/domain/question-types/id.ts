// ID: digits only, within the question's length limits.

import { orNull } from '../fields/field-schema.ts'
import { json, type QuestionType } from '../fields/question-type.ts'
import { lengthFits, lengthSettings } from '../fields/settings.ts'
import { integerFrom } from '../random/seeded-random.ts'

interface Id {
  type: 'ID'
  id: string
}

/** Source: spec, ID: "digits only, pattern `^[0-9]*$`". ASCII digits only. */
export const idPattern = /^[0-9]*$/

export const id = {
  kinds: ['ID'],
  settings: lengthSettings,
  fields: {
    id: { form: 'text', schema: orNull('string', { pattern: idPattern.source, description: 'Digits only.' }) },
  },
  text: a => `{"question_type":"ID","id":${json(a.id)}}`,
  lines: a => [{ text: a.id, look: 'code' }],
  read: (fields, { settings }) => {
    const id = fields.formatted('id', text => idPattern.test(text), 'digits 0 to 9 only')
    return id === undefined || !lengthFits(fields, 'id', id, settings) ? undefined : { type: 'ID', id }
  },
  sample: ({ min_length = 0, max_length = Number.MAX_SAFE_INTEGER }, variant) => {
    const length = Math.min(Math.max(6, min_length), max_length)
    return { type: 'ID', id: Array.from({ length }, (_, i) => '1234567890'[(i + variant) % 10]).join('') }
  },
  random:
    ({ min_length = 6, max_length = 9 }) =>
    next => {
      const least = Math.max(1, min_length)
      const length = integerFrom(next, least, Math.max(least, Math.min(max_length, least + 4)))
      let id = ''
      for (let i = 0; i < length; i++) id += Math.floor(next() * 10)
      return { type: 'ID', id }
    },
} as const satisfies QuestionType<Id, typeof lengthSettings>
