// Resources that the exports of one process share: servers, connections and packing buffers.

import { Problem } from '../../../base/problem.ts'
import { settledWithin } from '../../../base/settled-within.ts'
import type { Sql } from '../../../db/client.ts'
import type { ReadServer, RowsWork } from './read-server.ts'

/** Size of a buffer for a page that is compressed. Larger, because after each one the compressing thread waits for the event loop. */
export const compressedBufferBytes = 512 * 1024

interface ExportsOptions {
  /** Whether applications are distributed over a cluster. */
  areDistributed?: boolean
  /** Where pages are read before the primary is. */
  readServer?: ReadServer | undefined
}

/**
 * Buffers for packing rows, used again and again: a fresh one costs as much as filling it does, for its memory must be cleared.
 * What a buffer held before stays in it; only what was written since may leave.
 */
export class PageBuffers {
  readonly #spare: Buffer[] = []
  /** Buffers in use. */
  inUse = 0

  constructor(
    readonly bytes: number,
    private readonly keptMax: number,
  ) {}

  take(): Buffer {
    this.inUse++
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.bytes)
  }

  /** Returns a buffer that is no longer read. A buffer of another size is not pooled, and is left to the collector. */
  give(buffer: Buffer): void {
    if (buffer.length !== this.bytes) return
    this.inUse--
    if (this.#spare.length < this.keptMax) this.#spare.push(buffer)
  }
}

export class Exports {
  /** For pages that are sent as they are, and for those that are to be compressed. */
  readonly buffers = new PageBuffers(128 * 1024, 64)
  readonly compressedBuffers = new PageBuffers(compressedBufferBytes, 16)
  /** How often a connection was released because of a slow client, and how often a page resumed on another one. */
  released = 0
  reopened = 0
  readonly areDistributed: boolean
  readonly #primary: { readonly sql: Sql; reading: number }
  readonly #readServer: ReadServer | undefined

  /** `connections` is how many can read from one server at a time. */
  constructor(
    primary: Sql,
    private readonly connections: number,
    { areDistributed = false, readServer }: ExportsOptions = {},
  ) {
    this.#primary = { sql: primary, reading: 0 }
    this.#readServer = readServer
    this.areDistributed = areDistributed
  }

  /** How many read, or wait for a connection to read on. */
  get reading(): number {
    return this.#primary.reading + (this.#readServer?.reading ?? 0)
  }

  /** Of them, those that have a connection, and those that wait for one. */
  get holding(): number {
    return (
      Math.min(this.#primary.reading, this.connections) + Math.min(this.#readServer?.reading ?? 0, this.connections)
    )
  }

  get waiting(): number {
    return this.reading - this.holding
  }

  /** Whether an export waits for a connection. A page whose client accepts no data should then release its own immediately. */
  get crowded(): boolean {
    return this.waiting > 0
  }

  /** Runs what reads on one connection of the primary. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return counted(this.#primary, () => work(this.#primary.sql))
  }

  /** Reads rows of a program from the read server if there is one to try, or else from the primary. May reject with TurnedToPrimary. */
  readAnywhere(programId: number, work: RowsWork): Promise<void> {
    const server = this.#readServer
    return server?.mayTry() ? counted(server, () => server.read(programId, work)) : this.read(work)
  }
}

async function counted<T>(server: { reading: number }, work: () => Promise<T>): Promise<T> {
  server.reading++
  try {
    return await work()
  } finally {
    server.reading--
  }
}

/**
 * What a promise resolves with. Rejects with a Problem (unavailable) when that takes longer than to `deadlineMs`, of
 * `performance.now()`; the promise itself continues. A number, since an `AbortSignal` keeps a timer to its end for each page.
 */
export async function byDeadline<T>(deadlineMs: number, promise: Promise<T>): Promise<T> {
  if (await settledWithin(deadlineMs - performance.now(), promise)) return promise
  throw new Problem('unavailable', {
    detail: 'The service is busy with other exports. Try again in a few seconds.',
    retryAfterSeconds: 5,
    internal: 'export_queue_timeout',
  })
}
