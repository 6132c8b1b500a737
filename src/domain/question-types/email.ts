// EMAIL: "validated only by the applicant's browser, so it must be treated as arbitrary text" (spec).

import { anyText } from '../fields/field-schema.ts'
import { json, type QuestionType } from '../fields/question-type.ts'
import { none } from '../fields/settings.ts'
import { integerFrom, pick } from '../random/seeded-random.ts'

interface Email {
  type: 'EMAIL'
  email: string
}

export const email = {
  kinds: ['EMAIL'],
  settings: none,
  fields: {
    email: { form: 'text', schema: anyText('Email address as typed by the applicant. Treat it as arbitrary text.') },
  },
  text: a => `{"question_type":"EMAIL","email":${json(a.email)}}`,
  lines: a => [{ text: a.email }],
  read: fields => {
    const email = fields.text('email')
    return email === undefined ? undefined : { type: 'EMAIL', email }
  },
  sample: (_, variant) => ({ type: 'EMAIL', email: `${['maria', 'soren', 'ifeoma'][variant % 3]!}@example.org` }),
  random: () => next => {
    const name = pick(next, ['amina', 'jose', 'zoe', 'mei', 'lukasz', 'grace', 'kwame', 'rosa', 'yusuf', 'priya'])
    const number = integerFrom(next, 1, 9999)
    const host = pick(next, ['example.org', 'example.com', 'mail.example.net'])
    return { type: 'EMAIL', email: `${name}.${number}@${host}` }
  },
} as const satisfies QuestionType<Email, typeof none>
