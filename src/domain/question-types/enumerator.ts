// ENUMERATOR: a list of entities, each with answers to the questions repeated for it. The functions that traverse the question tree also
// handle these answers: renderMembers, questionsSchema, checkAnswers, readMembers and the samplers.

import type { QuestionShape } from '../fields/question-type.ts'
import { countSettings } from '../fields/settings.ts'

export const enumerator = {
  kinds: ['ENUMERATOR'],
  settings: countSettings,
  fields: {
    entities: {
      form: 'entities',
      schema: { type: 'array', description: 'One object per entity; empty if unanswered.' },
    },
  },
} as const satisfies QuestionShape<never, typeof countSettings>
