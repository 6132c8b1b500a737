// The spool: applications pulled so far, one per line, in a file without its final name. It only grows; after an interruption it is
// truncated to the point that the state knows to be complete and on disk.

import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { CommandError, fileError } from '../requests/pull-outcome.ts'

const newline = Buffer.from('\n')
/** Bytes written together. */
const bufferBytes = 1024 * 1024

export class Spool {
  private waiting: Uint8Array[] = []
  private waitingBytes = 0
  /** Of all that was added, whether it is written yet or not. */
  bytes: number

  private constructor(
    readonly path: string,
    private readonly descriptor: number,
    kept: number,
  ) {
    this.bytes = kept
  }

  /** With what is in it up to `kept` bytes; whatever follows them is dropped. */
  static open(path: string, kept: number): Spool {
    try {
      const descriptor = openSync(path, 'a', 0o600)
      if (fstatSync(descriptor).size < kept) {
        closeSync(descriptor)
        throw new CommandError(
          'failed',
          `${path} is shorter than the pull left it, so it cannot continue. Add --restart to begin again.`,
        )
      }
      ftruncateSync(descriptor, kept)
      syncFolder(path)
      return new Spool(path, descriptor, kept)
    } catch (error) {
      throw error instanceof CommandError ? error : fileError(error, `${path} cannot be written`)
    }
  }

  add(line: Uint8Array): void {
    this.waiting.push(line, newline)
    this.waitingBytes += line.length + 1
    this.bytes += line.length + 1
    if (this.waitingBytes >= bufferBytes) this.write()
  }

  /** Everything that was added is on the disk when this returns. */
  sync(): void {
    this.write()
    this.doing(() => fsyncSync(this.descriptor))
  }

  close(): void {
    closeSync(this.descriptor)
  }

  private write(): void {
    const bytes = Buffer.concat(this.waiting, this.waitingBytes)
    this.waiting = []
    this.waitingBytes = 0
    this.doing(() => {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.descriptor, bytes, at)
    })
  }

  private doing(work: () => void): void {
    try {
      work()
    } catch (error) {
      throw fileError(error, `${this.path} cannot be written`)
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
