// What the applications of a bulk load supersede, many at a time. How far a load is, and whose ids are whose, is in bulk-loads; the
// applications themselves are in staged-applications.

import type { Micros } from '../../domain/values/offset-time.ts'
import type { Db, Transaction } from '../client.ts'

/** The CURRENT applications of these applicants, where there are any: when each was submitted. */
export async function readCurrentTimes(
  db: Db,
  program_id: number,
  applicantIds: readonly number[],
): Promise<{ applicant_id: number; submit_time: Micros }[]> {
  return db`
    select applicant_id, submit_time
    from application
    where program_id = ${program_id}
    and applicant_id = any(${applicantIds as number[]}::bigint[])
    and superseded_seq is null`
}

/** Lets the CURRENT application of each of these applicants be superseded at the given number. */
export async function supersedeCurrentApplications(
  db: Db,
  program_id: number,
  applicantIds: readonly number[],
  supersededSeqs: readonly number[],
): Promise<void> {
  await db`
    update application a
    set superseded_seq = newer.superseded_seq
    from unnest(${applicantIds as number[]}::bigint[], ${supersededSeqs as number[]}::bigint[])
      as newer (applicant_id, superseded_seq)
    where a.program_id = ${program_id}
    and a.applicant_id = newer.applicant_id
    and a.superseded_seq is null`
}

/**
 * Lets the planner know what a load has added so far: from a tenth of the usual sample, which takes a tenth of the time; autovacuum looks
 * closer soon after.
 * With the statistics of a table that was all but empty, the foreign key of each annotation was checked by reading the whole
 * program through another index: a load of 100,000 applications did not end.
 */
export async function sketchApplications(tx: Transaction): Promise<void> {
  await tx`select set_config('default_statistics_target', '10', true)`
  await analyzeApplications(tx)
}

/** Lets the planner know what the tables hold now, sooner than autovacuum would. */
export async function analyzeApplications(db: Db): Promise<void> {
  await db`analyze application, applicant, application_annotation`
}
