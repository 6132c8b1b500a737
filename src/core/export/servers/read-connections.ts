// The connections to a server that exports read from. Some are kept for short reads, so that a page of a few rows doesn't queue behind
// long pages. Long reads beyond their share wait here, first come, first served, for as long as the pool lets a statement wait.

import { settledWithin } from '../../../base/settled-within.ts'
import type { Sql } from '../../../db/client.ts'

/** A read is short if it takes milliseconds: the start of a walk, or a page of at most `shortPageRows`. */
export type ReadLength = 'short' | 'long'

const shortPageRows = 100

export const lengthOfPage = (pageSize: number): ReadLength => (pageSize <= shortPageRows ? 'short' : 'long')

/** With fewer connections than this, none is kept for short reads, because throughput needs them all. */
const sharedMin = 4

/** Maximum number of concurrent long reads: all but one connection in eight, at least one. */
const longReadsMax = (connections: number): number =>
  connections < sharedMin ? Number.POSITIVE_INFINITY : connections - Math.max(1, Math.floor(connections / 8))

export class ReadConnections {
  /** Reads that have a connection or wait for one. */
  reading = 0
  #longReads = 0
  /** Long reads that wait for another to end, oldest first. */
  readonly #queue = new Set<() => void>()
  readonly #longReadsMax: number

  /** `connections` is the size of the pool. */
  constructor(
    readonly sql: Sql,
    private readonly connections: number,
  ) {
    this.#longReadsMax = longReadsMax(connections)
  }

  /** Number of reads that have a connection. */
  get holding(): number {
    return Math.min(this.reading - this.#queue.size, this.connections)
  }

  /** Runs `work`, in its turn. Rejects as the pool does if that takes too long. */
  async read<T>(length: ReadLength, work: (sql: Sql) => Promise<T>): Promise<T> {
    this.reading++
    try {
      return await (length === 'short' ? work(this.sql) : this.#readLong(work))
    } finally {
      this.reading--
    }
  }

  async #readLong<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    if (this.#longReads < this.#longReadsMax) this.#longReads++
    else await this.#takeOver()
    try {
      return await work(this.sql)
    } finally {
      const [next] = this.#queue
      if (next === undefined) this.#longReads--
      else {
        this.#queue.delete(next)
        next()
      }
    }
  }

  /** Resolves when a long read has ended and left its place to this one. */
  async #takeOver(): Promise<void> {
    const { queue_timeout: secondsMax, onwait } = this.sql.options
    const sinceMs = performance.now()
    const { promise: turn, resolve: begin } = Promise.withResolvers<void>()
    this.#queue.add(begin)
    await (secondsMax ? settledWithin(secondsMax * 1000, turn) : turn)
    onwait?.(performance.now() - sinceMs)
    // A read that was given a place is no longer in the queue, even if its time ran out at the same moment.
    if (this.#queue.delete(begin))
      throw Object.assign(new Error('all connections for long reads are in use'), { code: 'CONNECTION_BUSY' })
  }
}
