// Finds an uploaded file for a person in the console, and opens it. The audit log records the access before the first byte is sent.

import { notFound, Problem } from '../../base/problem.ts'
import {
  type FilePlace,
  findUploadedFile,
  readApplicationsWithFile,
  type StoredFile,
} from '../../db/apply/uploaded-files.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import type { Sql } from '../../db/client.ts'
import type { FileStore } from './file-store.ts'

interface FileReader {
  /** `admin:<email>`. */
  actor: string
  address?: string | undefined
}

/** A file that was found. `open` records the download and returns the content. It throws Problem `unavailable` if the storage does not respond. */
interface FoundFile {
  file: StoredFile
  open: () => Promise<AsyncIterable<Uint8Array>>
}

/**
 * Finds a file without recording anything. Throws Problem `not_found` unless a submitted application of the program contains it: nobody may read
 * answers in progress.
 */
export async function findFile(
  sql: Sql,
  store: FileStore | undefined,
  place: FilePlace,
  { actor, address }: FileReader,
): Promise<FoundFile> {
  const { program_id, file_id } = place
  const file = /^[0-9a-f]{40}$/.test(file_id) ? await findUploadedFile(sql, place) : undefined
  const applications = file === undefined ? [] : await readApplicationsWithFile(sql, { ...file, program_id })
  if (file === undefined || applications.length === 0) return notFound('There is no such file in this program.')
  const open = async () => {
    const content = await readContent(store, file_id)
    const detail = { program_id, applications }
    await appendAuditEvent(sql, { actor, action: 'file_downloaded', subject: file_id, address, detail })
    return content
  }
  return { file, open }
}

async function readContent(store: FileStore | undefined, fileId: string): Promise<AsyncIterable<Uint8Array>> {
  let content: AsyncIterable<Uint8Array> | undefined
  try {
    content = await store?.read(fileId)
  } catch (error) {
    throw new Problem('unavailable', {
      detail: 'The file storage is not responding. Try again later.',
      internal: 'file_storage_down',
      cause: error,
    })
  }
  if (content !== undefined) return content
  throw new Problem('not_found', {
    detail: 'The content of this file is missing from the file storage. Ask your operator to check FILES_DIR.',
    internal: 'file_content_missing',
  })
}
