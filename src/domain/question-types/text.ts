// TEXT: any Unicode characters, within the lengths the question sets.

import { anyText } from '../fields/field-schema.ts'
import { json, type QuestionType } from '../fields/question-type.ts'
import { lengthFits, lengthSettings } from '../fields/settings.ts'
import { organizations, sentences } from '../random/sample-words.ts'
import { integerFrom, pick } from '../random/seeded-random.ts'

interface Text {
  type: 'TEXT'
  text: string
}

export const text = {
  kinds: ['TEXT'],
  settings: lengthSettings,
  fields: { text: { form: 'text', schema: anyText('Any text.') } },
  text: a => `{"question_type":"TEXT","text":${json(a.text)}}`,
  lines: a => [{ text: a.text }],
  read: (fields, { settings }) => {
    const text = fields.text('text')
    return text === undefined || !lengthFits(fields, 'text', text, settings) ? undefined : { type: 'TEXT', text }
  },
  sample: ({ min_length, max_length }, variant) => ({
    type: 'TEXT',
    text: textWithin(sentences[variant % sentences.length]!, min_length, max_length),
  }),
  random:
    ({ min_length, max_length }) =>
    next => {
      // A question with room for a name alone gets one: a landlord's, an employer's.
      if (max_length !== undefined && max_length <= nameLength)
        return { type: 'TEXT', text: textWithin(pick(next, organizations), min_length, max_length) }
      let text: string = pick(next, sentences)
      for (let more = integerFrom(next, 0, 3); more > 0; more--) {
        const longer = `${text} ${pick(next, sentences)}`
        if (longer.length <= (max_length ?? 500)) text = longer
      }
      return { type: 'TEXT', text: textWithin(text, min_length, max_length) }
    },
} as const satisfies QuestionType<Text, typeof lengthSettings>

const nameLength = 80

/** A text of at least `minLength` and at most `maxLength` code points: repeated to reach the one, cut to keep the other. */
function textWithin(text: string, minLength = 0, maxLength = 500): string {
  // A text has at most as many code points as UTF-16 units, and at least half as many.
  if (text.length <= maxLength && text.length >= minLength * 2) return text
  const points = [...text]
  let filled = points
  while (filled.length < minLength) filled = [...filled, ' ', ...points]
  return filled.slice(0, maxLength).join('')
}
