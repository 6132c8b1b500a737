// How much of the space for uploaded files is used. Each process reads the total from time to time and counts its own uploads in between,
// so processes together can exceed the maximum by what they receive in that time.

import { readStoredBytes } from '../../db/apply/uploaded-files.ts'
import type { Sql } from '../../db/client.ts'

/** How long a sum is reused. */
const keptMs = 30_000

/** Share of the space above which administrators are warned. */
const scarceShare = 0.8

export class FileSpace {
  #found: { at: number; bytes: Promise<number> } | undefined
  #received = 0

  constructor(
    private readonly sql: Sql,
    readonly bytesMax: number,
  ) {}

  /** Bytes of all uploaded files. */
  async read(): Promise<number> {
    const at = performance.now()
    if (this.#found === undefined || at - this.#found.at > keptMs) {
      this.#received = 0
      this.#found = { at, bytes: readStoredBytes(this.sql) }
      this.#found.bytes.catch(() => {
        this.#found = undefined
      })
    }
    return (await this.#found.bytes) + this.#received
  }

  receive(bytes: number): void {
    this.#received += bytes
  }

  isFull = async (): Promise<boolean> => (await this.read()) >= this.bytesMax

  isScarce = async (): Promise<boolean> => (await this.read()) >= this.bytesMax * scarceShare
}
