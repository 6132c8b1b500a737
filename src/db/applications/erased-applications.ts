// Erases applications and everything stored about an applicant. A trigger leaves a tombstone for each application.

import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow, readValue, type Transaction } from '../client.ts'

/** An application by its position. */
export interface ErasedApplication {
  program_id: number
  application_id: number
}

/** What is stored about an applicant in one program. */
interface ApplicantHolding {
  slug: string
  applications: number
  /** 1 if the applicant has answers in progress, else 0. */
  in_progress: number
}

/** Number of an applicant's applications to a program. */
export interface ApplicantApplications {
  display_name: string
  applications: number
}

export async function readApplicationsOfApplicant(db: Db, applicantId: number): Promise<ApplicantApplications[]> {
  return db<ApplicantApplications[]>`
    select p.display_name, held.applications
    from (
      select program_id, count(*) as applications
      from application
      where applicant_id = ${applicantId}
      group by program_id
    ) held
    join program p using (program_id)
    order by p.slug`
}

/** What is stored about an applicant in each program; undefined if the applicant does not exist. */
export async function readApplicantHoldings(db: Db, applicantId: number): Promise<ApplicantHolding[] | undefined> {
  const [applicant] = await db`select from applicant where applicant_id = ${applicantId}`
  if (applicant === undefined) return undefined
  return db<ApplicantHolding[]>`
    select p.slug, sum(held.applications)::bigint as applications, sum(held.in_progress)::bigint as in_progress
    from (
      select program_id, count(*) as applications, 0 as in_progress
      from application
      where applicant_id = ${applicantId}
      group by program_id
      union all
      select program_id, 0, 1
      from application_in_progress
      where applicant_id = ${applicantId}
    ) held
    join program p using (program_id)
    group by p.slug
    order by p.slug`
}

/**
 * Locks an applicant so that nothing can be saved or submitted for it until the transaction ends, and removes its answers in progress; false if it
 * doesn't exist. Saving and submitting also lock the applicant first, so no deadlock can occur.
 */
export async function holdApplicant(tx: Transaction, applicantId: number): Promise<boolean> {
  return readValue<boolean>(tx)`select hold_applicant(${applicantId}) as held`
}

/** Removes a locked applicant with all its applications, has a worker check its files, and returns those applications. */
export async function deleteApplicant(tx: Transaction, applicantId: number): Promise<ErasedApplication[]> {
  return [...(await tx<ErasedApplication[]>`select program_id, application_id from erase_applicant(${applicantId})`)]
}

/**
 * Locks the applicant of an application, like `holdApplicant`, and removes answers in progress that are a copy of that application or started from
 * one. No effect if the application doesn't exist.
 */
export async function holdForErasure(tx: Transaction, place: ErasedApplication): Promise<void> {
  await tx`select hold_for_erasure(${place.program_id}, ${place.application_id})`
}

/**
 * Removes one application, and has a worker check the applicant's files; false if it does not exist. Its idempotency key is kept, so that a late
 * retry of the submission is rejected instead of creating a second application.
 */
export async function deleteApplication(tx: Transaction, place: ErasedApplication): Promise<boolean> {
  return readValue<boolean>(tx)`
    select erase_application(${place.program_id}, ${place.application_id}) as erased`
}

/** Whether such an application existed and was erased. */
export async function wasErased(db: Db, place: ErasedApplication): Promise<boolean> {
  const rows = await db`
    select from erased_application
    where program_id = ${place.program_id}
    and application_id = ${place.application_id}`
  return rows.length > 0
}

/** The retention period of a program in days, locked until the transaction ends. */
export async function lockRetention(
  tx: Transaction,
  slug: string,
): Promise<{ program_id: number; retention_days: number | null } | undefined> {
  return findRow<{ program_id: number; retention_days: number | null }>(tx)`
    select program_id, retention_days
    from program
    where slug = ${slug}
    for no key update`
}

/** Days after which applications of a program are erased, or null to keep them. */
export async function updateRetention(tx: Transaction, programId: number, days: number | null): Promise<void> {
  await tx`
    update program
    set retention_days = ${days}
    where program_id = ${programId}`
}

/** The oldest application of a program, and the number submitted before an instant, counted up to `countMax`. */
export async function measureExpired(
  db: Db,
  programId: number,
  before: Micros,
  countMax: number,
): Promise<{ oldest: Micros | null; expired: number }> {
  const [row] = await db<{ oldest: Micros | null; expired: number }[]>`
    select
      (
        select submit_time
        from application
        where program_id = ${programId}
        order by submit_time
        limit 1
      ) as oldest,
      (
        select count(*)::integer
        from (
          select
          from application
          where program_id = ${programId}
          and submit_time < ${before}
          order by submit_time
          limit ${countMax}
        ) counted
      ) as expired`
  return row!
}

interface Retention {
  program_id: number
  slug: string
  retention_days: number
}

/** Programs with a retention period. */
export async function readRetentions(db: Db): Promise<Retention[]> {
  return db<Retention[]>`
    select program_id, slug, retention_days
    from program
    where retention_days is not null
    order by slug`
}

/** The time before which a program's applications have expired, by the database's clock. */
export async function readExpiry(db: Db, retentionDays: number): Promise<Micros> {
  return readValue<Micros>(db)`
    select clock_timestamp() - make_interval(days => ${retentionDays}::integer) as before`
}

/**
 * Removes a program's oldest applications submitted before an instant, at most `rowsMax`, and returns their IDs. A worker then checks their files.
 */
export async function deleteExpired(
  tx: Transaction,
  programId: number,
  before: Micros,
  rowsMax: number,
): Promise<number[]> {
  const rows = await tx<{ application_id: number }[]>`
    with expired as (
      select application_id
      from application
      where program_id = ${programId}
      and submit_time < ${before}
      order by submit_time, submit_seq
      limit ${rowsMax}
    ), erased as (
      delete from application a
      using expired e
      where a.program_id = ${programId}
      and a.application_id = e.application_id
      returning a.application_id, a.applicant_id
    ), forgotten as (
      delete from submission_request r
      using erased e
      where r.program_id = ${programId}
      and r.applicant_id = e.applicant_id
      and r.application_id = e.application_id
    ), files_to_check as (
      update uploaded_file f
      set check_at = present_time()
      from erased e
      where f.program_id = ${programId}
      and f.applicant_id = e.applicant_id
    )
    select application_id from erased order by application_id`
  return rows.map(row => row.application_id)
}

/** Removes answers in progress that have not changed since an instant, and returns their number. */
export async function deleteAbandoned(tx: Transaction, programId: number, before: Micros): Promise<number> {
  const { count } = await tx`
    delete from application_in_progress
    where program_id = ${programId}
    and updated_at < ${before}`
  return count
}
