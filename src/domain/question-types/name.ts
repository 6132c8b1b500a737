// NAME: "when the question is answered, only `middle_name` and `suffix` are optional" (spec).

import { anyText, openEnum } from '../fields/field-schema.ts'
import { json, type QuestionType } from '../fields/question-type.ts'
import { none } from '../fields/settings.ts'
import { familyNames, givenNames } from '../random/sample-words.ts'
import { pick } from '../random/seeded-random.ts'

interface Name {
  type: 'NAME'
  first_name: string
  middle_name: string | null
  last_name: string
  suffix: string | null
}

/** Source: spec, NAME, `suffix`. */
export const suffixes = ['JR', 'SR', 'I', 'II', 'III', 'IV', 'V']

export const name = {
  kinds: ['NAME'],
  settings: none,
  fields: {
    first_name: { form: 'text', schema: anyText('First name.') },
    middle_name: { form: 'text', schema: anyText('Middle name; null if there is none.') },
    last_name: { form: 'text', schema: anyText('Last name.') },
    suffix: {
      form: 'text',
      schema: (_, style) => openEnum('Suffix; null if there is none.', suffixes, style, 'or null'),
    },
  },
  text: a =>
    `{"question_type":"NAME","first_name":${json(a.first_name)},"middle_name":${json(a.middle_name)},` +
    `"last_name":${json(a.last_name)},"suffix":${json(a.suffix)}}`,
  lines: a => [{ text: [a.first_name, a.middle_name, a.last_name, a.suffix].filter(part => part !== null).join(' ') }],
  read: fields => {
    const first_name = fields.text('first_name')
    const middle_name = fields.optionalText('middle_name')
    const last_name = fields.text('last_name')
    const suffix = fields.oneOf('suffix', suffixes)
    if (first_name === undefined || middle_name === undefined || last_name === undefined || suffix === undefined)
      return undefined
    return { type: 'NAME', first_name, middle_name, last_name, suffix }
  },
  sample: (_, variant) => ({
    type: 'NAME',
    first_name: ['María', 'Søren', 'Ifeoma'][variant % 3]!,
    middle_name: 'Ángel',
    last_name: ['García', 'Nguyễn', 'O’Brien'][variant % 3]!,
    suffix: 'JR',
  }),
  random: () => next => ({
    type: 'NAME',
    first_name: pick(next, givenNames),
    middle_name: next() < 0.4 ? pick(next, givenNames) : null,
    last_name: pick(next, familyNames),
    suffix: next() < 0.08 ? pick(next, ['JR', 'SR', 'II', 'III']) : null,
  }),
} as const satisfies QuestionType<Name, typeof none>
