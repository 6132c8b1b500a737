// The hot path, second half: moves the rows of one page from a cursor to a client. Knows cursors and sinks; nothing of HTTP.
//
// What it guarantees, and how. A page is complete or it visibly is not: the closing bracket and the token are written when the
// rows are known to be whole, and every failure before that rejects, which the caller turns into a broken connection.
//
// A cursor pins a database connection and the oldest snapshot for as long as somebody reads from it, so it lets go: when one
// write has waited longer than `letGoAfterMs`, the cursor is closed and its connection given back; when the client reads on, a
// new cursor starts behind the last row that was handed over. The same re-opening serves a killed backend, a restart or a
// failover of the database. Nothing is lost or repeated by it, because which rows belong to the page, and in which order, was
// fixed by the horizon of the walk before the first row was read. A client that takes nothing for `stallTimeoutMs` is given up.
//
// Memory: one buffer of `bufferBytes` for packing and one batch of rows. The batch follows the size of the rows (`batchBytes`),
// so pages of large applications do not need more. While a client is stalled, only its buffer is kept.

import { isLostConnection, type Sql } from '../db/client.ts'
import {
  type Batches,
  type PageQuery,
  type Position,
  positionOf,
  type RawRow,
  rawColumn,
  readPageRows,
} from '../db/walks.ts'
import type { VersionFill } from '../domain/version-fill.ts'
import { splicedBytes, spliceRow } from './splice.ts'

/** Where the bytes go. At most one write is under way at a time. */
export interface Sink {
  /**
   * Hands over bytes. True at once, or a promise of true once the client has taken enough for more; false when the client has
   * gone. The bytes must not be touched before that. `last` says that nothing follows.
   */
  write(bytes: Uint8Array, last: boolean): boolean | Promise<boolean>
}

export interface PageLimits {
  firstBatchRows: number
  batchRows: number
  /** Bytes of rows that one batch should hold at most, by the size of the rows seen so far. */
  batchBytes: number
  bufferBytes: number
  letGoAfterMs: number
  stallTimeoutMs: number
  /** How often a lost database connection is replaced without a row having come from it, and the pause before the first. */
  reopensMax: number
  reopenPauseMs: number
}

export const pageLimits: Omit<PageLimits, 'letGoAfterMs' | 'stallTimeoutMs'> = {
  firstBatchRows: 100,
  batchRows: 500,
  batchBytes: 4 * 1024 * 1024,
  bufferBytes: 256 * 1024,
  reopensMax: 8,
  reopenPauseMs: 50,
}

export interface PagePlan {
  query: Omit<PageQuery, 'after' | 'rowsMax'>
  after: Position | undefined
  pageSize: number
}

/** How a page ended. `next` is where the following page starts, or undefined when none follows or the page was cut short. */
export interface PageReceipt {
  outcome: 'complete' | 'client_gone' | 'stalled' | 'failed'
  /** Of a page that was cut short: as many as the client may have got. */
  applications: number
  bytes: number
  next: Position | undefined
}

/** A page that cannot be finished. `cause` says why, `receipt` what had been handed over by then: nothing when its bytes are 0. */
export class PageFailure extends Error {
  constructor(
    readonly receipt: PageReceipt,
    cause: unknown,
  ) {
    super('a page cannot be finished', { cause })
  }
}

const open = Buffer.from('{"payload":[')
const comma = 44

/**
 * Writes one page as `{"payload":[…],"nextPageToken":…}`. `sealNext` makes the token for the page that starts behind a place;
 * it is called only when at least one more application follows (G7).
 * Rejects with a PageFailure when the database failed for good; the body is then incomplete and must be made to look so.
 */
export async function writePage(
  sql: Sql,
  plan: PagePlan,
  fills: ReadonlyMap<number, VersionFill>,
  limits: PageLimits,
  sink: Sink,
  sealNext: (position: Position, applications: number) => string,
): Promise<PageReceipt> {
  const page = new PageWriter(plan, fills, limits, sink)
  let reopens = 0
  for (;;) {
    const sentBefore = page.applications
    let failure: { error: unknown } | undefined
    page.rowsEnded = true
    try {
      await readPageRows(sql, page.remaining(), page.batches, rows => page.take(rows))
    } catch (error) {
      failure = { error }
    }
    if (page.applications > sentBefore) reopens = 0
    if (!(await page.settle())) return page.receipt(page.stalled ? 'stalled' : 'client_gone', undefined)
    if (failure !== undefined) {
      const progressed = page.applications > sentBefore
      if (!canReopen(failure.error, progressed) || ++reopens > limits.reopensMax)
        throw new PageFailure(page.receipt('failed', undefined), failure.error)
      await Bun.sleep(limits.reopenPauseMs * 2 ** (reopens - 1))
    } else if (page.rowsEnded) {
      break
    }
  }
  const next = page.more ? page.last : undefined
  const token = next === undefined ? 'null' : JSON.stringify(sealNext(next, page.applications))
  const whole = await page.finish(`],"nextPageToken":${token}}`)
  return whole ? page.receipt('complete', next) : page.receipt(page.stalled ? 'stalled' : 'client_gone', undefined)
}

/** The state of one page between cursors. */
class PageWriter {
  applications = 0
  bytes = 0
  /** The last row that was packed; what follows it has not been handed over. */
  last: Position | undefined
  /** Whether a row behind the page's last one was seen. */
  more = false
  /** Cleared when a batch was left before its end, so that another cursor is needed. */
  rowsEnded = false
  stalled = false
  readonly batches: Batches
  #buffer: Buffer
  #used: number
  #gone = false
  /** A write that was left waiting when the cursor let go. */
  #waiting: { write: Promise<boolean>; sinceMs: number } | undefined

  constructor(
    private readonly plan: PagePlan,
    private readonly fills: ReadonlyMap<number, VersionFill>,
    private readonly limits: PageLimits,
    private readonly sink: Sink,
  ) {
    this.#buffer = Buffer.allocUnsafeSlow(limits.bufferBytes)
    this.#used = open.copy(this.#buffer)
    this.batches = { firstRows: limits.firstBatchRows, laterRows: rows => nextBatchRows(limits, averageBytes(rows)) }
  }

  /** What is still to be read: one row more than the page holds, to know whether another page follows. */
  remaining(): PageQuery {
    return {
      ...this.plan.query,
      after: this.last ?? this.plan.after,
      rowsMax: this.plan.pageSize + 1 - this.applications,
    }
  }

  receipt(outcome: PageReceipt['outcome'], next: Position | undefined): PageReceipt {
    return { outcome, applications: this.applications, bytes: this.bytes, next }
  }

  /** Packs a batch. False when the cursor should be closed: the client is slow or gone, or the page is full. */
  async take(rows: readonly RawRow[]): Promise<boolean> {
    let packed: RawRow | undefined
    try {
      for (const row of rows) {
        if (this.applications === this.plan.pageSize) {
          this.more = true
          return false
        }
        if (!this.#pack(row)) {
          const wrote = this.#flush()
          if (!(wrote === true || (await this.#awaitWrite(wrote)))) return this.#leave()
          if (!this.#pack(row)) {
            const large = this.#writeLarge(row)
            packed = row
            if (!(large === true || (await this.#awaitWrite(large)))) return this.#leave()
          }
        }
        packed = row
      }
    } finally {
      if (packed !== undefined) this.last = positionOf(packed)
    }
    return true
  }

  /** Waits for a write the cursor was let go for. False when the client has gone or stalled for good. */
  async settle(): Promise<boolean> {
    if (this.#waiting !== undefined && !this.#gone) {
      const { write, sinceMs } = this.#waiting
      const remainingMs = this.limits.stallTimeoutMs - (performance.now() - sinceMs)
      const taken = await withinMs(write, remainingMs)
      if (taken === undefined) this.stalled = true
      if (taken !== true) this.#gone = true
      this.#waiting = undefined
    }
    return !this.#gone
  }

  /** Writes what is left and the end of the page. */
  async finish(end: string): Promise<boolean> {
    const bytes = Buffer.from(end)
    if (this.#used + bytes.length > this.#buffer.length && !(await this.#drain(this.#flush()))) return false
    this.#used += bytes.copy(this.#buffer, this.#used)
    return this.#drain(this.#flush(true))
  }

  /** Stops reading although rows are left: another cursor will be needed, if the client comes back. */
  #leave(): false {
    this.rowsEnded = false
    return false
  }

  #pack(row: RawRow): boolean {
    const separated = this.applications > 0 ? 1 : 0
    if (this.#used + separated > this.#buffer.length) return false
    const end = spliceRow(
      this.#buffer,
      this.#used + separated,
      row[rawColumn.snapshot],
      row[rawColumn.annotations],
      isCurrent(row),
      this.#fillOf(row),
    )
    if (end === -1) return false
    if (separated === 1) this.#buffer[this.#used] = comma
    this.#used = end
    this.applications++
    return true
  }

  /** A row larger than the whole buffer gets bytes of its own. The buffer must be empty. */
  #writeLarge(row: RawRow): boolean | Promise<boolean> {
    const [snapshot, annotations, fill] = [row[rawColumn.snapshot], row[rawColumn.annotations], this.#fillOf(row)]
    const separated = this.applications > 0 ? 1 : 0
    const bytes = Buffer.allocUnsafe(separated + splicedBytes(snapshot, annotations, isCurrent(row), fill))
    if (separated === 1) bytes[0] = comma
    spliceRow(bytes, separated, snapshot, annotations, isCurrent(row), fill)
    this.applications++
    this.bytes += bytes.length
    return this.sink.write(bytes, false)
  }

  #flush(last = false): boolean | Promise<boolean> {
    const bytes = this.#buffer.subarray(0, this.#used)
    this.#used = 0
    if (bytes.length === 0) return true
    this.bytes += bytes.length
    return this.sink.write(bytes, last)
  }

  /** True when the write went through in time. False: the client has gone, or is slow and the write was left waiting. */
  async #awaitWrite(write: false | Promise<boolean>): Promise<boolean> {
    if (write === false) {
      this.#gone = true
      return false
    }
    const sinceMs = performance.now()
    const taken = await withinMs(write, this.limits.letGoAfterMs)
    if (taken === undefined) this.#waiting = { write, sinceMs }
    if (taken === false) this.#gone = true
    return taken === true
  }

  async #drain(write: boolean | Promise<boolean>): Promise<boolean> {
    if (typeof write === 'boolean') return write
    this.#waiting = { write, sinceMs: performance.now() }
    return this.settle()
  }

  #fillOf(row: RawRow): VersionFill {
    const bytes = row[rawColumn.programVersionId]
    let id = 0
    for (let i = 0; i < bytes.length; i++) id = id * 10 + bytes[i]! - 48
    const fill = this.fills.get(id)
    if (fill === undefined)
      throw new Error(`an application is of program version ${id}, which the key map does not cover`)
    return fill
  }
}

function averageBytes(rows: readonly RawRow[]): number {
  let bytes = 0
  for (const row of rows) bytes += row[rawColumn.snapshot].length + row[rawColumn.annotations].length
  return bytes / Math.max(1, rows.length)
}

/** Rows of the next batch when rows have been of `rowBytes` on average: as many as `batchBytes` hold, at least one. */
export function nextBatchRows(limits: PageLimits, rowBytes: number): number {
  return Math.max(1, Math.min(limits.batchRows, Math.floor(limits.batchBytes / Math.max(1, rowBytes))))
}

const isCurrent = (row: RawRow): boolean => row[rawColumn.isCurrent][0] === 0x74

/** The promise's value, or undefined when it took longer. */
async function withinMs(promise: Promise<boolean>, ms: number): Promise<boolean | undefined> {
  let timer: Timer | undefined
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, Math.max(0, ms))
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Whether another cursor can go on where this one stopped: the connection was lost and not the statement at fault, a standby
 * withdrew the snapshot (40001), or a long page met the statement timeout (57014) while rows were still coming.
 */
function canReopen(error: unknown, progressed: boolean): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return isLostConnection(error) || code === '40001' || (code === '57014' && progressed)
}
