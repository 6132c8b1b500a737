// Reads the expected content of a part of a walk, to verify what was served. Reads numbers and times only.

import type { Micros } from '../../domain/values/offset-time.ts'
import type { Db } from '../client.ts'

/** A part of a program's submissions as of a horizon: at or after `from` and before `to`; without `to`, to the end. */
export interface WalkPart {
  programId: number
  horizon: number
  from: Micros
  to: Micros | undefined
}

export interface TruePlace {
  submit_seq: number
  application_id: number
  applicant_id: number | null
  superseded_seq: number | null
  /** Whether only its tombstone remains. */
  erased: boolean
}

/** Every submission of a part, including erased ones, in the order of a walk. */
export async function readTruePlaces(db: Db, { programId, horizon, from, to }: WalkPart): Promise<TruePlace[]> {
  const before = to === undefined ? db`` : db`and submit_time < ${to}`
  return db<TruePlace[]>`
    select submit_seq, application_id, applicant_id, superseded_seq, erased
    from (
      select submit_time, submit_seq, application_id, applicant_id, superseded_seq, false as erased
      from application
      where program_id = ${programId}
      and submit_seq <= ${horizon}
      and submit_time >= ${from}
      ${before}
      union all
      select submit_time, submit_seq, application_id, null, null, true
      from erased_application
      where program_id = ${programId}
      and submit_seq <= ${horizon}
      and submit_time >= ${from}
      ${before}
    ) places
    order by submit_time, submit_seq`
}

/** Numbers in a range that neither a submission nor another change has. */
export async function readUnaccounted(db: Db, programId: number, first: number, last: number): Promise<number[]> {
  const rows = await db<{ number: number }[]>`
    select number
    from generate_series(${first}::bigint, ${last}::bigint) as number
    where not exists (select from application where program_id = ${programId} and submit_seq = number)
    and not exists (select from application where program_id = ${programId} and superseded_seq = number)
    and not exists (select from application_annotation where program_id = ${programId} and change_seq = number)
    and not exists (
      select from erased_application where program_id = ${programId} and (submit_seq = number or change_seq = number)
    )
    and not exists (select from erased_change where program_id = ${programId} and change_seq = number)
    order by number`
  return rows.map(row => row.number)
}
