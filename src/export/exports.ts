// What the exports of one process share: the connections they take turns on, and the buffers they are packed into.

import { PageBuffers } from './page-buffers.ts'

/** Bytes of a buffer for a page that is to be compressed: larger, since a thread that is done with one waits for the event loop to give it the next. */
export const compressedBufferBytes = 512 * 1024

export class Exports {
  /** For pages that are sent as they are, and for those that are to be compressed. */
  readonly buffers = new PageBuffers(128 * 1024, 64)
  readonly compressedBuffers = new PageBuffers(compressedBufferBytes, 16)
  /** How often a connection was given back for a slow client, and how often a page went on on another one. */
  letGo = 0
  reopened = 0
  #reading = 0

  /** `connections` is how many can read at a time. */
  constructor(private readonly connections: number) {}

  /** How many read, or wait for a connection to read on. */
  get reading(): number {
    return this.#reading
  }

  /** Of them, those that have a connection, and those that wait for one. */
  get holding(): number {
    return Math.min(this.#reading, this.connections)
  }

  get waiting(): number {
    return this.#reading - this.holding
  }

  /** Whether somebody waits for a connection. One whose client takes nothing is then to be given back at once. */
  get crowded(): boolean {
    return this.#reading > this.connections
  }

  /** Runs what reads on one connection. */
  async read<T>(work: () => Promise<T>): Promise<T> {
    this.#reading++
    try {
      return await work()
    } finally {
      this.#reading--
    }
  }
}
