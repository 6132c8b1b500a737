// The last step of a pull: files that are whole and on the disk get their final names. What a name had before is replaced in one
// moment, so a reader finds the old file or the new one, and never a part.

import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { CommandError, fileFault } from './pull-outcome.ts'
import { syncFolder } from './spool.ts'

/** A file that is ready, the name it is to get, and its size. */
export interface ReadyFile {
  from: string
  to: string
  bytes: number
}

/** May be interrupted and done again: a file that has its final name already is found by its size. */
export function placeFiles(files: readonly ReadyFile[]): void {
  for (const { from, to, bytes } of files) {
    try {
      if (existsSync(from)) renameSync(from, to)
      else if (sizeOf(to) !== bytes) throw new CommandError('failed', `${from} is gone. Add --restart to begin again.`)
      syncFolder(to)
    } catch (error) {
      throw error instanceof CommandError ? error : fileFault(error, `${to} cannot be put in its place`)
    }
  }
}

export const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size

export const removeFile = (path: string): void => rmSync(path, { force: true })
