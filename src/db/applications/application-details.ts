// Statements for an application: its facts, the other applications of its applicant, its statuses and notes, and its stored text. None becomes
// slower as a program grows.

import { type Static, Type } from 'typebox'
import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow } from '../client.ts'
import { flag, integer, integerOrNull, row, textOrNull, time } from '../row-schemas.ts'
import type { Position } from '../walks/walks.ts'
import { type AnnotationState, newestAnnotation } from './annotations.ts'
import { applicationFacts } from './application-lists.ts'

/** Everything about an application except its answers. */
export const applicationDetails = row({
  ...applicationFacts,
  program_version_id: integer,
  create_time: time,
  superseded_seq: integerOrNull,
  application_note: textOrNull,
  /** Number of the newest change to status and note; 0 before the first. */
  annotation_id: Type.Integer({ description: 'Pass it as `based_on` of the next change; 0 before the first change.' }),
})
export interface ApplicationDetails extends Static<typeof applicationDetails> {
  /** The stored text before the answers: language and submitter. */
  head: string
}

export async function findApplicationDetails(
  db: Db,
  programId: number,
  applicationId: number,
): Promise<ApplicationDetails | undefined> {
  // Quotes inside a JSON text are escaped, so the first match is the beginning of the answers.
  return findRow<ApplicationDetails>(db)`
    select application_id, applicant_id, program_version_id, create_time, submit_time, submit_seq, superseded_seq,
      superseded_seq is null as is_current, status, status_last_modified_time, application_note,
      application_note is not null as has_note,
      left(snapshot, strpos(snapshot, ',"application":{') - 1) || '}' as head,
      ${newestAnnotation(db, programId)} as annotation_id
    from application a
    where program_id = ${programId}
    and application_id = ${applicationId}`
}

/** An application of the same applicant in the same program. */
export const revisionRow = row({
  application_id: integer,
  submit_time: time,
  submit_seq: integer,
  is_current: flag,
  program_version_id: integer,
})
export type Revision = Static<typeof revisionRow>

/** The most recent of an applicant's applications to a program, newest first. */
export async function readRevisions(
  db: Db,
  programId: number,
  applicantId: number,
  rowsMax: number,
): Promise<Revision[]> {
  return readTheirs(db, programId, applicantId, db`true`, rowsMax)
}

/** The applicant's application before this position; undefined if none exists or it was erased. */
export async function findRevisionBefore(
  db: Db,
  programId: number,
  applicantId: number,
  { submit_time, submit_seq }: Position,
): Promise<Revision | undefined> {
  const isBefore: ReturnType<Db> = db`(submit_time, submit_seq) < (${submit_time}::timestamptz, ${submit_seq}::bigint)`
  const [row] = await readTheirs(db, programId, applicantId, isBefore, 1)
  return row
}

function readTheirs(
  db: Db,
  programId: number,
  applicantId: number,
  condition: ReturnType<Db>,
  rowsMax: number,
): PromiseLike<Revision[]> {
  return db<Revision[]>`
    select application_id, submit_time, submit_seq, superseded_seq is null as is_current, program_version_id
    from application
    where program_id = ${programId}
    and applicant_id = ${applicantId}
    and ${condition}
    order by submit_time desc, submit_seq desc
    limit ${rowsMax}`
}

/** The newest states of status and note, newest first. */
export async function readNewestAnnotations(
  db: Db,
  programId: number,
  applicationId: number,
  rowsMax: number,
): Promise<AnnotationState[]> {
  return db<AnnotationState[]>`
    select changed_at, changed_by, status, application_note
    from application_annotation
    where program_id = ${programId}
    and application_id = ${applicationId}
    order by annotation_id desc
    limit ${rowsMax}`
}

/** The stored parts from which an export assembles an application. */
export interface StoredApplication {
  application_id: number
  submit_time: Micros
  submit_seq: number
  program_version_id: number
  snapshot: string
  annotations: string
  is_current: boolean
  /** When the newest version was published: identifies the questions that this read found. */
  questions_as_of: Micros
}

/** The columns of a `StoredApplication`. Its version was published with or before the newest one: one statement sees both. */
export const storedColumns = (db: Db, alias: string) => db`
  ${db(alias)}.application_id, ${db(alias)}.submit_time, ${db(alias)}.submit_seq, ${db(alias)}.program_version_id,
  ${db(alias)}.snapshot, ${db(alias)}.annotations, ${db(alias)}.superseded_seq is null as is_current,
  (select max(v.published_at) from program_version v where v.program_id = ${db(alias)}.program_id) as questions_as_of`

export async function findStoredApplication(
  db: Db,
  programId: number,
  applicationId: number,
): Promise<StoredApplication | undefined> {
  return findRow<StoredApplication>(db)`
    select ${storedColumns(db, 'a')}
    from application a
    where a.program_id = ${programId}
    and a.application_id = ${applicationId}`
}

/**
 * The texts of these applications of a program, as far as they exist, in this order. With `asOf`, a change number, they are current if nothing had
 * superseded them up to that change.
 */
export async function readStoredApplications(
  db: Db,
  programId: number,
  applicationIds: readonly number[],
  asOf?: number,
): Promise<StoredApplication[]> {
  const rows = await db<Omit<StoredApplication, 'questions_as_of'>[]>`
    select application_id, submit_time, submit_seq, program_version_id, snapshot, annotations,
      coalesce(superseded_seq > ${asOf ?? null}::bigint, superseded_seq is null) as is_current
    from application
    where program_id = ${programId}
    and application_id = any(${applicationIds as number[]}::bigint[])
    order by array_position(${applicationIds as number[]}::bigint[], application_id)`
  // Queried afterwards, because it needs the version of each application.
  const questions_as_of = await readLastPublication(db, programId)
  return rows.map(row => ({ ...row, questions_as_of }))
}

/** When the newest version of a program was published. */
export async function readLastPublication(db: Db, programId: number): Promise<Micros> {
  const [row] = await db<[{ published_at: Micros }]>`
    select max(published_at) as published_at
    from program_version
    where program_id = ${programId}`
  return row.published_at
}
