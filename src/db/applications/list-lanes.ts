// Reads a list in lanes. A lane contains the applications with one status and one revision state, in export order, as the index
// `application_by_state` stores them. At most one page of each lane is read, so a rare state costs no more than a common one.

import type { RevisionState } from '../../domain/questions/application.ts'
import { latest, type Micros } from '../../domain/values/offset-time.ts'
import { type Db, inTransaction, type Sql } from '../client.ts'
import type { Position } from '../walks/walks.ts'

/** A fragment of a statement. */
export type Fragment = ReturnType<Db>

/** The statuses of a program's applications, as rows of `status`; empty for none. Finds each with one step in the index. */
export function statusSteps(db: Db, programId: number): Fragment {
  const next = (after: Fragment) => db`(
    select coalesce(status, '')
    from application
    where program_id = ${programId}
    ${after}
    order by coalesce(status, '')
    limit 1)`
  return db`(
    with recursive step (status) as (
      ${next(db``)}
      union all
      select ${next(db`and coalesce(status, '') > step.status`)}
      from step
      where step.status is not null
    )
    select status from step where status is not null)`
}

/** Reads without JIT compilation, which takes PostgreSQL half a second if it expects many rows in each lane, and it expects a tenth of all. */
export async function uncompiled<T>(sql: Sql, read: (db: Db) => PromiseLike<T>): Promise<T> {
  return inTransaction(sql, async tx => {
    await tx`set local jit = off`
    return read(tx)
  })
}

export interface LanesWanted {
  /** Null: no status. Undefined: with or without one. */
  status?: string | null | undefined
  revisionState?: RevisionState | undefined
}

export interface LaneRange {
  /** The first position in the range, and the first after it. */
  least: Position
  most: Position
  direction: 'older' | 'newer'
}

/** No submission is this early (contract D35). */
export const farPast: Micros = Date.UTC(1899, 0, 1) * 1000

/** Submissions between two times, on one side of a position that is excluded. */
export function rangeOf(
  { from, to }: { from?: Micros | undefined; to?: Micros | undefined },
  { direction, beyond }: { direction: LaneRange['direction']; beyond: Position | undefined },
): LaneRange {
  let least: Position = { submit_time: Math.max(from ?? farPast, farPast), submit_seq: 0 }
  let most: Position = { submit_time: Math.min(to ?? latest, latest), submit_seq: 0 }
  if (beyond !== undefined) {
    if (direction === 'older') {
      if (isBefore(beyond, most)) most = beyond
    } else {
      const after = { ...beyond, submit_seq: beyond.submit_seq + 1 }
      if (isBefore(least, after)) least = after
    }
  }
  return { least, most, direction }
}

const isBefore = (position: Position, other: Position): boolean =>
  position.submit_time < other.submit_time ||
  (position.submit_time === other.submit_time && position.submit_seq < other.submit_seq)

export const everyTime = rangeOf({}, { direction: 'older', beyond: undefined })

/**
 * At most `rowsMax` applications of each lane; the caller sorts them. The order by names the columns that are equal within a lane, too. Only one
 * index has that order, so PostgreSQL uses it whatever its estimates.
 */
export function lanes(
  db: Db,
  programId: number,
  { status, revisionState }: LanesWanted,
  { least, most, direction }: LaneRange,
  rowsMax: number,
): Fragment {
  const ordered = direction === 'older' ? db`desc` : db`asc`
  const statuses = status === undefined ? statusSteps(db, programId) : db`(select ${status ?? ''}::text as status)`
  const revisions = revisionState === undefined ? db`(true), (false)` : db`(${revisionState === 'CURRENT'}::boolean)`
  return db`
    ${statuses} state
    cross join (values ${revisions}) as revision (is_current)
    cross join lateral (
      select application_id, applicant_id, submit_time, submit_seq, superseded_seq, status, status_last_modified_time, application_note
      from application
      where program_id = ${programId}
      and (coalesce(status, ''), superseded_seq is null, submit_time, submit_seq)
        >= (state.status, revision.is_current, ${least.submit_time}::timestamptz, ${least.submit_seq}::bigint)
      and (coalesce(status, ''), superseded_seq is null, submit_time, submit_seq)
        < (state.status, revision.is_current, ${most.submit_time}::timestamptz, ${most.submit_seq}::bigint)
      order by coalesce(status, '') ${ordered}, superseded_seq is null ${ordered}, submit_time ${ordered}, submit_seq ${ordered}
      limit (select ${rowsMax}::bigint)
    ) application`
}
