// Applications in progress: answers that an applicant has saved but not submitted. They are stored as exact JSON text.

import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow, type Transaction } from '../client.ts'
import type { ApplicantName } from './applicants.ts'

export interface InProgress {
  /** When the first answer was saved in this program, by the database's clock. */
  create_time: Micros
  /** JSON text: question key → answer in the export's shape, answered questions only. */
  answers: string
}

/** Undefined when nothing is saved, or the front end has no such applicant. */
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

/** What is saved of an applicant who is known to be the front end's; no other transaction saves or submits it until this one ends. */
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

/** What `answers` are where they were only just made room for. */
export const notSavedYet = ''

/** As `lockInProgress`, made as `notSavedYet` with the present time where none existed: in one statement, so that two never race. */
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

/** What a submission is made of, as it was taken. */
export interface TakenInProgress {
  /** What was saved; both null when nothing was. */
  create_time: Micros | null
  answers: string | null
  /** Whether something was saved when this looked, though another submission may have taken it since. */
  was_saved: boolean
  /** The applicant's preferred one. */
  language: string
  /** The version that applicants currently answer, and when it was published; null before the first publication. */
  program_version_id: number | null
  published_at: Micros | null
  /** For how many seconds the program's intake is paused, Infinity where no end is set; null when it is not. */
  paused_seconds: number | null
}

/**
 * Takes the application in progress out, with what else has to be known to submit it: one statement, so that a submission waits
 * for the database once. Undefined when the front end has no such applicant; otherwise no other transaction saves or submits it
 * until this one ends. Language and version are those of the moment at which the statement began, even if it then waited.
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
