// Resources shared by the exports of a process: servers, connections and packing buffers.

import { Problem } from '../../../base/problem.ts'
import { settledWithin } from '../../../base/settled-within.ts'
import type { Sql } from '../../../db/client.ts'
import { ReadConnections, type ReadLength } from './read-connections.ts'
import type { ReadServer, RowsWork } from './read-server.ts'

/** Buffer size for compressed pages; larger, because the compressing thread waits for the event loop after each buffer. */
export const compressedBufferBytes = 512 * 1024

interface ExportsOptions {
  /** Whether applications are distributed over a Citus cluster. */
  areDistributed?: boolean
  /** Server that pages are read from in preference to the primary. */
  readServer?: ReadServer | undefined
}

/**
 * Pool of buffers for packing rows. Allocating a buffer costs as much as filling it, because its memory must be cleared. Buffers are not
 * cleared between uses, so send only the bytes written since.
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

  /** Returns a buffer that is no longer read. Buffers of another size are not pooled. */
  give(buffer: Buffer): void {
    if (buffer.length !== this.bytes) return
    this.inUse--
    if (this.#spare.length < this.keptMax) this.#spare.push(buffer)
  }
}

export class Exports {
  /** Buffers for uncompressed and for compressed pages. */
  readonly buffers = new PageBuffers(128 * 1024, 64)
  readonly compressedBuffers = new PageBuffers(compressedBufferBytes, 16)
  /** Connections released because of slow clients, and pages resumed on another connection. */
  released = 0
  reopened = 0
  readonly areDistributed: boolean
  readonly #primary: ReadConnections
  readonly #readServer: ReadServer | undefined

  /** `connections` is the size of the primary's pool. */
  constructor(primary: Sql, connections: number, { areDistributed = false, readServer }: ExportsOptions = {}) {
    this.#primary = new ReadConnections(primary, connections)
    this.#readServer = readServer
    this.areDistributed = areDistributed
  }

  /** Number of exports that read or wait for a connection. */
  get reading(): number {
    return this.#primary.reading + (this.#readServer?.connections.reading ?? 0)
  }

  /** Number that have a connection, and number that wait for one. */
  get holding(): number {
    return this.#primary.holding + (this.#readServer?.connections.holding ?? 0)
  }

  get waiting(): number {
    return this.reading - this.holding
  }

  /** Whether an export waits for a connection. A page whose client is not reading should then release its own immediately. */
  get crowded(): boolean {
    return this.waiting > 0
  }

  /** Runs a read on a connection to the primary. */
  read<T>(length: ReadLength, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#primary.read(length, work)
  }

  /** Reads rows of a program from the read server if one is available, otherwise from the primary. Can reject with TurnedToPrimary. */
  readAnywhere(length: ReadLength, programId: number, work: RowsWork): Promise<void> {
    const server = this.#readServer
    return server?.mayTry() ? server.read(length, programId, work) : this.read(length, work)
  }
}

/**
 * Resolves like the promise. Rejects with Problem `unavailable` if that takes until `deadlineMs`, a value of `performance.now()`; the promise
 * itself continues. A number, because an `AbortSignal` keeps a timer running for each page.
 */
export async function byDeadline<T>(deadlineMs: number, promise: Promise<T>): Promise<T> {
  if (await settledWithin(deadlineMs - performance.now(), promise)) return promise
  throw new Problem('unavailable', {
    detail: 'The service is busy with other exports. Try again in a few seconds.',
    retryAfterSeconds: 5,
    internal: 'export_queue_timeout',
  })
}
