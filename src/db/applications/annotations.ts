// Statements for an application's status and note, and their history.

import type { Static } from 'typebox'
import type { Annotations } from '../../domain/questions/application.ts'
import { type Db, findRow, findValue, readValue, type Transaction } from '../client.ts'
import { row, text, textOrNull, time } from '../row-schemas.ts'

/** The statuses that administrators may give a program's applications; undefined if the program doesn't exist. */
export async function readProgramStatuses(db: Db, program_id: number): Promise<string[] | undefined> {
  return findValue<string[]>(db)`
    select statuses
    from program
    where program_id = ${program_id}`
}

/**
 * Locks the program's counter until the end of the transaction. Called before locking anything else of the program, so that a change and a submission
 * never deadlock.
 */
export async function holdChanges(tx: Transaction, program_id: number): Promise<void> {
  await tx`select hold_changes(${program_id}::bigint)`
}

/** The current status and note, locked until the end of the transaction; undefined if the application doesn't exist. */
export async function lockAnnotations(
  tx: Transaction,
  program_id: number,
  application_id: number,
): Promise<Annotations | undefined> {
  return findRow<Annotations>(tx)`
    select status, status_last_modified_time, application_note
    from application
    where program_id = ${program_id}
    and application_id = ${application_id}
    for no key update`
}

/** Sets status, its time, the note and their rendered text together, so that they are never read separately (D22). */
export async function updateAnnotations(
  tx: Transaction,
  place: { program_id: number; application_id: number },
  annotations: Annotations,
  rendered: string,
): Promise<void> {
  await tx`
    update application
    set
      status = ${annotations.status},
      status_last_modified_time = ${annotations.status_last_modified_time},
      application_note = ${annotations.application_note},
      annotations = ${rendered}
    where program_id = ${place.program_id}
    and application_id = ${place.application_id}`
}

/** A state of an application's status and note. */
export const annotationState = row({
  changed_at: time,
  changed_by: text,
  status: textOrNull,
  application_note: textOrNull,
})
export type AnnotationState = Static<typeof annotationState>

/** Adds a state and gives it a number among the program's changes. `sets` lists what was set. */
export async function insertAnnotationState(
  tx: Transaction,
  place: { program_id: number; application_id: number },
  state: AnnotationState,
  sets: { status: boolean; note: boolean },
): Promise<void> {
  await tx`
    insert into application_annotation (
      program_id, application_id, changed_at, changed_by, status, application_note, sets_status, sets_note, change_seq)
    values (${place.program_id}, ${place.application_id}, ${state.changed_at}, ${state.changed_by}, ${state.status},
      ${state.application_note}, ${sets.status}, ${sets.note}, draw_changes(${place.program_id}::bigint, 1))`
}

/** Number of the newest state of an application's status and note; 0 if it never had any. */
export async function newestAnnotationId(db: Db, program_id: number, application_id: number): Promise<number> {
  return readValue<number>(db)`
    select coalesce(max(annotation_id), 0) as annotation_id
    from application_annotation
    where program_id = ${program_id}
    and application_id = ${application_id}`
}

/** The same as a fragment of a statement in which the application is `a`. */
export const newestAnnotation = (db: Db, programId: number) => db`(
  select coalesce(max(annotation_id), 0)
  from application_annotation state
  where state.program_id = ${programId}
  and state.application_id = a.application_id
)`

/** The status of an application, and the number of its newest state. */
export interface ApplicationState {
  is_current: boolean
  application_id: number
  status: string | null
  has_note: boolean
  annotation_id: number
}

/** The states of those of these applications that exist in the program. */
export async function readApplicationStates(
  db: Db,
  programId: number,
  applicationIds: readonly number[],
): Promise<ApplicationState[]> {
  return db<ApplicationState[]>`
    select application_id, status, application_note is not null as has_note, superseded_seq is null as is_current,
      ${newestAnnotation(db, programId)} as annotation_id
    from application a
    where program_id = ${programId}
    and application_id = any(${applicationIds as number[]}::bigint[])
    order by application_id`
}

/** An application without its answers. */
interface ApplicationSummary {
  applicant_id: number
  is_current: boolean
}

export async function findApplication(
  db: Db,
  program_id: number,
  application_id: number,
): Promise<ApplicationSummary | undefined> {
  return findRow<ApplicationSummary>(db)`
    select applicant_id, superseded_seq is null as is_current
    from application
    where program_id = ${program_id}
    and application_id = ${application_id}`
}
