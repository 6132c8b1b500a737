// Starts a walk, and checks whether a database is the one on which the walk began.

import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import type { Db } from '../client.ts'
import { type ChangeMark, type ChangePlace, type PlaceRow, placeOf } from './change-rows.ts'

/** The state of a program's submissions at one moment, at which a walk is frozen. */
export interface WalkStart {
  /** Every committed submission has a number up to this one; every later one has a greater number. */
  horizon: number
  /** Later submissions all have a later time, and so do the remaining applications of a load in progress. */
  last_submit_time: Micros
  /** The position after the change with the horizon's number, a submission or another change. Identifies this history (G13). */
  last_change: ChangePlace
  /**
   * When the newest version was published; null before the first. Publications have strictly increasing times, so this identifies the set of them.
   */
  last_published_at: Micros | null
  /** Whether the server replays another server's log, and so may lack what was committed there. */
  in_recovery: boolean
}

type WalkStartRow = Omit<WalkStart, 'last_change'> & Omit<PlaceRow, 'change'>

/**
 * The start of a walk, read in one statement so that the parts are consistent: the version of every application up to the horizon is among those
 * published.
 */
export async function readWalkStart(db: Db, programId: number): Promise<WalkStart> {
  const [row] = await db<WalkStartRow[]>`
    select
      c.submit_seq as horizon,
      least(c.last_submit_time, c.loading_from - interval '1 microsecond') as last_submit_time,
      last.happened_at as change_time,
      last.application_id as change_application,
      (select max(v.published_at) from program_version v where v.program_id = c.program_id) as last_published_at,
      pg_is_in_recovery() as in_recovery
    from submission_counter c
    cross join lateral change_at(c.program_id, c.submit_seq) last
    where c.program_id = ${programId}`
  if (row === undefined) throw new Error(`program ${programId} has no submission counter`)
  const { change_time, change_application, ...start } = row
  return { ...start, last_change: placeOf({ change: start.horizon, change_time, change_application }) }
}

/**
 * Whether this database contains a walk's start: the last change and the publication. A database that was restored, or took over without them, does
 * not; nor does one that lags.
 */
export async function holdsWalkStart(db: Db, programId: number, start: WalkStart): Promise<boolean> {
  const { horizon, last_change, last_published_at: published } = start
  const holding = db`
    select
      ${isOfWalk(db, { programId, horizon, lastChange: last_change.mark })},
      ${published === null ? db`true` : db`require_questions(${programId}, ${formatMicros(published)}::timestamptz)`}`
  return holding.then(
    () => true,
    (error: unknown) => {
      if (isBehindWalk(error) || isOtherHistory(error) || isOfOtherQuestions(error)) return false
      throw error
    },
  )
}

/** Whether an error means that the database lacks submissions of the walk: it lags, or was restored to an earlier state (G13). */
export const isBehindWalk = (error: unknown): boolean => sqlState(error) === 'TB001'

/** Whether an error means that the walk's numbers belong to other applications in this database (G13). */
export const isOtherHistory = (error: unknown): boolean => sqlState(error) === 'TB002'

/** Whether an error means that the walk's questions have changed since it began. */
export const isOfOtherQuestions = (error: unknown): boolean => sqlState(error) === 'TB004'

const sqlState = (error: unknown): unknown => (error as { code?: unknown } | null)?.code

/** What a database must contain for a walk to continue on it. */
export interface WalkOrigin {
  programId: number
  /** The submission number the walk is frozen to (S of contract G1 to G6). */
  horizon: number
  /** The change with that number, as found by the first page (G13); undefined if it found none. */
  lastChange: ChangeMark | undefined
}

/** The condition that this database is the walk's. If not, the statement fails before reading anything. */
export function isOfWalk(sql: Db, { programId, horizon, lastChange: last }: WalkOrigin) {
  return sql`
    (select require_change(${programId}::bigint, ${horizon}::bigint,
      ${last === undefined ? null : formatMicros(last.time)}::timestamptz, ${last?.application_id ?? null}::bigint))`
}
