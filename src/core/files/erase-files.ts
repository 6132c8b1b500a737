// Erases files that no answer refers to: files of erased applications within a minute, files that were never saved in an answer within a day.

import { settledWithin } from '../../base/settled-within.ts'
import { deleteUploadedFile, takeUnneededFiles } from '../../db/apply/uploaded-files.ts'
import type { Sql } from '../../db/client.ts'
import type { FileStore } from './file-store.ts'

/** Maximum number of files erased per round. */
const batchFiles = 1000

/**
 * Erases files that are due and returns their number. Content is removed before its row, so that an interrupted round is repeated ten minutes later.
 * Throws the first error of the storage, after all others were tried; a storage that takes longer than `silenceMs` for one file isn't asked for
 * another. Several processes may run it concurrently.
 */
export async function eraseUnneededFiles(sql: Sql, store: FileStore | undefined, silenceMs: number): Promise<number> {
  if (store === undefined) return 0
  const failures: unknown[] = []
  let erased = 0
  for (const file of await takeUnneededFiles(sql, batchFiles)) {
    try {
      if (!(await settledWithin(silenceMs, store.remove(file.file_id)))) {
        failures.push(new Error('the file storage does not respond'))
        break
      }
      await deleteUploadedFile(sql, file)
      erased++
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return erased
}
