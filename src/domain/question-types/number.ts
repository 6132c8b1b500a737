// NUMBER: an integer that every client can represent exactly, within the question's limits (D19).

import { Type } from 'typebox'
import { orNull } from '../fields/field-schema.ts'
import type { QuestionType } from '../fields/question-type.ts'
import { integerFrom } from '../random/seeded-random.ts'

interface NumberAnswer {
  type: 'NUMBER'
  /** An integer within ±(2^53 − 1). */
  number: number
}

const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
const settings = {
  min: Type.Integer({ ...safe, description: 'Minimum, inclusive.' }),
  max: Type.Integer({ ...safe, description: 'Maximum, inclusive.' }),
}

const description = 'Integer within ±(2^53 − 1).'

export const number = {
  kinds: ['NUMBER'],
  settings,
  fields: { number: { form: 'number', schema: orNull('integer', { description, ...safe }) } },
  text: a => `{"question_type":"NUMBER","number":${a.number}}`,
  lines: a => [{ text: String(a.number) }],
  /** "Min and max values set on the question are enforced for new answers." */
  read: (fields, { settings: { min = safe.minimum, max = safe.maximum } }) => {
    const number = fields.integer('number')
    if (number === undefined) return undefined
    if (number < min) return fields.error('number', 'too_small', `Must be at least ${min}.`)
    if (number > max) return fields.error('number', 'too_large', `Must be at most ${max}.`)
    return { type: 'NUMBER', number }
  },
  sample: ({ min = safe.minimum, max = safe.maximum }, variant) => ({
    type: 'NUMBER',
    number: Math.min(Math.max(3 + variant, min), max),
  }),
  random: ({ min, max }) => {
    const least = min ?? Math.min(0, max ?? 0)
    const most = Math.min(max ?? Math.max(least, 0) + 40, least + 1_000_000)
    return next => ({ type: 'NUMBER', number: integerFrom(next, least, most) })
  },
} as const satisfies QuestionType<NumberAnswer, typeof settings>
