// Packs the rows of a page into buffers as a cursor delivers them, and decides how many rows to request next.
// write-page chooses the cursor and decides whether another follows.

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
  /** The forms that applications of each program version lack. */
  fills: ReadonlyMap<number, VersionFill>
  framing: PageFraming
  limits: PageLimits
  /** The exports of this process, including this page. */
  exports: Exports
  buffers: PageBuffers
  /** Called after each batch with the number of packed applications. */
  steps?: { step(applications: number): void } | undefined
}

/** Packs the rows of a page, from any number of cursors. */
export class PagePacker implements RowReader {
  applications = 0
  /** Set if a cursor was closed before its last row, so that another one is needed. */
  released = false
  /** Position of the last packed row, as two numbers to avoid an object per row. */
  #submitTime: Micros | undefined
  #submitSeq = 0
  /** Whether a row after the last row of the page was read. */
  #more = false
  #buffer: Buffer | undefined
  #used = 0
  #rowsSeen = 0
  #bytesSeen = 0
  #rowBytes = 0

  constructor(
    private readonly page: PageToPack,
    private readonly outlet: PageOutlet,
  ) {
    this.#place = page.plan.after
    this.#buffer = this.#room(page.framing.opening.length)
    this.#used = page.framing.opening.copy(this.#buffer)
  }

  get #place(): Position | undefined {
    return this.#submitTime === undefined ? undefined : { submit_time: this.#submitTime, submit_seq: this.#submitSeq }
  }

  set #place(place: Position | undefined) {
    this.#submitTime = place?.submit_time
    this.#submitSeq = place?.submit_seq ?? 0
  }

  /** Position where the next page starts, if there is one. */
  get next(): Position | undefined {
    return this.#more ? this.#place : undefined
  }

  /** Number of rows still to read: one more than the page holds, to know whether another page follows. */
  remaining(): PageQuery {
    return { ...this.page.plan.walk, after: this.#place, rowsMax: this.page.plan.pageSize + 1 - this.applications }
  }

  take(row: RowView): void {
    this.#rowsSeen++
    this.#bytesSeen += row.annotationsTo - row.snapshotFrom
    if (this.applications === this.page.plan.pageSize) {
      this.#more = true
      return
    }
    const fill = this.#fillOf(row)
    if (!this.#pack(row, fill)) {
      this.#handOver()
      if (!this.#pack(row, fill)) {
        // A row larger than a buffer gets its own.
        if (this.#buffer !== undefined) this.page.buffers.give(this.#buffer)
        const { between, rows } = this.page.framing
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
    this.page.steps?.step(this.applications)
    const aheadBytes = this.#aheadBytes()
    if (this.outlet.waitingBytes <= aheadBytes) return this.#nextBatch()
    const { exports, limits } = this.page
    const patience = (): number => (exports.crowded ? limits.releaseCrowdedMs : limits.releaseAfterMs)
    return this.catchUp(aheadBytes, patience).then(() => this.#nextBatch())
  }

  /**
   * Waits until at most `bytesMax` are waiting for the client. If a write takes longer than `patienceMs`, the cursor is released and the bytes
   * waiting for the client are dropped.
   */
  async catchUp(bytesMax: number, patienceMs: () => number): Promise<void> {
    if (await this.outlet.catchUp(bytesMax, patienceMs)) return
    this.released = true
    this.outlet.dropWaiting()
    if (this.#buffer !== undefined) this.page.buffers.give(this.#buffer)
    this.#buffer = undefined
    this.#used = 0
    this.applications = this.outlet.handed.applications
    this.#place = this.outlet.handed.position
    this.#more = false
  }

  /** Hands over the remaining bytes and the end of the page with the next page token. */
  finish(nextPageToken: string | null): void {
    const left = this.#buffer?.subarray(0, this.#used) ?? ''
    const digest = (text: string): string => this.outlet.digestWith(left, text)
    const bytes = Buffer.from(this.page.framing.end(nextPageToken, this.applications, digest))
    if (this.#buffer !== undefined && this.#used + bytes.length > this.#buffer.length) this.#handOver()
    this.#buffer ??= this.#room(bytes.length)
    this.#used += bytes.copy(this.#buffer, this.#used)
    this.#handOver(true)
  }

  /** A buffer for indivisible bytes, newly allocated if they are larger than the pooled buffers. */
  #room(bytes: number): Buffer {
    const { buffers } = this.page
    return bytes > buffers.bytes ? Buffer.allocUnsafeSlow(bytes) : buffers.take()
  }

  /** Number of rows in the next batch, based on the rows since the last call; 0 when no more are wanted. */
  #nextBatch(): number {
    if (this.outlet.gone || this.released) return 0
    if (this.#rowsSeen > 0) this.#rowBytes = this.#bytesSeen / this.#rowsSeen
    this.#rowsSeen = 0
    this.#bytesSeen = 0
    return nextBatchRows(this.page.limits, this.page.exports.reading, this.#rowBytes)
  }

  /** While other exports wait for a connection, nothing is read ahead for a slow client. */
  #aheadBytes(): number {
    return this.page.exports.crowded ? 0 : this.page.limits.aheadBytes
  }

  /** False if the row does not fit into the rest of the buffer, whose earlier rows are complete. */
  #pack(row: RowView, fill: VersionFill): boolean {
    this.#buffer ??= this.page.buffers.take()
    const buffer = this.#buffer
    const { between, rows } = this.page.framing
    const separated = this.applications > 0 ? between.length : 0
    const end = rows.write(buffer, this.#used + separated, row, fill, this.applications)
    if (end === -1) return false
    if (separated > 0) between.copy(buffer, this.#used)
    this.#used = end
    this.applications++
    return true
  }

  #fillOf({ programVersionId }: RowView): VersionFill {
    const fill = this.page.fills.get(programVersionId)
    if (fill === undefined)
      throw new Error(`an application belongs to program version ${programVersionId}, which the key map does not cover`)
    return fill
  }

  #handOver(isLast = false): void {
    const [buffer, used] = [this.#buffer, this.#used]
    this.#buffer = undefined
    this.#used = 0
    if (buffer === undefined) return
    if (used === 0) this.page.buffers.give(buffer)
    else this.outlet.push({ buffer, used, applications: this.applications, position: this.#place, isLast })
  }
}
