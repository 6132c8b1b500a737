// TEXT: any Unicode text, within the question's length limits.

import { anyText } from '../fields/field-schema.ts'
import { json, type QuestionType } from '../fields/question-type.ts'
import { lengthFits, lengthSettings } from '../fields/settings.ts'
import { familyNames, organizations, sentences } from '../random/sample-words.ts'
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
  sample: (settings, variant) => {
    const texts = textsFor(settings)
    return { type: 'TEXT', text: textWithin(texts[variant % texts.length]!, settings) }
  },
  random: settings => next => {
    let text: string = pick(next, textsFor(settings))
    if (textsFor(settings) === sentences)
      for (let more = integerFrom(next, 0, 3); more > 0; more--) {
        const longer = `${text} ${pick(next, sentences)}`
        if (longer.length <= (settings.max_length ?? 500)) text = longer
      }
    return { type: 'TEXT', text: textWithin(text, settings) }
  },
} as const satisfies QuestionType<Text, typeof lengthSettings>

interface Lengths {
  min_length?: number
  max_length?: number
}

/** A question that only has room for a name gets one: a landlord's, an employer's. */
const textsFor = ({ max_length }: Lengths) => (max_length !== undefined && max_length <= 80 ? organizations : sentences)

const lengthOf = (text: string): number => [...text].length

/** This text, or other texts instead of it or after it until it is long enough: whole texts if possible, cut only if none fits. In code points. */
function textWithin(first: string, { min_length = 0, max_length = Math.max(500, 2 * min_length) }: Lengths): string {
  let text = ''
  let length = 0
  for (let isLonger = true; isLonger; ) {
    isLonger = false
    for (const next of [first, ...sentences, ...organizations, ...familyNames]) {
      if (length > 0 && length >= min_length) return text
      const separator = length === 0 ? '' : ' '
      const longer = length + separator.length + lengthOf(next)
      if (longer > max_length) continue
      text += separator + next
      length = longer
      isLonger = true
    }
  }
  return [...(text === '' ? first : `${text} ${first}`)].slice(0, max_length).join('')
}
