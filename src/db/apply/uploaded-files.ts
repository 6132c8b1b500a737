// Files that applicants upload: one row per file, with the content stored elsewhere (core/files). An answer contains the file's URL and
// therefore its ID. Files that no answer refers to are erased.

import type { FileType } from '../../domain/files/file-types.ts'
import type { ApplicantPlace } from '../applications/submissions.ts'
import { type Db, findRow, readValue } from '../client.ts'

/** The key of a file. */
export interface FilePlace {
  program_id: number
  file_id: string
}

/** Adds a row for content that is about to be stored. The content is erased a day later unless an answer contains it by then. */
export async function insertUploadedFile(db: Db, file: FilePlace & ApplicantPlace & { name: string }): Promise<void> {
  await db`
    insert into uploaded_file (program_id, file_id, applicant_id, name, check_at)
    values (
      ${file.program_id}, ${file.file_id}, ${file.applicant_id}, ${file.name}, clock_timestamp() + interval '24 hours')`
}

/** Records that the content is complete. False if that took so long that the content is already being removed. */
export async function updateFileStored(
  db: Db,
  { program_id, file_id }: FilePlace,
  { file_type, bytes }: { file_type: FileType; bytes: number },
): Promise<boolean> {
  const { count } = await db`
    update uploaded_file
    set file_type = ${file_type}, bytes = ${bytes}
    where program_id = ${program_id}
    and file_id = ${file_id}
    and not erasing`
  return count === 1
}

/** Lets the worker's next round check a file. */
export async function updateFileAbandoned(db: Db, { program_id, file_id }: FilePlace): Promise<void> {
  await db`
    update uploaded_file
    set check_at = present_time()
    where program_id = ${program_id}
    and file_id = ${file_id}`
}

/** Number of an applicant's files in a program, including those that are still arriving. */
export async function countUploadedFiles(db: Db, { program_id, applicant_id }: ApplicantPlace): Promise<number> {
  return readValue<number>(db)`
    select count(*) as files
    from uploaded_file
    where program_id = ${program_id}
    and applicant_id = ${applicant_id}
    and not erasing`
}

/** Bytes of all stored files, including those about to be removed. */
export async function readStoredBytes(db: Db): Promise<number> {
  return readValue<number>(db)`
    select coalesce(sum(bytes), 0)::bigint as bytes
    from uploaded_file`
}

/** Whether a file's content is complete and not about to be removed. */
const isStored = (db: Db) => db`bytes is not null and not erasing`

export interface NamedFile {
  file_id: string
  name: string
  bytes: number
}

/** The files that an applicant has uploaded in a program. */
export async function readUploadedFiles(db: Db, { program_id, applicant_id }: ApplicantPlace): Promise<NamedFile[]> {
  return db<NamedFile[]>`
    select file_id, name, bytes
    from uploaded_file
    where program_id = ${program_id}
    and applicant_id = ${applicant_id}
    and ${isStored(db)}`
}

/**
 * Which of these files belong to the applicant in this program. They are kept for another day, so that answers can be saved with them. Committed
 * before the answers are.
 */
export async function holdUploadedFiles(
  db: Db,
  { program_id, applicant_id }: ApplicantPlace,
  fileIds: readonly string[],
): Promise<string[]> {
  const rows = await db<{ file_id: string }[]>`
    update uploaded_file
    set check_at = present_time() + interval '24 hours'
    where program_id = ${program_id}
    and applicant_id = ${applicant_id}
    and file_id = any(${[...fileIds]})
    and ${isStored(db)}
    returning file_id`
  return rows.map(({ file_id }) => file_id)
}

export interface StoredFile extends NamedFile {
  file_type: FileType
  applicant_id: number
}

/** A file whose content is complete. */
export async function findUploadedFile(db: Db, { program_id, file_id }: FilePlace): Promise<StoredFile | undefined> {
  return findRow<StoredFile>(db)`
    select file_id, name, bytes, file_type, applicant_id
    from uploaded_file
    where program_id = ${program_id}
    and file_id = ${file_id}
    and ${isStored(db)}`
}

/** The applications of an applicant that have a file, newest first. */
export async function readApplicationsWithFile(
  db: Db,
  { program_id, applicant_id, file_id }: ApplicantPlace & FilePlace,
): Promise<number[]> {
  const rows = await db<{ application_id: number }[]>`
    select application_id
    from application
    where program_id = ${program_id}
    and applicant_id = ${applicant_id}
    and position(${file_id} in snapshot) > 0
    order by application_id desc`
  return rows.map(({ application_id }) => application_id)
}

/** Checks the next files that are due, and returns those that no answer contains. The caller removes their content, then their rows. */
export async function takeUnneededFiles(db: Db, filesMax: number): Promise<FilePlace[]> {
  return db<FilePlace[]>`select of_program as program_id, of_file as file_id from take_unneeded_files(${filesMax})`
}

/** Removes the row of a file whose content is gone. */
export async function deleteUploadedFile(db: Db, { program_id, file_id }: FilePlace): Promise<void> {
  await db`
    delete from uploaded_file
    where program_id = ${program_id}
    and file_id = ${file_id}
    and erasing`
}
