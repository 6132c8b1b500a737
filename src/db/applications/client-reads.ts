// Reads by clients other than exports: the programs of a key, an application with its revisions, and its statuses and notes.

import type { Annotations } from '../../domain/questions/application.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow } from '../client.ts'
import { newestApplication } from '../programs/newest-application.ts'
import { type ChangePlace, type PlaceRow, placeOf } from '../walks/change-rows.ts'
import { newestAnnotation } from './annotations.ts'
import { type StoredApplication, storedColumns } from './application-details.ts'

export interface ReadableProgram {
  slug: string
  display_name: string
  /** Number of applications, without the erased ones. */
  applications: number
  /** Submission time of the newest application. */
  newest_submit_time: Micros | null
  place: ChangePlace
}

/** These programs, by slug. Nothing is counted: a program's counter contains the number of its applications. */
export async function readReadablePrograms(db: Db, programIds: readonly number[]): Promise<ReadableProgram[]> {
  const rows = await db<(Omit<ReadableProgram, 'place'> & PlaceRow)[]>`
    select p.slug, p.display_name, c.submissions - c.erased as applications, newest.submit_time as newest_submit_time,
      c.submit_seq as change,
      coalesce(last.submit_time, other.happened_at) as change_time, coalesce(last.application_id, other.application_id) as change_application
    from program p
    join submission_counter c on c.program_id = p.program_id
    ${newestApplication(db)}
    left join lateral (
      select a.submit_seq, a.submit_time, a.application_id
      from application a
      where a.program_id = c.program_id
      order by a.submit_seq desc
      limit 1
    ) last on last.submit_seq = c.submit_seq
    -- Asked for the few programs alone whose last change was no submission: on a cluster each call is a statement of its own.
    cross join lateral change_at(c.program_id, case when last.submit_seq is null then nullif(c.submit_seq, 0) end) other
    where p.program_id = any(${programIds as number[]}::bigint[])
    order by p.slug`
  return rows.map(({ change, change_time, change_application, ...program }) => ({
    ...program,
    place: placeOf({ change, change_time, change_application }),
  }))
}

export interface StoredRevision extends StoredApplication {
  /** The application that superseded it, even if that was erased since; null if none did. */
  superseded_by: number | null
}

/** The applicant's applications to the same program, oldest first, after the one with this ID. */
export async function readStoredRevisions(
  db: Db,
  programId: number,
  applicationId: number,
  { after, rowsMax }: { after: number | undefined; rowsMax: number },
): Promise<StoredRevision[]> {
  return db<StoredRevision[]>`
    select ${storedColumns(db, 'theirs')},
      coalesce(
        (
          select newer.application_id
          from erased_application newer
          where newer.program_id = ${programId}
          and newer.submit_seq = theirs.superseded_seq
        ),
        -- What a load superseded has a number that is no application's of this applicant.
        (
          select newer.application_id
          from application newer
          where newer.program_id = ${programId}
          and newer.applicant_id = theirs.applicant_id
          and newer.submit_seq >= theirs.superseded_seq
          order by newer.submit_seq
          limit 1
        )
      ) as superseded_by
    from application one
    join application theirs on theirs.program_id = one.program_id and theirs.applicant_id = one.applicant_id
    where one.program_id = ${programId}
    and one.application_id = ${applicationId}
    and (${after ?? null}::bigint is null or (theirs.submit_time, theirs.submit_seq) > (
      select submit_time, submit_seq
      from application
      where program_id = ${programId}
      and application_id = ${after ?? null}::bigint
    ))
    order by theirs.submit_time, theirs.submit_seq
    limit ${rowsMax}`
}

/** The current status and note, and the number of their newest state: 0 before the first. */
export interface PresentAnnotations extends Annotations {
  annotation_id: number
}

export async function readPresentAnnotations(
  db: Db,
  programId: number,
  applicationId: number,
): Promise<PresentAnnotations | undefined> {
  return findRow<PresentAnnotations>(db)`
    select status, status_last_modified_time, application_note,
      ${newestAnnotation(db, programId)} as annotation_id
    from application a
    where program_id = ${programId}
    and application_id = ${applicationId}`
}

/** Status and note of an application from a certain time on. */
export interface AnnotationStep {
  annotation_id: number
  changed_at: Micros
  status: string | null
  application_note: string | null
  sets_status: boolean
  sets_note: boolean
}

/** Every status and note that an application had, oldest first, after the one with this number. Clients don't see who set them. */
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
