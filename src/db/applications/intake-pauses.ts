// Pauses of a program's intake, stored with the counter that numbers submissions.

import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findValue, type Transaction } from '../client.ts'

/** The end of an intake pause by the database's clock; undefined if intake is not paused or the program doesn't exist. */
export async function findIntakePause(db: Db, programId: number): Promise<Micros | undefined> {
  return findValue<Micros>(db)`
    select intake_paused_until as until
    from submission_counter
    where program_id = ${programId}
    and intake_paused_until > clock_timestamp()`
}

/** Pauses intake for this long from now, or ends the pause with 0. Waits for the submission that is being numbered. */
export async function setIntakePause(tx: Transaction, programId: number, milliseconds: number): Promise<Micros | null> {
  const [row] = await tx<{ until: Micros | null }[]>`
    update submission_counter
    set intake_paused_until = present_time() + nullif(${milliseconds}::bigint, 0) * interval '1 millisecond'
    where program_id = ${programId}
    returning intake_paused_until as until`
  if (row === undefined) throw new Error(`program ${programId} has no submission counter`)
  return row.until
}
