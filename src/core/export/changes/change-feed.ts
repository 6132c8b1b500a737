// The change feed of a program: submissions, supersessions, statuses, notes and erasures, in commit order.
//
// A client that keeps one cursor gets each change exactly once, in order (the feed's equivalent of G1): numbers are drawn under a lock that
// is held until the commit, so no change can appear before one that was read, and a page never ends between two changes with the same
// number. Erasing an application removes its other changes and leaves `erased`.

import type { Sql } from '../../../db/client.ts'
import { type ChangePlace, type ChangeRow, placeAfter, readChanges } from '../../../db/walks/change-rows.ts'
import { isBehindWalk, isOtherHistory, readWalkStart, type WalkStart } from '../../../db/walks/walk-start.ts'
import { formatOffsetTime } from '../../../domain/values/offset-time.ts'
import { formatChangeCursor } from '../requests/change-cursor.ts'
import { requestProblem } from '../requests/sent-query.ts'
import { questionsAsOf, snapshotTime } from '../requests/walk.ts'

/** Generous maximum of changes that share a number because they were one action; a bulk load can create three. */
const sameNumberMax = 8

/** A change as sent, with the members of its kind. */
export type Change = {
  change: number
  kind: ChangeRow['kind']
  application_id: number
  /** Time in the service's zone; null if unknown. */
  time: string | null
  superseded_by?: number | null
  status?: string | null
  application_note?: string | null
}

export interface ChangesPage {
  payload: Change[]
  /** Cursor for the next request, whether or not more changes are available. */
  nextCursor: string
  hasMore: boolean
  /** Snapshot-Time and Change-Cursor of a walk that starts at this point (G6). */
  snapshotTime: string
  changeCursor: string
  /** Publication time of the newest version, like a walk's `Questions-As-Of`; null before the first. */
  questionsAsOf: string | null
}

/** Whether a change includes its application (contract D39). */
export const isWithApplication = ({ kind }: Pick<Change, 'kind'>): boolean =>
  kind === 'submitted' || kind === 'status' || kind === 'note'

/**
 * The changes after a position, with the program's state after them: at most `pageSize`, or a few more if the last ones share a number; none
 * for `after: undefined`. Throws Problem `invalid_request`, `cursor_of_another_history`, if this database does not have the change that the
 * cursor names.
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
  // Changes committed since the state was read are on the next page.
  const rows = found.filter(({ change }) => change <= start.horizon)
  // Through the last change that shares the number of the page's last change.
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
    'names a change that the database has lost, for example because it was restored from a backup. ' +
    'Export all applications again and continue from the Change-Cursor of that export.'
  return requestProblem(
    [{ parameter: 'after', code: 'cursor_of_another_history', detail }],
    'cursor_of_another_history',
    cause,
  )
}
