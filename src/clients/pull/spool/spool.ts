// The spool: a temporary file with the applications pulled so far, one per line. It only grows; after an interruption it is truncated to
// the point that the state records as complete and on disk.

import { createHash } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { CommandError, fileError } from '../requests/pull-outcome.ts'

export class Spool {
  /** Size of everything added. */
  bytes: number
  /** Hash of everything added, if the spool was empty before. */
  private readonly hash

  private constructor(
    readonly path: string,
    private readonly descriptor: number,
    kept: number,
    hashes: boolean,
  ) {
    this.bytes = kept
    this.hash = hashes && kept === 0 ? createHash('sha256') : undefined
  }

  /** Opens a spool with its first `kept` bytes; the rest is dropped. `hashes`: computes the SHA-256 of the file meanwhile. */
  static open(path: string, kept: number, hashes = false): Spool {
    try {
      const descriptor = openSync(path, 'a', 0o600)
      if (fstatSync(descriptor).size < kept) {
        closeSync(descriptor)
        throw new CommandError(
          'failed',
          `${path} is shorter than recorded, so the pull cannot continue. Add --restart to start over.`,
        )
      }
      ftruncateSync(descriptor, kept)
      syncFolder(path)
      return new Spool(path, descriptor, kept, hashes)
    } catch (error) {
      throw error instanceof CommandError ? error : fileError(error, `Cannot write ${path}`)
    }
  }

  /** Writes complete lines, which may not be on the disk before `sync`. */
  add(lines: Uint8Array): void {
    this.doing(() => {
      for (let at = 0; at < lines.length; ) at += writeSync(this.descriptor, lines, at)
    })
    this.bytes += lines.length
    this.hash?.update(lines)
  }

  /** In hexadecimal; undefined if the spool was not empty before. */
  sha256(): string | undefined {
    return this.hash?.copy().digest('hex')
  }

  /** Everything added is on the disk when this returns. */
  sync(): void {
    this.doing(() => fsyncSync(this.descriptor))
  }

  close(): void {
    closeSync(this.descriptor)
  }

  private doing(work: () => void): void {
    try {
      work()
    } catch (error) {
      throw fileError(error, `Cannot write ${this.path}`)
    }
  }
}

/** Makes names in the folder of this file survive a loss of power, where the system can. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
