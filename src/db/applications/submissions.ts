// Writes applications: idempotency, number and time, the row, and the application that it supersedes.

import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow, findValue, type Transaction } from '../client.ts'

/** Maximum time that a statement waits for another transaction, if limited. */
export const lockWaitMs = 10_000

/**
 * Sets this limit for the transaction; a statement that waits longer fails with SQLSTATE 55P03. A separate command without parameters, because it is
 * also sent to the nodes of distributed applications.
 */
export async function limitLockWait(tx: Transaction): Promise<void> {
  await tx`set local lock_timeout = 10000`
}

interface NewSubmissionRequest {
  program_id: number
  api_key_id: string
  idempotency_key: string
  applicant_id: number
  /** The front end whose applicant it must be. */
  front_end: string
  /** Digest of the request without its idempotency key. 32 bytes. */
  request_hash: Buffer
}

/**
 * Records a submission under its idempotency key and allocates its application ID; undefined if this key already has one, or if the front end has no
 * such applicant. The applicant cannot be erased until the transaction ends. Blocks on a concurrent request with the same key: returns undefined if
 * that commits, proceeds if it rolls back.
 */
export async function insertSubmissionRequest(
  tx: Transaction,
  request: NewSubmissionRequest,
): Promise<number | undefined> {
  return findValue<number>(tx)`
    insert into submission_request (
      program_id, api_key_id, idempotency_key, applicant_id, request_hash, application_id)
    select
      ${request.program_id}::bigint, ${request.api_key_id}::text, ${request.idempotency_key}::text, applicant_id,
      ${request.request_hash}::bytea, next_application_id()
    from applicant
    where applicant_id = ${request.applicant_id}
    and front_end = ${request.front_end}
    for key share
    on conflict (program_id, api_key_id, idempotency_key) do nothing
    returning application_id`
}

/** An application as submitted. */
export interface SubmittedRow {
  application_id: number
  program_version_id: number
  create_time: Micros
  submit_time: Micros
}

interface SubmissionRequestRow {
  request_hash: Buffer
  application_id: number
  /** Null if the application has since been removed. */
  submitted: SubmittedRow | null
}

/** The earlier submission with this idempotency key. */
export async function findSubmissionRequest(
  db: Db,
  key: Pick<NewSubmissionRequest, 'program_id' | 'api_key_id' | 'idempotency_key'>,
): Promise<SubmissionRequestRow | undefined> {
  const [row] = await db<({ request_hash: Buffer } & { [K in keyof SubmittedRow]: SubmittedRow[K] | null })[]>`
    select r.request_hash, r.application_id, a.program_version_id, a.create_time, a.submit_time
    from submission_request r
    left join application a on a.program_id = r.program_id and a.application_id = r.application_id
    where r.program_id = ${key.program_id}
    and r.api_key_id = ${key.api_key_id}
    and r.idempotency_key = ${key.idempotency_key}`
  if (row === undefined) return undefined
  const { request_hash, ...application } = row
  return {
    request_hash,
    application_id: application.application_id!,
    submitted: application.submit_time === null ? null : (application as SubmittedRow),
  }
}

/** An applicant in a program. */
export interface ApplicantPlace {
  program_id: number
  applicant_id: number
}

/**
 * An applicant's last application to a program, without erased ones; undefined if there is none. The applicant's few applications are selected before
 * sorting; with the index on the order alone, PostgreSQL would read from the program's newest application to theirs.
 */
export async function findLastSubmission(db: Db, place: ApplicantPlace): Promise<SubmittedRow | undefined> {
  return findRow<SubmittedRow>(db)`
    select application_id, program_version_id, create_time, submit_time
    from (
      select application_id, program_version_id, create_time, submit_time, submit_seq
      from application
      where program_id = ${place.program_id}
      and applicant_id = ${place.applicant_id}
      offset 0
    ) theirs
    order by submit_seq desc
    limit 1`
}

/** The stored text of that application; undefined without one. */
export async function findLastSnapshot(db: Db, place: ApplicantPlace): Promise<string | undefined> {
  return findValue<string>(db)`
    select snapshot
    from (
      select snapshot, submit_seq
      from application
      where program_id = ${place.program_id}
      and applicant_id = ${place.applicant_id}
      offset 0
    ) theirs
    order by submit_seq desc
    limit 1`
}

/** Whether an applicant submitted another application to the program, as far as idempotency keys still show. */
export async function hasSubmittedAnother(db: Db, place: ApplicantPlace, applicationId: number): Promise<boolean> {
  const rows = await db`
    select from submission_request
    where program_id = ${place.program_id}
    and applicant_id = ${place.applicant_id}
    and application_id <> ${applicationId}
    limit 1`
  return rows.length > 0
}

/**
 * Allocates the next number of a program and its time, which is later than all times allocated before, and not before `notBefore`, if set; undefined
 * while the program's intake is paused. Locks the counter until the transaction ends, so that numbers and times are in commit order; call it last.
 */
export async function drawSubmission(
  tx: Transaction,
  programId: number,
  notBefore: Micros | null,
): Promise<{ submit_seq: number; submit_time: Micros } | undefined> {
  return findRow<{ submit_seq: number; submit_time: Micros }>(tx)`
    update submission_counter
    set
      submit_seq = submit_seq + 1,
      submissions = submissions + 1,
      last_submit_time = greatest(present_time(), just_after(last_submit_time), ${notBefore}::timestamptz)
    where program_id = ${programId}
    and not closed
    and (intake_paused_until is null or intake_paused_until <= present_time())
    returning submit_seq, last_submit_time as submit_time`
}

interface NewApplication extends SubmittedRow {
  program_id: number
  applicant_id: number
  submit_seq: number
  snapshot: string
  /** Its `searchedTexts`. */
  searched: string | undefined
  annotations: string
  /** The time zone of the times in snapshot and annotations. */
  time_zone: string
}

/**
 * Stores an application, and makes the applicant's CURRENT one in this program OBSOLETE with the same number. Returns false if its program version is
 * no longer ACTIVE, or its zone is no longer the instance's; the caller must then roll back. Runs under the counter's lock, so a change of the time
 * zone either has not reached this program yet or has finished with it. The statements are sent together, because the counter is locked meanwhile; a
 * single statement takes twice as long on Citus. The words come before their application, because the database computes the words of an application
 * that has none.
 */
export async function insertApplication(tx: Transaction, application: NewApplication): Promise<boolean> {
  const [expected, older] = await Promise.all([
    tx`
      select
      from program_version
      join instance on time_zone = ${application.time_zone}
      where program_version_id = ${application.program_version_id}
      and state = 'ACTIVE'`,
    tx`
      update application
      set superseded_seq = ${application.submit_seq}
      where program_id = ${application.program_id}
      and applicant_id = ${application.applicant_id}
      and superseded_seq is null`,
    application.searched !== undefined &&
      tx`
        insert into application_words (program_id, submit_time, submit_seq, words)
        values (
          ${application.program_id}, ${application.submit_time}, ${application.submit_seq},
          searched_words(${application.program_id}, ${application.searched}))`,
    tx`
      insert into application (
        program_id, application_id, applicant_id, program_version_id, create_time, submit_time, submit_seq, snapshot, annotations)
      values (
        ${application.program_id}, ${application.application_id}, ${application.applicant_id},
        ${application.program_version_id}, ${application.create_time}, ${application.submit_time},
        ${application.submit_seq}, ${application.snapshot}, ${application.annotations})`,
  ])
  return expected.count === 1 && older.count <= 1
}
