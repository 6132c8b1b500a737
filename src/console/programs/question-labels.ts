// Kinds and bounds of questions, as people say them.

import type { QuestionDefinition } from '../../domain/definitions/program-definition.ts'

/** As people say it: SINGLE_SELECT is an export's word. */
export const kindLabel = (kind: string): string => kind.replaceAll('_', ' ').toLowerCase()

/** The bounds of a question: `at least 1, at most 12`. */
export function boundLabel(question: QuestionDefinition): string {
  const { min, max, min_length, max_length, min_count, max_count } = question
  const range = (least: number | undefined, most: number | undefined, what: string): string =>
    [least === undefined ? '' : `at least ${least}`, most === undefined ? '' : `at most ${most}`]
      .filter(Boolean)
      .join(', ')
      .concat(least === undefined && most === undefined ? '' : what)
  return [range(min, max, ''), range(min_length, max_length, ' characters'), range(min_count, max_count, '')]
    .filter(Boolean)
    .join('; ')
}
