// Applications many at a time, as a bulk load and the follower of a CiviForm store them. How far a load is, and whose ids are whose, is
// in bulk-loads.

import type { Micros } from '../domain/values/offset-time.ts'
import { putInt8 } from './binary-values.ts'
import type { Db, Transaction } from './client.ts'
import { type CopyRows, copyRows } from './copy-rows.ts'

/** Adds those of these applicants that there are not yet, each with its language, all of one front end or none. Returns how many. */
export async function addApplicants(
  db: Db,
  languages: ReadonlyMap<number, string>,
  frontEnd: string | null,
): Promise<number> {
  const { count } = await db`
    insert into applicant (applicant_id, language, front_end)
    select applicant_id, language, ${frontEnd}
    from unnest(${[...languages.keys()]}::bigint[], ${[...languages.values()]}::text[]) as missing (applicant_id, language)
    order by applicant_id
    on conflict (applicant_id) do nothing`
  return count
}

/** The same, and keeps those that there are from being erased until the transaction ends. */
export async function holdApplicants(
  tx: Transaction,
  languages: ReadonlyMap<number, string>,
  frontEnd: string | null,
): Promise<void> {
  for (;;) {
    const held = await tx`
      select
      from applicant
      where applicant_id = any(${[...languages.keys()]}::bigint[])
      order by applicant_id
      for key share`
    if (held.count === languages.size) return
    if (held.count + (await addApplicants(tx, languages, frontEnd)) === languages.size) return
    // One was registered between the two statements.
  }
}

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

/** An application as it is copied in. Numbers that are not known yet are 0, and put in later by `numberApplication`. */
export interface ApplicationRow {
  program_id: number
  application_id: number
  /** As it is exported. */
  applicant_id: number
  program_version_id: number
  create_time: Micros
  submit_time: Micros
  submit_seq: number
  /** Null when it is CURRENT. */
  superseded_seq: number | null
  status: string | null
  status_last_modified_time: Micros | null
  application_note: string | null
  snapshot: string
  annotations: string
  /** Whether it comes from a CiviForm that is followed. */
  followed: boolean
}

/** Packs an application for `copyApplications`. Returns where its numbers are to be put. */
export function packApplication(rows: CopyRows, row: ApplicationRow): number {
  rows.row(14)
  rows.int8(row.program_id)
  rows.int8(row.application_id)
  rows.int8(row.applicant_id)
  rows.int8(row.program_version_id)
  rows.timestamptz(row.create_time)
  rows.timestamptz(row.submit_time)
  const numbersAt = rows.bytes
  rows.int8(row.submit_seq)
  rows.nullable(row.superseded_seq, rows.int8)
  rows.nullable(row.status, rows.text)
  rows.nullable(row.status_last_modified_time, rows.timestamptz)
  rows.nullable(row.application_note, rows.text)
  rows.text(row.snapshot)
  rows.text(row.annotations)
  rows.boolean(row.followed)
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

/**
 * Has packed applications that say they are CURRENT superseded: each of `superseded` tells where its numbers are put and the number it is
 * superseded at, in the order of the rows. They get longer by that number, so the rows are copied.
 */
export function supersedePacked(
  rows: Uint8Array,
  superseded: readonly { numbersAt: number; supersededSeq: number }[],
): Uint8Array {
  if (superseded.length === 0) return rows
  const longer = new Uint8Array(rows.length + superseded.length * 8)
  const view = new DataView(longer.buffer)
  let [from, to] = [0, 0]
  for (const { numbersAt, supersededSeq } of superseded) {
    const nullAt = numbersAt + 12
    longer.set(rows.subarray(from, nullAt), to)
    to += nullAt - from
    view.setInt32(to, 8)
    putInt8(view, to + 4, supersededSeq)
    to += 12
    from = nullAt + 4
  }
  longer.set(rows.subarray(from), to)
  return longer
}

export async function copyApplications(tx: Transaction, packed: readonly Uint8Array[]): Promise<void> {
  await copyRows(
    tx`
      copy application (program_id, application_id, applicant_id, program_version_id, create_time, submit_time, submit_seq,
        superseded_seq, status, status_last_modified_time, application_note, snapshot, annotations, followed)
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
