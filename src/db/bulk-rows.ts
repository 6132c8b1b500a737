// What a bulk load asks of the database: locks, many rows at a time, and ids that are given out once.

import type { Micros } from '../domain/values/offset-time.ts'
import { putInt8 } from './binary-values.ts'
import type { Db, Transaction } from './client.ts'
import { type CopyRows, copyRows } from './copy-rows.ts'

/** Any fixed number will do, as long as it differs from those of db/migrate and db/questions. */
const loadLockId = 7_319_042_553

/** Waits until no other load runs in this database, and keeps others waiting to the end of the transaction. */
export async function lockLoads(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${loadLockId}::bigint)`
}

export interface SubmissionCounter {
  submit_seq: number
  last_submit_time: Micros
}

/** The program's counter, locked to the end of the transaction: submissions to the program wait meanwhile. */
export async function lockSubmissionCounter(tx: Transaction, program_id: number): Promise<SubmissionCounter> {
  const [row] = await tx<SubmissionCounter[]>`
    select submit_seq, last_submit_time
    from submission_counter
    where program_id = ${program_id}
    for update`
  if (row === undefined) throw new Error(`program ${program_id} has no submission counter`)
  return row
}

/** Moves the program's counter forward, by so many submissions. A last submission earlier than the one known leaves the time as it is. */
export async function advanceSubmissionCounter(
  tx: Transaction,
  program_id: number,
  counter: SubmissionCounter,
  submissions: number,
): Promise<void> {
  await tx`
    update submission_counter
    set submit_seq = ${counter.submit_seq}, submissions = submissions + ${submissions},
      last_submit_time = greatest(last_submit_time, ${counter.last_submit_time})
    where program_id = ${program_id}`
}

/** Those of these ids that applications have or had before they were erased, of any program. */
export async function readTakenApplicationIds(db: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await db<{ application_id: number }[]>`
    select a.application_id
    from program p
    join application a on a.program_id = p.program_id and a.application_id = any(${ids as number[]}::bigint[])
    union all
    select e.application_id
    from program p
    join erased_application e on e.program_id = p.program_id and e.application_id = any(${ids as number[]}::bigint[])
    order by application_id`
  return rows.map(row => row.application_id)
}

/** Adds those of these applicants that there are not yet, each with its language, all of one front end or none. */
export async function insertMissingApplicants(
  db: Db,
  applicantIds: readonly number[],
  languages: readonly string[],
  frontEnd: string | null,
): Promise<void> {
  await db`
    insert into applicant (applicant_id, language, front_end)
    select applicant_id, language, ${frontEnd}
    from unnest(${applicantIds as number[]}::bigint[], ${languages as string[]}::text[]) as missing (applicant_id, language)
    on conflict (applicant_id) do nothing`
}

/** Lets the CURRENT application of each of these applicants, where there is one, be superseded at the given number. */
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

/** An application but for its numbers, which `numberApplication` gives it. */
interface ApplicationRow {
  program_id: number
  application_id: number
  applicant_id: number
  program_version_id: number
  create_time: Micros
  submit_time: Micros
  is_current: boolean
  status: string | null
  status_last_modified_time: Micros | null
  application_note: string | null
  snapshot: string
  annotations: string
}

/** Packs an application for `copyApplications`. Returns where its numbers are to be put. */
export function packApplication(rows: CopyRows, row: ApplicationRow): number {
  rows.row(13)
  rows.int8(row.program_id)
  rows.int8(row.application_id)
  rows.int8(row.applicant_id)
  rows.int8(row.program_version_id)
  rows.timestamptz(row.create_time)
  rows.timestamptz(row.submit_time)
  const numbersAt = rows.bytes
  rows.int8(0)
  if (row.is_current) rows.null()
  else rows.int8(0)
  rows.nullable(row.status, rows.text)
  rows.nullable(row.status_last_modified_time, rows.timestamptz)
  rows.nullable(row.application_note, rows.text)
  rows.text(row.snapshot)
  rows.text(row.annotations)
  return numbersAt
}

/** Puts submit_seq, and superseded_seq unless it is CURRENT, into a packed application. Each follows four bytes of length. */
export function numberApplication(
  rows: DataView,
  numbersAt: number,
  submitSeq: number,
  supersededSeq: number | null,
): void {
  putInt8(rows, numbersAt + 4, submitSeq)
  if (supersededSeq !== null) putInt8(rows, numbersAt + 16, supersededSeq)
}

export async function copyApplications(tx: Transaction, packed: readonly Uint8Array[]): Promise<void> {
  await copyRows(
    tx`
      copy application (program_id, application_id, applicant_id, program_version_id, create_time, submit_time, submit_seq,
        superseded_seq, status, status_last_modified_time, application_note, snapshot, annotations)
      from stdin (format binary)`,
    packed,
  )
}

interface AnnotationRow {
  program_id: number
  application_id: number
  changed_at: Micros
  changed_by: string
  status: string | null
  application_note: string | null
}

/** Packs one state of an application's status and note for `copyAnnotations`. */
export function packAnnotation(rows: CopyRows, row: AnnotationRow): void {
  rows.row(6)
  rows.int8(row.program_id)
  rows.int8(row.application_id)
  rows.timestamptz(row.changed_at)
  rows.text(row.changed_by)
  rows.nullable(row.status, rows.text)
  rows.nullable(row.application_note, rows.text)
}

export async function copyAnnotations(tx: Transaction, packed: readonly Uint8Array[]): Promise<void> {
  await copyRows(
    tx`
      copy application_annotation (program_id, application_id, changed_at, changed_by, status, application_note)
      from stdin (format binary)`,
    packed,
  )
}

/** Ids that are handed out from a sequence. */
export type IdSequence = 'application_application_id_seq' | 'applicant_applicant_id_seq'

/**
 * Waits until no transaction is under way that was given an id by the sequence, and returns the last id given out, 0 for
 * none. Ids up to that one are in use by now, or never will be. Others wait for an id for that moment; not longer, since the
 * lock goes with the savepoint. (Any `alter sequence` takes the lock; this one changes nothing.)
 */
export async function settleSequence(tx: Transaction, sequence: IdSequence): Promise<number> {
  const release = Symbol()
  let last = 0
  try {
    await tx.savepoint(async inner => {
      await inner`alter sequence ${inner(sequence)} no cycle`
      last = await readLastId(inner, sequence)
      throw release
    })
  } catch (error) {
    if (error !== release) throw error
  }
  return last
}

/** The last id the sequence gave out; 0 for none. */
async function readLastId(db: Db, sequence: IdSequence): Promise<number> {
  const [row] = await db<{ last: number }[]>`
    select case when is_called then last_value else last_value - 1 end as last
    from ${db(sequence)}`
  return row!.last
}

/**
 * The next ids of the sequence, never given out again even if the transaction fails. Ranges with both ends, in order; there are several
 * when others drew in between.
 */
export async function drawIds(db: Db, sequence: IdSequence, count: number): Promise<{ first: number; last: number }[]> {
  return db<{ first: number; last: number }[]>`
    with drawn as materialized (
      select nextval(${sequence}::regclass) as id
      from generate_series(1, ${count})
    ),
    numbered as (
      select id, id - row_number() over (order by id) as range
      from drawn
    )
    select min(id) as first, max(id) as last
    from numbered
    group by range
    order by 1`
}

/** Lets the sequence go on after `last`, unless it has gone further already. */
export async function moveSequence(db: Db, sequence: IdSequence, last: number): Promise<void> {
  await db`
    select setval(${sequence}::regclass, greatest(last_value, ${last}::bigint))
    from ${db(sequence)}`
}

/**
 * Lets the planner know what a load has added to the tables so far, within its transaction: from a tenth of the usual sample, which takes
 * a tenth of the time; autovacuum looks closer soon after the load.
 * With the statistics of a table that was all but empty, the foreign key of each annotation was checked by reading the whole
 * program through another index: a load of 100,000 applications did not end.
 */
export async function sketchApplications(tx: Transaction): Promise<void> {
  await tx`select set_config('default_statistics_target', '10', true)`
  await tx`analyze application, applicant, application_annotation`
}

/** Lets the planner know what the tables hold now, sooner than autovacuum would. */
export async function analyzeApplications(db: Db): Promise<void> {
  await db`analyze application, applicant, application_annotation`
}
