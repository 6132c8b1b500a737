// Describes the questions on a page for its audit entry; empty if it had all of them.

import type { KeyMap } from '../../domain/questions/key-map.ts'
import { namesOfFields, type QuestionChoice } from '../../domain/questions/question-view.ts'

export interface SentQuestions {
  /** Chosen questions, named as in `fields`. */
  fields?: string[]
  /** Only those of the newest version were sent. */
  questions?: 'current'
  /** Admin names of the questions hidden from the key, in this program or others. */
  hidden_questions?: readonly string[]
}

/** `seen` are the questions on the page: all chosen questions that are not hidden. */
export const sentQuestions = (
  seen: KeyMap,
  { chosen, questions }: QuestionChoice,
  hidden: { names: readonly string[] },
): SentQuestions => ({
  ...(chosen === undefined ? {} : { fields: namesOfFields(seen, chosen) }),
  ...(questions === undefined ? {} : { questions }),
  ...(hidden.names.length === 0 ? {} : { hidden_questions: hidden.names }),
})
