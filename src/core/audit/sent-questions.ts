// The questions on a page, as its audit entry names them: nothing if it had all of them.

import type { KeyMap } from '../../domain/questions/key-map.ts'
import { namesOfFields } from '../../domain/questions/question-view.ts'

export interface SentQuestions {
  /** What the client chose, named as in `fields`. */
  fields?: string[]
  /** Admin names of the questions that the key does not see, of this program or others. */
  hidden_questions?: readonly string[]
}

/** `seen` is what the page is made of; it has all that was chosen and is not hidden. */
export const sentQuestions = (
  seen: KeyMap,
  chosen: readonly number[] | undefined,
  hidden: { names: readonly string[] },
): SentQuestions => ({
  ...(chosen === undefined ? {} : { fields: namesOfFields(seen, chosen) }),
  ...(hidden.names.length === 0 ? {} : { hidden_questions: hidden.names }),
})
