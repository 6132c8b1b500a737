// Receives one file from an applicant: stores a row, then the content as it arrives, then its type and size. If a step fails, the worker
// uses the row to find leftover content.

import { randomBytes } from 'node:crypto'
import { fileTypeFromBuffer } from 'file-type'
import type { ApplicantPlace } from '../../db/applications/submissions.ts'
import {
  countUploadedFiles,
  insertUploadedFile,
  updateFileAbandoned,
  updateFileStored,
} from '../../db/apply/uploaded-files.ts'
import type { Sql } from '../../db/client.ts'
import { keptFileName } from '../../domain/files/file-names.ts'
import { type FileRules, type FileType, typeOfMedia } from '../../domain/files/file-types.ts'
import type { FileSpace } from './file-space.ts'
import type { FileStore } from './file-store.ts'

/** Maximum number of files per applicant and program, including files that are no longer in an answer. */
const applicantFilesMax = 100

/** Enough of a file to detect its type. */
const headBytes = 4100

type FileRefusal = 'file_type' | 'file_too_large' | 'file_empty' | 'files_full' | 'storage_full' | 'file_failed'

interface FileOrder {
  rules: FileRules
  space: FileSpace
  /** As sent. */
  name: string
  /** Returns the file's owner. Called only for a file of an accepted type. */
  place: () => Promise<ApplicantPlace>
  /** Receives an error of the storage. */
  onFailure: (error: unknown) => void
}

/**
 * Stores a file and returns its ID, or the reason for rejecting it. If `chunks` throws, as when the connection is lost, it removes what was stored
 * and throws that error.
 */
export async function receiveFile(
  sql: Sql,
  store: FileStore,
  { rules, space, name, place: findPlace, onFailure }: FileOrder,
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ fileId: string } | { refused: FileRefusal }> {
  const arriving = new Arriving(chunks, rules.bytesMax)
  const head = await arriving.readHead()
  if (head.length === 0) return { refused: 'file_empty' }
  const type = await typeOf(head)
  if (type === undefined || !rules.types.includes(type)) return { refused: 'file_type' }
  if (await space.isFull()) return { refused: 'storage_full' }
  const place = await findPlace()
  if ((await countUploadedFiles(sql, place)) >= applicantFilesMax) return { refused: 'files_full' }
  const fileId = randomBytes(20).toString('hex')
  const file = { program_id: place.program_id, file_id: fileId }
  await insertUploadedFile(sql, { ...file, ...place, name: keptFileName(name) })
  try {
    await store.write(fileId, arriving.all())
    const stored = { file_type: type, bytes: arriving.bytes }
    if (!(await updateFileStored(sql, file, stored))) return { refused: 'file_failed' }
    space.receive(stored.bytes)
    return { fileId }
  } catch (error) {
    await store.remove(fileId).catch(() => {})
    await updateFileAbandoned(sql, file)
    if (arriving.isTooLarge) return { refused: 'file_too_large' }
    if (arriving.failed !== undefined) throw error
    onFailure(error)
    return { refused: 'file_failed' }
  }
}

/** The type of a file by its first bytes; undefined if it is unknown or applicants may not upload it. */
async function typeOf(head: Uint8Array): Promise<FileType | undefined> {
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  return found && typeOfMedia(found.mime)
}

/** Content as it arrives. Its beginning can be read first. */
class Arriving {
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #head: Uint8Array[] = []
  bytes = 0
  /** The error of the connection, if it failed. */
  failed: unknown

  constructor(
    chunks: AsyncIterable<Uint8Array>,
    private readonly bytesMax: number,
  ) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  get isTooLarge(): boolean {
    return this.bytes > this.bytesMax
  }

  async #next(): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await this.#chunks.next()
      return done ? undefined : value
    } catch (error) {
      this.failed = error
      throw error
    }
  }

  async readHead(): Promise<Uint8Array> {
    let bytes = 0
    for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) {
      this.#head.push(chunk)
      bytes += chunk.length
      if (bytes >= headBytes) break
    }
    return Buffer.concat(this.#head)
  }

  /** All of the content, including the beginning. Throws as soon as it is too large. */
  async *all(): AsyncGenerator<Uint8Array> {
    for (const chunk of this.#head) yield this.#counted(chunk)
    for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) yield this.#counted(chunk)
  }

  #counted(chunk: Uint8Array): Uint8Array {
    this.bytes += chunk.length
    if (this.isTooLarge) throw new Error('the file is larger than its question allows')
    return chunk
  }
}
