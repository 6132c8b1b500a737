// The change feed of a program: submissions, supersessions, statuses, notes and erasures, in commit order.
//
// Exactly once and in order, for a client that keeps one cursor (as G1 is for a walk): numbers are drawn under a lock that is held to the
// commit, so nothing can come in before what was read; and a page never ends between two changes of one number. An application that
// was erased leaves `erased` alone: its other changes go with it.

import type { Sql } from '../../../db/client.ts'
import { type ChangePlace, type ChangeRow, placeAfter, readChanges } from '../../../db/walks/change-rows.ts'
import { isBehindWalk, isOtherHistory, readWalkStart, type WalkStart } from '../../../db/walks/walks.ts'
import type { KeyMap } from '../../../domain/questions/key-map.ts'
import { findFields } from '../../../domain/questions/question-view.ts'
import { formatOffsetTime } from '../../../domain/values/offset-time.ts'
import { formatChangeCursor, parseChangeCursor } from '../requests/change-cursor.ts'
import { parseFields, unknownFields } from '../requests/request.ts'
import { parsePageSize, requestProblem, type SentParameters, SentQuery } from '../requests/sent-query.ts'
import { questionsAsOf, snapshotTime } from '../requests/walk.ts'

/** Changes in one answer at most, whatever MAX_PAGE_SIZE allows a page: the changes of an answer are in memory, and not their applications. */
export const changesMax = 10_000

/** Changes that were one action, and so have one number, at most by far: a bulk load can bring three together. */
const sameNumberMax = 8

export interface ChangesRequest {
  /** After which change; undefined for `after=latest`, which asks for a cursor of now. */
  after: ChangePlace | undefined
  pageSize: number
  /** `include=application` (contract D39). */
  withApplications: boolean
  /** Ids of the questions that `fields` names; undefined without it. */
  chosen: readonly number[] | undefined
}

/**
 * The parameters `after` (a cursor, `latest`, or none for the beginning), `pageSize`, `include`, and with that `fields`, for which `loadVisible`
 * loads the questions that the caller may see.
 * Throws one Problem `invalid_request` with an item for everything that is wrong.
 */
export async function parseChangesRequest(
  sent: SentParameters,
  limits: { maxPageSize: number },
  loadVisible: () => Promise<KeyMap>,
): Promise<ChangesRequest> {
  const hasAnswers = sent.pairs.some(({ name }) => name === 'include')
  const query = new SentQuery(sent, ['after', 'pageSize', 'include', ...(hasAnswers ? (['fields'] as const) : [])])
  const after = query.read('after', (value, error): { place: ChangePlace | undefined } | undefined => {
    if (value === 'latest') return { place: undefined }
    const place = parseChangeCursor(value)
    if (place !== undefined) return { place }
    return error(
      'invalid_cursor',
      'must be a nextCursor of this address as it was given, a Change-Cursor of a walk, or latest.',
    )
  })
  const most = Math.min(limits.maxPageSize, changesMax)
  const pageSize = query.read('pageSize', parsePageSize) ?? most
  const withApplications = query.read('include', (value, error): true | undefined =>
    value === 'application'
      ? true
      : error('invalid_include', 'must be application, the only thing that can be included.'),
  )
  const names = hasAnswers ? query.read('fields', parseFields) : undefined
  let chosen: readonly number[] | undefined
  if (names !== undefined) {
    const seen = await loadVisible()
    const found = findFields(seen, names)
    if (found.unknown.length > 0) query.errors.push(unknownFields(found.unknown, seen))
    chosen = found.chosen
  }
  if (query.errors.length > 0) throw query.problem()
  return {
    after: after === undefined ? { change: 0, mark: undefined } : after.place,
    pageSize: Math.min(pageSize, most),
    withApplications: withApplications ?? false,
    chosen,
  }
}

/** A change as it is sent, with the members of its kind. */
export type Change = {
  change: number
  kind: ChangeRow['kind']
  application_id: number
  /** When, in the instance's zone; null when that is not known. */
  time: string | null
  superseded_by?: number | null
  status?: string | null
  application_note?: string | null
}

export interface ChangesPage {
  payload: Change[]
  /** The cursor of the next request, whether or not more changes follow now. */
  nextCursor: string
  hasMore: boolean
  /** Of a walk that began when this was read (G6), and the cursor from which its changes would continue. */
  snapshotTime: string
  changeCursor: string
  /** When the newest version was published, as a walk's `Questions-As-Of`; null before the first. */
  questionsAsOf: string | null
}

/** Which changes carry their application (contract D39). */
export const isWithApplication = ({ kind }: Pick<Change, 'kind'>): boolean =>
  kind === 'submitted' || kind === 'status' || kind === 'note'

/**
 * The changes after a place, at most `pageSize`, or a few more where the last ones have one number; none of `after: undefined`. Next
 * to them the state of the program that they led to. Throws Problem `invalid_request`, `cursor_of_another_history`, when this database never
 * came to that place, or came there another way.
 */
export async function readChangesPage(
  db: Sql,
  programId: number,
  after: ChangePlace | undefined,
  { pageSize, timeZone }: { pageSize: number; timeZone: string },
): Promise<{ page: ChangesPage; start: WalkStart }> {
  const start = await readWalkStart(db, programId)
  const changeCursor = formatChangeCursor(start.last_change)
  const state = { snapshotTime: snapshotTime(start), changeCursor, questionsAsOf: questionsAsOf(start) }
  if (after === undefined) return { page: { payload: [], nextCursor: changeCursor, hasMore: false, ...state }, start }
  const found = await readChanges(db, programId, after, pageSize + sameNumberMax).catch((cause: unknown) => {
    throw isBehindWalk(cause) || isOtherHistory(cause) ? otherHistory(cause) : cause
  })
  // What was committed since the state was read comes with the next page.
  const rows = found.filter(({ change }) => change <= start.horizon)
  // Up to the end of the number that the page's last change has.
  const lastNumber = rows[pageSize - 1]?.change
  const onPage = lastNumber === undefined ? rows : rows.filter(({ change }) => change <= lastNumber)
  if (onPage.length > pageSize + sameNumberMax - 1)
    throw new Error(`change ${lastNumber} of program ${programId} has no end`)
  const last = onPage.at(-1)
  const page = {
    payload: onPage.map(row => show(row, timeZone)),
    nextCursor: formatChangeCursor(last === undefined ? after : placeAfter(last)),
    hasMore: onPage.length < found.length,
    ...state,
  }
  return { page, start }
}

function show({ change, kind, application_id, happened_at, ...row }: ChangeRow, timeZone: string): Change {
  const time = happened_at === null ? null : formatOffsetTime(happened_at, timeZone)
  const shown: Change = { change, kind, application_id, time }
  if (kind === 'superseded') shown.superseded_by = row.superseded_by
  if (kind === 'status') shown.status = row.status
  if (kind === 'note') shown.application_note = row.application_note
  return shown
}

function otherHistory(cause: unknown) {
  const detail =
    'belongs to changes that the database has lost since, for instance because it was restored from a backup. ' +
    'Walk all applications again, and continue from the Change-Cursor of that walk.'
  return requestProblem(
    [{ parameter: 'after', code: 'cursor_of_another_history', detail }],
    'cursor_of_another_history',
    cause,
  )
}
