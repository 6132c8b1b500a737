// The hot path, second half: moves the rows of one page from a cursor to a client. Knows cursors and sinks; nothing of HTTP.
//
// What it guarantees, and how. A page is complete or it visibly is not: the closing bracket and the token are written when the
// rows are known to be whole, and every failure before that rejects, which the caller turns into a broken connection.
//
// A cursor pins a database connection and the oldest snapshot for as long as somebody reads from it, so it lets go: when one
// write has waited longer than `letGoAfterMs`, or hardly at all while other exports wait for a connection, the cursor is closed and
// its connection given back; when the client reads on, a
// new cursor starts after the last row that was handed over. The same re-opening serves a killed backend, a restart or a
// failover of the database. Nothing is lost or repeated by it, because which rows belong to the page, and in which order, was
// fixed by the horizon of the walk before the first row was read. A client that takes nothing for `stallTimeoutMs` is given up.
//
// Memory: rows are packed as they come, into buffers that are used again; no batch of rows is kept. While PostgreSQL is faster
// than the client, what waits is one batch at most, whose rows follow their size (`batchBytes`); while a client is let go of, it
// is the buffer of one write. Fast and plain meet in tests/export: every byte is compared with a renderer that knows none of this.

import { hasWaited, isLostConnection, type Sql } from '../db/client.ts'
import {
  isBehindWalk,
  type PageQuery,
  type Position,
  type RowReader,
  type RowView,
  readPageRows,
  type WalkScope,
} from '../db/walks.ts'
import type { VersionFill } from '../domain/questions/version-fill.ts'
import type { Micros } from '../domain/values/offset-time.ts'
import type { Exports } from './exports.ts'
import type { PageBuffers } from './page-buffers.ts'
import type { PageFraming } from './page-framing.ts'
import { PageOutlet, type Sink } from './page-outlet.ts'
import { splicedBytes, spliceRow } from './splice.ts'

export interface PageLimits {
  firstBatchRows: number
  /** Rows of a batch, and the least of them where several pages share the process: see `shareOfRows`. */
  batchRows: number
  batchRowsMin: number
  /** Bytes of rows that one batch should hold at most, by the size of the rows seen so far. */
  batchBytes: number
  /** Bytes that may wait for the client when the next batch is asked for: enough to write while its rows come. */
  aheadBytes: number
  /** How long a write may wait before the connection is given back, and how long when other exports wait for one. */
  letGoAfterMs: number
  letGoCrowdedMs: number
  stallTimeoutMs: number
  /** How often a lost database connection is replaced without a row having come from it, and the pause before the first. */
  reopensMax: number
  reopenPauseMs: number
}

export const pageLimits: Omit<PageLimits, 'letGoAfterMs' | 'stallTimeoutMs'> = {
  firstBatchRows: 100,
  batchRows: 200,
  batchRowsMin: 40,
  batchBytes: 4 * 1024 * 1024,
  aheadBytes: 1024 * 1024,
  letGoCrowdedMs: 10,
  reopensMax: 8,
  reopenPauseMs: 50,
}

export interface PagePlan {
  walk: WalkScope
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

export interface PageToWrite {
  sql: Sql
  plan: PagePlan
  /** What the applications of each program version lack. */
  fills: ReadonlyMap<number, VersionFill>
  framing: PageFraming
  limits: PageLimits
  /** The pages of this process, this one among them. */
  exports: Exports
  buffers: PageBuffers
  sink: Sink
  /** Makes the token for the page that starts after a place. Called only when at least one more application follows (G7). */
  sealNext: (position: Position, applications: number) => string
}

/**
 * Writes one page: its applications, framed. Rejects with a PageFailure when the database failed for good; the body is then
 * incomplete and must be made to look so.
 */
export async function writePage(asked: PageToWrite): Promise<PageReceipt> {
  const { sql, limits, exports } = asked
  const outlet = new PageOutlet(asked.sink, asked.buffers, asked.plan.after)
  const page = new PageWriter(asked, outlet)
  const receipt = (outcome: PageReceipt['outcome']): PageReceipt => {
    const { applications, bytes } = outlet.handed
    return { outcome, applications, bytes, next: outcome === 'complete' ? page.next : undefined }
  }
  let reopens = 0
  let silences = 0
  for (;;) {
    const before = page.applications
    let failure: { error: unknown } | undefined
    page.letGo = false
    try {
      await exports.read(() => {
        const firstRows = Math.min(limits.firstBatchRows, shareOfRows(limits, exports.reading))
        return readPageRows(sql, page.remaining(), firstRows, page)
      })
    } catch (error) {
      failure = { error }
    }
    const progressed = page.applications > before
    // The connection is given back by now, so nobody waits for this.
    if (!page.letGo) await page.catchUp(0, () => limits.letGoAfterMs)
    if (failure === undefined && !page.letGo) break
    if (progressed) reopens = silences = 0
    if (!(await outlet.settle(limits.stallTimeoutMs))) return receipt(outlet.stalled ? 'stalled' : 'client_gone')
    if (failure !== undefined) {
      // After a silence that was waited out, one more try: a connection that is reset at once may be tried more often.
      if (hasWaited(failure.error)) silences++
      if (
        !canReopen(failure.error, progressed, outlet.handed.bytes > 0) ||
        silences > 1 ||
        ++reopens > limits.reopensMax
      )
        throw new PageFailure(receipt('failed'), failure.error)
      await Bun.sleep(limits.reopenPauseMs * 2 ** (reopens - 1))
    }
  }
  const { next } = page
  page.finish(asked.framing.end(next === undefined ? null : asked.sealNext(next, page.applications)))
  const whole = await outlet.settle(limits.stallTimeoutMs)
  return receipt(whole ? 'complete' : outlet.stalled ? 'stalled' : 'client_gone')
}

/** Packs the rows of one page, whatever cursors they come from. */
class PageWriter implements RowReader {
  applications = 0
  /** Set when a cursor was left before its rows had ended, so that another is needed. */
  letGo = false
  /** The place of the last row that was packed, in two numbers: an object for each row would be garbage at once. */
  #submitTime: Micros | undefined
  #submitSeq = 0
  /** Whether a row behind the page's last one was seen. */
  #more = false
  #buffer: Buffer | undefined
  #used = 0
  #rowsSeen = 0
  #bytesSeen = 0
  #rowBytes = 0

  constructor(
    private readonly asked: PageToWrite,
    private readonly outlet: PageOutlet,
  ) {
    this.#place = asked.plan.after
    this.#buffer = asked.buffers.take()
    this.#used = asked.framing.opening.copy(this.#buffer)
  }

  get #place(): Position | undefined {
    return this.#submitTime === undefined ? undefined : { submit_time: this.#submitTime, submit_seq: this.#submitSeq }
  }

  set #place(place: Position | undefined) {
    this.#submitTime = place?.submit_time
    this.#submitSeq = place?.submit_seq ?? 0
  }

  /** Where the following page starts, if there is one. */
  get next(): Position | undefined {
    return this.#more ? this.#place : undefined
  }

  /** What is still to be read: one row more than the page holds, to know whether another page follows. */
  remaining(): PageQuery {
    return { ...this.asked.plan.walk, after: this.#place, rowsMax: this.asked.plan.pageSize + 1 - this.applications }
  }

  take(row: RowView): void {
    this.#rowsSeen++
    this.#bytesSeen += row.annotationsTo - row.snapshotFrom
    if (this.outlet.gone || this.letGo) return
    if (this.applications === this.asked.plan.pageSize) {
      this.#more = true
      return
    }
    const fill = this.#fillOf(row)
    let large = false
    if (!this.#pack(row, fill)) {
      this.#handOver()
      if (!this.#pack(row, fill)) {
        // Larger than a buffer: it gets one of its own.
        this.#buffer = Buffer.allocUnsafeSlow(this.asked.framing.between.length + splicedBytes(row, fill))
        this.#pack(row, fill)
        large = true
      }
    }
    this.#submitTime = row.submitTime
    this.#submitSeq = row.submitSeq
    if (large) this.#handOver()
  }

  batchAhead(): number {
    return this.outlet.waitingBytes > this.#aheadBytes() ? 0 : this.#nextBatch()
  }

  endBatch(): number | Promise<number> {
    const aheadBytes = this.#aheadBytes()
    if (this.outlet.waitingBytes <= aheadBytes) return this.#nextBatch()
    const { exports, limits } = this.asked
    const patience = (): number => (exports.crowded ? limits.letGoCrowdedMs : limits.letGoAfterMs)
    return this.catchUp(aheadBytes, patience).then(() => this.#nextBatch())
  }

  /**
   * Waits for a client that is so many bytes behind, for as long as there is patience with one write: then the cursor is let go,
   * and what was read and not given to the client yet.
   */
  async catchUp(bytesMax: number, patienceMs: () => number): Promise<void> {
    if (await this.outlet.catchUp(bytesMax, patienceMs)) return
    this.letGo = true
    this.outlet.dropWaiting()
    if (this.#buffer !== undefined) this.asked.buffers.give(this.#buffer)
    this.#buffer = undefined
    this.#used = 0
    this.applications = this.outlet.handed.applications
    this.#place = this.outlet.handed.position
    this.#more = false
  }

  /** Hands over what is left, and the end of the page. */
  finish(end: string): void {
    const bytes = Buffer.from(end)
    if (this.#buffer !== undefined && this.#used + bytes.length > this.#buffer.length) this.#handOver()
    this.#buffer ??= this.asked.buffers.take()
    this.#used += bytes.copy(this.#buffer, this.#used)
    this.#handOver(true)
  }

  /** Rows of the next batch, by those that came since it was last asked; 0 when no more are wanted. */
  #nextBatch(): number {
    if (this.outlet.gone || this.letGo || this.#more) return 0
    if (this.#rowsSeen > 0) this.#rowBytes = this.#bytesSeen / this.#rowsSeen
    this.#rowsSeen = 0
    this.#bytesSeen = 0
    return nextBatchRows(this.asked.limits, this.asked.exports.reading, this.#rowBytes)
  }

  /** While others wait for a connection nothing is read ahead of a client that does not keep up. */
  #aheadBytes(): number {
    return this.asked.exports.crowded ? 0 : this.asked.limits.aheadBytes
  }

  /** False when the row does not fit into what is left of the buffer; what is in it before that is whole. */
  #pack(row: RowView, fill: VersionFill): boolean {
    this.#buffer ??= this.asked.buffers.take()
    const buffer = this.#buffer
    const { between } = this.asked.framing
    const separated = this.applications > 0 ? between.length : 0
    if (this.#used + separated > buffer.length) return false
    const end = spliceRow(buffer, this.#used + separated, row, fill)
    if (end === -1) return false
    if (separated > 0) between.copy(buffer, this.#used)
    this.#used = end
    this.applications++
    return true
  }

  #fillOf({ programVersionId }: RowView): VersionFill {
    const fill = this.asked.fills.get(programVersionId)
    if (fill === undefined)
      throw new Error(`an application is of program version ${programVersionId}, which the key map does not cover`)
    return fill
  }

  #handOver(isLast = false): void {
    const [buffer, used] = [this.#buffer, this.#used]
    this.#buffer = undefined
    this.#used = 0
    if (buffer === undefined) return
    if (used === 0) this.asked.buffers.give(buffer)
    else this.outlet.push({ buffer, used, applications: this.applications, position: this.#place, isLast })
  }
}

/**
 * Rows that a batch may have by the number of pages that are read. What has come of a batch is packed in one go, and whoever asks for
 * something small waits for that; so all pages together get about as many rows as one would. Below `batchRowsMin`, asking for
 * batches would cost more than the rows.
 */
const shareOfRows = ({ batchRows, batchRowsMin }: PageLimits, reading: number): number =>
  Math.min(batchRows, Math.max(batchRowsMin, Math.floor(batchRows / Math.max(1, reading))))

/** Rows of the next batch of one of so many pages when its rows have been of `rowBytes` on average: its share, as far as `batchBytes` hold it, at least one. */
export function nextBatchRows(limits: PageLimits, reading: number, rowBytes: number): number {
  return Math.max(1, Math.min(shareOfRows(limits, reading), Math.floor(limits.batchBytes / Math.max(1, rowBytes))))
}

/**
 * Whether another cursor can go on where this one stopped: the connection was lost and not the statement at fault, a standby
 * withdrew the snapshot (40001), a long page met the statement timeout (57014) while rows were still coming, or the database that
 * took over in mid-page has yet to catch up with the walk. A page that is not `begun` is refused instead: the client may do better.
 */
function canReopen(error: unknown, progressed: boolean, begun: boolean): boolean {
  const code = (error as { code?: unknown } | null)?.code
  if (isBehindWalk(error)) return begun
  return isLostConnection(error) || code === '40001' || (code === '57014' && progressed)
}
