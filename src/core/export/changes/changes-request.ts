// Parses the query of a request to the change feed.

import type { ChangePlace } from '../../../db/walks/change-rows.ts'
import type { KeyMap } from '../../../domain/questions/key-map.ts'
import type { QuestionChoice } from '../../../domain/questions/question-view.ts'
import { parseChangeCursor } from '../requests/change-cursor.ts'
import { readChoice } from '../requests/question-choice.ts'
import { parseOneOf, parsePageSize, type SentParameters, SentQuery } from '../requests/sent-query.ts'
import { type ChangesFormat, changesFormats } from './feed-framings.ts'

/** Maximum changes per page, regardless of MAX_PAGE_SIZE, because the changes of a page are held in memory. */
export const changesMax = 10_000

export interface ChangesRequest {
  /** Position to start after; undefined for `after=latest`, which requests a current cursor. */
  after: ChangePlace | undefined
  pageSize: number
  /** `include=application` (contract D39). */
  withApplications: boolean
  /** Questions of the applications. */
  choice: QuestionChoice
  /** Value of `format`; undefined if the Accept header decides (contract D49). */
  format: ChangesFormat | undefined
}

/**
 * Parses `after` (a cursor, `latest`, or absent for the beginning), `pageSize`, `format`, `include`, and with it `questions` and `fields`, for
 * which `loadVisible` loads the questions that the caller can choose from.
 * Throws one Problem `invalid_request` with every error.
 */
export async function parseChangesRequest(
  sent: SentParameters,
  limits: { maxPageSize: number },
  loadVisible: (choice: QuestionChoice) => Promise<KeyMap>,
): Promise<ChangesRequest> {
  const hasAnswers = sent.pairs.some(({ name }) => name === 'include')
  const query = new SentQuery(sent, [
    'after',
    'pageSize',
    'include',
    'format',
    ...(hasAnswers ? (['fields', 'questions'] as const) : []),
  ])
  const after = query.read('after', (value, error): { place: ChangePlace | undefined } | undefined => {
    if (value === 'latest') return { place: undefined }
    const place = parseChangeCursor(value)
    if (place !== undefined) return { place }
    return error(
      'invalid_cursor',
      'must be a nextCursor from this address, unchanged; the Change-Cursor of a walk; or latest.',
    )
  })
  const most = Math.min(limits.maxPageSize, changesMax)
  const pageSize = query.read('pageSize', parsePageSize) ?? most
  const withApplications = query.read('include', (value, error): true | undefined =>
    value === 'application' ? true : error('invalid_include', 'must be application.'),
  )
  const format = query.read('format', parseOneOf(changesFormats, 'invalid_format'))
  const choice = hasAnswers ? await readChoice(query, loadVisible) : {}
  if (query.errors.length > 0) throw query.problem()
  return {
    after: after === undefined ? { change: 0, mark: undefined } : after.place,
    pageSize: Math.min(pageSize, most),
    withApplications: withApplications ?? false,
    choice,
    format,
  }
}
