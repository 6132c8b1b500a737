// What clients read beside the export: the programs of a key, one application with its revisions, and its statuses and notes.

import type { Annotations } from '../domain/questions/application.ts'
import type { Micros } from '../domain/values/offset-time.ts'
import type { StoredApplication } from './application-lists.ts'
import type { ChangePlace } from './change-rows.ts'
import type { Db } from './client.ts'

export interface ReadableProgram {
  slug: string
  display_name: string
  /** Applications there are: those that were erased not among them. */
  applications: number
  /** Of the newest that is there. */
  newest_submit_time: Micros | null
  place: ChangePlace
}

/** These programs, by slug. Nothing is counted: the counter of a program says how many applications it has. */
export async function readReadablePrograms(db: Db, programIds: readonly number[]): Promise<ReadableProgram[]> {
  type Row = Omit<ReadableProgram, 'place'> & { change: number; submit_time: Micros | null; submit_seq: number | null }
  const rows = await db<Row[]>`
    select
      p.slug,
      p.display_name,
      c.submissions - c.erased as applications,
      (
        select a.submit_time
        from application a
        where a.program_id = p.program_id
        order by a.submit_time desc, a.submit_seq desc
        limit 1
      ) as newest_submit_time,
      c.submit_seq as change,
      newest.submit_time,
      newest.submit_seq
    from program p
    join submission_counter c using (program_id)
    cross join last_submission(c.program_id, c.submit_seq) newest
    where p.program_id = any(${programIds as number[]}::bigint[])
    order by p.slug`
  return rows.map(({ change, submit_time, submit_seq, ...program }) => ({
    ...program,
    place: {
      change,
      lastApplication: submit_time === null || submit_seq === null ? undefined : { submit_time, submit_seq },
    },
  }))
}

export interface StoredRevision extends StoredApplication {
  /** The application that took its place, also where that was erased since; null where none did. */
  superseded_by: number | null
}

/** All applications of the applicant of this one to the program, oldest first, after the one with this id. */
export async function readStoredRevisions(
  db: Db,
  programId: number,
  applicationId: number,
  { after, rowsMax }: { after: number | undefined; rowsMax: number },
): Promise<StoredRevision[]> {
  return db<StoredRevision[]>`
    select theirs.application_id, theirs.submit_time, theirs.submit_seq, theirs.program_version_id, theirs.snapshot, theirs.annotations,
      theirs.superseded_seq is null as is_current,
      (select max(v.published_at) from program_version v where v.program_id = ${programId}) as questions_as_of,
      coalesce(
        (
          select newer.application_id
          from application newer
          where newer.program_id = ${programId}
          and newer.submit_seq = theirs.superseded_seq
          and newer.applicant_id = theirs.applicant_id
        ),
        (
          select newer.application_id
          from erased_application newer
          where newer.program_id = ${programId}
          and newer.submit_seq = theirs.superseded_seq
        )
      ) as superseded_by
    from application one
    join application theirs on theirs.program_id = one.program_id and theirs.applicant_id = one.applicant_id
    where one.program_id = ${programId}
    and one.application_id = ${applicationId}
    ${
      after === undefined
        ? db``
        : db`and (theirs.submit_time, theirs.submit_seq) >
            (select submit_time, submit_seq from application where program_id = ${programId} and application_id = ${after})`
    }
    order by theirs.submit_time, theirs.submit_seq
    limit ${rowsMax}`
}

/** Status and note as they are, and the newest state of both: 0 before the first. */
export interface PresentAnnotations extends Annotations {
  annotation_id: number
}

export async function readPresentAnnotations(
  db: Db,
  programId: number,
  applicationId: number,
): Promise<PresentAnnotations | undefined> {
  const [row] = await db<PresentAnnotations[]>`
    select status, status_last_modified_time, application_note,
      (
        select coalesce(max(annotation_id), 0)
        from application_annotation state
        where state.program_id = a.program_id
        and state.application_id = a.application_id
      ) as annotation_id
    from application a
    where program_id = ${programId}
    and application_id = ${applicationId}`
  return row
}

/** Status and note of an application as they were from a moment on. */
export interface AnnotationStep {
  annotation_id: number
  changed_at: Micros
  status: string | null
  application_note: string | null
  sets_status: boolean
  sets_note: boolean
}

/** Every status and note an application had, oldest first, after the one with this number. Who set them is not for clients. */
export async function readAnnotationSteps(
  db: Db,
  programId: number,
  applicationId: number,
  { after, rowsMax }: { after: number; rowsMax: number },
): Promise<AnnotationStep[]> {
  return db<AnnotationStep[]>`
    select annotation_id, changed_at, status, application_note, sets_status, sets_note
    from application_annotation
    where program_id = ${programId}
    and application_id = ${applicationId}
    and annotation_id > ${after}
    order by annotation_id
    limit ${rowsMax}`
}
