// Packs the rows of one page into buffers as a cursor hands them over, and decides how many rows to ask for next.
// write-page decides which cursor they come from, and whether another follows.

import type { PageQuery, Position, RowReader, RowView, WalkScope } from '../../../db/walks/walks.ts'
import type { VersionFill } from '../../../domain/questions/version-fill.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import type { PageFraming } from '../framings/page-framing.ts'
import type { Exports, PageBuffers } from '../servers/exports.ts'
import { nextBatchRows, type PageLimits } from './page-limits.ts'
import type { PageOutlet } from './page-outlet.ts'

export interface PagePlan {
  walk: WalkScope & Pick<PageQuery, 'questionsAsOf'>
  after: Position | undefined
  pageSize: number
}

export interface PageToPack {
  plan: PagePlan
  /** What the applications of each program version lack. */
  fills: ReadonlyMap<number, VersionFill>
  framing: PageFraming
  limits: PageLimits
  /** The pages of this process, this one among them. */
  exports: Exports
  buffers: PageBuffers
  /** Called after each batch with the number of packed applications. */
  steps?: { step(applications: number): void } | undefined
}

/** Packs the rows of one page, whatever cursors they come from. */
export class PagePacker implements RowReader {
  applications = 0
  /** Set when a cursor was left before its rows had ended, so that another is needed. */
  released = false
  /** The place of the last row that was packed, in two numbers: an object for each row would only be garbage. */
  #submitTime: Micros | undefined
  #submitSeq = 0
  /** Whether a row after the page's last one was seen. */
  #more = false
  #buffer: Buffer | undefined
  #used = 0
  #rowsSeen = 0
  #bytesSeen = 0
  #rowBytes = 0

  constructor(
    private readonly asked: PageToPack,
    private readonly outlet: PageOutlet,
  ) {
    this.#place = asked.plan.after
    this.#buffer = this.#room(asked.framing.opening.length)
    this.#used = asked.framing.opening.copy(this.#buffer)
  }

  get #place(): Position | undefined {
    return this.#submitTime === undefined ? undefined : { submit_time: this.#submitTime, submit_seq: this.#submitSeq }
  }

  set #place(place: Position | undefined) {
    this.#submitTime = place?.submit_time
    this.#submitSeq = place?.submit_seq ?? 0
  }

  /** Where the following page starts, if one follows. */
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
    if (this.applications === this.asked.plan.pageSize) {
      this.#more = true
      return
    }
    const fill = this.#fillOf(row)
    if (!this.#pack(row, fill)) {
      this.#handOver()
      if (!this.#pack(row, fill)) {
        // Larger than a buffer: it gets one of its own.
        if (this.#buffer !== undefined) this.asked.buffers.give(this.#buffer)
        const { between, rows } = this.asked.framing
        this.#buffer = Buffer.allocUnsafeSlow(between.length + rows.bytes(row, fill))
        this.#pack(row, fill)
      }
    }
    this.#submitTime = row.submitTime
    this.#submitSeq = row.submitSeq
  }

  batchAhead(): number {
    return this.outlet.waitingBytes > this.#aheadBytes() ? 0 : this.#nextBatch()
  }

  endBatch(): number | Promise<number> {
    this.asked.steps?.step(this.applications)
    const aheadBytes = this.#aheadBytes()
    if (this.outlet.waitingBytes <= aheadBytes) return this.#nextBatch()
    const { exports, limits } = this.asked
    const patience = (): number => (exports.crowded ? limits.releaseCrowdedMs : limits.releaseAfterMs)
    return this.catchUp(aheadBytes, patience).then(() => this.#nextBatch())
  }

  /**
   * Waits until at most `bytesMax` wait for the client. If one write takes longer than `patienceMs`, the cursor is released, and so is
   * what was read and not yet given to the client.
   */
  async catchUp(bytesMax: number, patienceMs: () => number): Promise<void> {
    if (await this.outlet.catchUp(bytesMax, patienceMs)) return
    this.released = true
    this.outlet.dropWaiting()
    if (this.#buffer !== undefined) this.asked.buffers.give(this.#buffer)
    this.#buffer = undefined
    this.#used = 0
    this.applications = this.outlet.handed.applications
    this.#place = this.outlet.handed.position
    this.#more = false
  }

  /** Hands over what is left, and the end of the page, with the token of the next. */
  finish(nextPageToken: string | null): void {
    const left = this.#buffer?.subarray(0, this.#used) ?? ''
    const digest = (text: string): string => this.outlet.digestWith(left, text)
    const bytes = Buffer.from(this.asked.framing.end(nextPageToken, this.applications, digest))
    if (this.#buffer !== undefined && this.#used + bytes.length > this.#buffer.length) this.#handOver()
    this.#buffer ??= this.#room(bytes.length)
    this.#used += bytes.copy(this.#buffer, this.#used)
    this.#handOver(true)
  }

  /** A buffer for what cannot be divided: one of its own where it is larger than all others. */
  #room(bytes: number): Buffer {
    const { buffers } = this.asked
    return bytes > buffers.bytes ? Buffer.allocUnsafeSlow(bytes) : buffers.take()
  }

  /** Rows of the next batch, by those that came since it was last asked; 0 when no more are wanted. */
  #nextBatch(): number {
    if (this.outlet.gone || this.released) return 0
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
    const { between, rows } = this.asked.framing
    const separated = this.applications > 0 ? between.length : 0
    const end = rows.write(buffer, this.#used + separated, row, fill, this.applications)
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
