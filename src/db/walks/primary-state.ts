// Reads the primary's state of a program, and checks in a statement's condition that another server has reached it.

import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow } from '../client.ts'

export interface PrimaryState {
  /** The history that the primary writes; null if another server has taken over and that is not recorded yet. */
  history: string | null
  /** The program's last change. */
  change: number
  change_time: Micros | null
  change_application: number | null
}

export const findPrimaryState = (db: Db, programId: number): Promise<PrimaryState | undefined> =>
  findRow<PrimaryState>(db)`
    select
      held_history()::text as history,
      c.submit_seq as change,
      last.happened_at as change_time,
      last.application_id as change_application
    from submission_counter c
    cross join change_at(c.program_id, c.submit_seq) last
    where c.program_id = ${programId}`

/** The condition that a server has the primary's history and last change. If not, the statement fails before reading anything. */
export const isAsOnPrimary = (db: Db, programId: number, state: PrimaryState) => db`
  (select require_primary_state(${programId}::bigint, ${state.history}::uuid, ${state.change}::bigint,
    ${state.change_time === null ? null : formatMicros(state.change_time)}::timestamptz, ${state.change_application}::bigint))`
