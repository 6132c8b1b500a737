// Applications in progress: answers that an applicant has saved but not submitted. They are stored as exact JSON text.

import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow, type Transaction } from '../client.ts'
import type { ApplicantName } from './applicants.ts'

export interface InProgress {
  /** When the first answer was saved in this program, by the database's clock. */
  create_time: Micros
  /** JSON text: question key → answer as in exports, answered questions only. */
  answers: string
}

/** Undefined if nothing is saved, or the front end has no such applicant. */
export async function findInProgress(
  db: Db,
  programId: number,
  applicant: ApplicantName,
): Promise<InProgress | undefined> {
  return findRow<InProgress>(db)`
    select create_time, answers
    from application_in_progress
    join applicant using (applicant_id)
    where program_id = ${programId}
    and applicant_id = ${applicant.applicant_id}
    and front_end = ${applicant.front_end}`
}

/** The saved answers of an applicant who is known to belong to the front end. No other transaction can save or submit them until this one ends. */
export async function lockInProgress(
  tx: Transaction,
  programId: number,
  applicantId: number,
): Promise<InProgress | undefined> {
  return findRow<InProgress>(tx)`
    select create_time, answers
    from application_in_progress
    where program_id = ${programId}
    and applicant_id = ${applicantId}
    for update`
}

/** The value of `answers` in a row that was only just created. */
export const notSavedYet = ''

/**
 * Like `lockInProgress`; if nothing was saved, creates the row as `notSavedYet` with the current time, in one statement, so that two requests never
 * race.
 */
export async function lockOrInsertInProgress(
  tx: Transaction,
  programId: number,
  applicantId: number,
): Promise<InProgress> {
  const [row] = await tx<InProgress[]>`
    insert into application_in_progress as existing (program_id, applicant_id, create_time, answers, updated_at)
    values (${programId}, ${applicantId}, clock_timestamp(), ${notSavedYet}, clock_timestamp())
    on conflict (program_id, applicant_id) do update
    set updated_at = existing.updated_at
    returning create_time, answers`
  return row!
}

export async function updateInProgressAnswers(
  tx: Transaction,
  programId: number,
  applicantId: number,
  answers: string,
): Promise<void> {
  await tx`
    update application_in_progress
    set answers = ${answers}, updated_at = present_time()
    where program_id = ${programId}
    and applicant_id = ${applicantId}`
}

/** The input of a submission. */
export interface TakenInProgress {
  /** The saved answers; both are null if nothing was saved. */
  create_time: Micros | null
  answers: string | null
  /** Whether something was saved when the statement began, even if another submission has taken it since. */
  was_saved: boolean
  /** The applicant's preferred language. */
  language: string
  /** The version that applicants currently answer, and when it was published; null before the first publication. */
  program_version_id: number | null
  published_at: Micros | null
  /** Seconds for which the program's intake is paused: Infinity without an end, null if it is not paused. */
  paused_seconds: number | null
}

/**
 * Takes the answers in progress out, together with everything else needed to submit them: one statement, so a submission waits for the database once.
 * Undefined if the front end has no such applicant; otherwise no other transaction can save or submit for the applicant until this one ends. Language
 * and version are as of the beginning of the statement, even if it then waited.
 */
export async function takeInProgress(
  tx: Transaction,
  programId: number,
  applicant: ApplicantName,
): Promise<TakenInProgress | undefined> {
  return findRow<TakenInProgress>(tx)`
    select taken.create_time, taken.answers, taken.was_saved, taken.paused_seconds, asking.language, active.program_version_id,
      active.published_at
    from applicant asking
    cross join take_saved(${programId}, asking.applicant_id) taken
    left join program_version active on active.program_id = ${programId} and active.state = 'ACTIVE'
    where asking.applicant_id = ${applicant.applicant_id}
    and asking.front_end = ${applicant.front_end}`
}
