// Reads the changes to a program's applications in commit order. There is no separate table: each change is numbered where it is recorded, and the
// statement merges the records.

import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import type { Db } from '../client.ts'

export type ChangeKind = 'submitted' | 'superseded' | 'status' | 'note' | 'erased'

/** When a change was made and to which application: distinguishes it from the change with the same number in another history (G13). */
export interface ChangeMark {
  /** If the application only became OBSOLETE, the time of its submission. */
  time: Micros
  application_id: number
}

/** A position in a program's changes: after the change with this number. */
export interface ChangePlace {
  change: number
  /** Undefined before the first change, and if a client only knows the number. */
  mark: ChangeMark | undefined
}

export interface ChangeRow {
  /** Its number. Two changes made by one action share it. */
  change: number
  kind: ChangeKind
  application_id: number
  /** Its time; null if it is unknown which application superseded this one. */
  happened_at: Micros | null
  /** For `superseded`: the application that replaced it; null if a bulk load did not know it or it was erased. */
  superseded_by: number | null
  /** For `status` and `note`: the new value. */
  status: string | null
  application_note: string | null
  /** The time that identifies the position after it. */
  mark_time: Micros
  mark_application: number
}

/**
 * The changes after a position, in order, at most `rowsMax`. A reader that sees a number sees all smaller ones, because numbers are allocated under a
 * lock that is held until the commit, and one statement sees one snapshot. So nothing is ever added before what was read. If the position is not in
 * this database's history, it fails with an error that `isBehindWalk` or `isOtherHistory` recognizes.
 */
export async function readChanges(
  db: Db,
  programId: number,
  after: ChangePlace,
  rowsMax: number,
): Promise<ChangeRow[]> {
  const { mark } = after
  return db<ChangeRow[]>`
    with submitted as (
      select submit_seq as change, 1 as part, 'submitted' as kind, application_id, submit_time as happened_at
      from application
      where program_id = ${programId}
      and submit_seq > ${after.change}
      order by submit_seq
      limit ${rowsMax}
    ),
    superseded as (
      select superseded_seq as change, 2 as part, 'superseded' as kind, application_id, applicant_id
      from application
      where program_id = ${programId}
      and superseded_seq > ${after.change}
      order by superseded_seq
      limit ${rowsMax}
    ),
    annotated as (
      select change_seq as change, application_id, changed_at as happened_at, sets_status, sets_note, status, application_note
      from application_annotation
      where program_id = ${programId}
      and change_seq > ${after.change}
      order by change_seq
      limit ${rowsMax}
    ),
    erased as (
      select change_seq as change, 5 as part, 'erased' as kind, application_id, erased_at as happened_at
      from erased_application
      where program_id = ${programId}
      and change_seq > ${after.change}
      order by change_seq
      limit ${rowsMax}
    )
    select found.change, found.kind, found.application_id, found.happened_at, found.superseded_by, found.status, found.application_note,
      found.mark_time, found.mark_application
    from (
      select change, part, kind, application_id, happened_at, null::bigint as superseded_by, null as status, null as application_note,
        happened_at as mark_time, application_id as mark_application
      from submitted
      union all
      -- A bulk load may bring an application without the one that took over; it gets the next number, which is then another applicant's.
      -- The change is marked as the submission that has its number, which may have been erased.
      select s.change, s.part, s.kind, s.application_id, newer.submit_time, newer.application_id, null, null,
        marked.happened_at, marked.application_id
      from superseded s
      left join application newer
        on newer.program_id = ${programId} and newer.submit_seq = s.change and newer.applicant_id = s.applicant_id
      cross join lateral change_at(${programId}, s.change) marked
      union all
      select change, 3, 'status', application_id, happened_at, null, status, null, happened_at, application_id
      from annotated
      where sets_status
      union all
      select change, 4, 'note', application_id, happened_at, null, null, application_note, happened_at, application_id
      from annotated
      where sets_note
      union all
      select change, part, kind, application_id, happened_at, null, null, null, happened_at, application_id from erased
    ) found
    -- Asked once, before anything is read, also when there is nothing to read.
    where (select require_change(${programId}, ${after.change}, ${mark === undefined ? null : formatMicros(mark.time)}::timestamptz,
      ${mark?.application_id ?? null}::bigint))
    order by found.change, found.part
    limit ${rowsMax}`
}

/** The columns of a position: nulls before the first change. */
export interface PlaceRow {
  change: number
  change_time: Micros | null
  change_application: number | null
}

export const placeOf = ({ change, change_time, change_application }: PlaceRow): ChangePlace => ({
  change,
  mark:
    change_time === null || change_application === null
      ? undefined
      : { time: change_time, application_id: change_application },
})

/** The position after a change. */
export const placeAfter = ({ change, mark_time, mark_application }: ChangeRow): ChangePlace => ({
  change,
  mark: { time: mark_time, application_id: mark_application },
})

/** The positions between which some applications are: the first time, and the last time and greatest number. */
export interface ApplicationSpan {
  first_time: Micros
  last_time: Micros
  last_seq: number
}

/** The range of those of these applications that exist; undefined if none does. */
export async function readSpanOf(
  db: Db,
  programId: number,
  applicationIds: readonly number[],
): Promise<ApplicationSpan | undefined> {
  const [row] = await db<(ApplicationSpan & { found: boolean })[]>`
    select min(submit_time) as first_time, max(submit_time) as last_time, max(submit_seq) as last_seq, count(*) > 0 as found
    from application
    where program_id = ${programId}
    and application_id = any(${applicationIds as number[]}::bigint[])`
  return row?.found ? row : undefined
}

/** The last change number of each of these programs. */
export async function readChangeNumbers(db: Db, programIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await db<{ program_id: number; change: number }[]>`
    select program_id, submit_seq as change
    from submission_counter
    where program_id = any(${programIds as number[]}::bigint[])`
  return new Map(rows.map(({ program_id, change }) => [program_id, change]))
}
