// The last step of a pull: files that are complete and on disk get their final names. Each replaces the old file atomically, so a reader
// finds either the old file or the new one, always complete.

import { createHash } from 'node:crypto'
import { createReadStream, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { CommandError, fileError } from '../requests/pull-outcome.ts'
import { syncFolder } from './spool.ts'

/** A finished file, its final name, its size, and its SHA-256 in hexadecimal if already known. */
export interface ReadyFile {
  from: string
  to: string
  bytes: number
  sha256?: string | undefined
}

/** As left by a pull. */
export interface PlacedFile {
  path: string
  bytes: number
  /** In hexadecimal. */
  sha256: string
}

/** May be interrupted and repeated: a file that already has its final name is recognized by its size. */
export function placeFiles(files: readonly ReadyFile[]): void {
  for (const { from, to, bytes } of files) {
    try {
      if (existsSync(from)) renameSync(from, to)
      else if (sizeOf(to) !== bytes)
        throw new CommandError('failed', `${from} is missing. Add --restart to start over.`)
      syncFolder(to)
    } catch (error) {
      throw error instanceof CommandError ? error : fileError(error, `Cannot replace ${to}`)
    }
  }
}

/** The facts to record about a finished file. */
export async function placedFile({ from, to, bytes, sha256 }: ReadyFile): Promise<PlacedFile> {
  return { path: to, bytes, sha256: sha256 ?? (await sha256Of(from)) }
}

/** In hexadecimal, at about 1.5 GB per second. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(bytes as Buffer)
  } catch (error) {
    throw fileError(error, `Cannot read ${path}`)
  }
  return hash.digest('hex')
}

export const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size

export const removeFile = (path: string): void => rmSync(path, { force: true })
