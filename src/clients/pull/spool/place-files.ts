// The last step of a pull: files that are whole and on the disk get their final names. The new file replaces the old one in one
// moment, so a reader finds one of the two, and never a part.

import { createHash } from 'node:crypto'
import { createReadStream, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { CommandError, fileError } from '../requests/pull-outcome.ts'
import { syncFolder } from './spool.ts'

/** A file that is ready, the name it is to get, its size, and its SHA-256 in hexadecimal where it is known already. */
export interface ReadyFile {
  from: string
  to: string
  bytes: number
  sha256?: string | undefined
}

/** As a pull left it. */
export interface PlacedFile {
  path: string
  bytes: number
  /** In hexadecimal. */
  sha256: string
}

/** May be interrupted and done again: a file that has its final name already is found by its size. */
export function placeFiles(files: readonly ReadyFile[]): void {
  for (const { from, to, bytes } of files) {
    try {
      if (existsSync(from)) renameSync(from, to)
      else if (sizeOf(to) !== bytes) throw new CommandError('failed', `${from} is gone. Add --restart to begin again.`)
      syncFolder(to)
    } catch (error) {
      throw error instanceof CommandError ? error : fileError(error, `${to} cannot be put in its place`)
    }
  }
}

/** What is to be remembered of a file that is ready. */
export async function placedFile({ from, to, bytes, sha256 }: ReadyFile): Promise<PlacedFile> {
  return { path: to, bytes, sha256: sha256 ?? (await sha256Of(from)) }
}

/** In hexadecimal; some 1.5 GB a second. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(bytes as Buffer)
  } catch (error) {
    throw fileError(error, `${path} cannot be read`)
  }
  return hash.digest('hex')
}

export const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size

export const removeFile = (path: string): void => rmSync(path, { force: true })
