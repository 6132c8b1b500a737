// Limits of a page: rows per batch, buffered bytes and time. Pure.

export interface PageLimits {
  firstBatchRows: number
  /** Rows per batch, and the minimum when several pages share the process: see `shareOfRows`. */
  batchRows: number
  batchRowsMin: number
  /** Target maximum bytes per batch, estimated from the rows so far. */
  batchBytes: number
  /** Bytes that may be waiting for the client when the next batch is requested: enough to keep writing while it loads. */
  aheadBytes: number
  /** How long a write may wait before the connection is released, normally and while other exports wait for one. */
  releaseAfterMs: number
  releaseCrowdedMs: number
  stallTimeoutMs: number
  /** How often a lost connection is replaced without receiving a row, and the pause before the first attempt. */
  reopensMax: number
  reopenPauseMs: number
}

export const pageLimits: Omit<PageLimits, 'releaseAfterMs' | 'stallTimeoutMs'> = {
  firstBatchRows: 100,
  batchRows: 200,
  batchRowsMin: 40,
  batchBytes: 4 * 1024 * 1024,
  aheadBytes: 1024 * 1024,
  releaseCrowdedMs: 10,
  reopensMax: 8,
  reopenPauseMs: 50,
}

/**
 * Rows per batch while this many pages are being read. The rows of a batch are packed in one turn, for which small requests wait, so all
 * pages together get about as many rows as a single page. Below `batchRowsMin`, requesting batches would cost more than the rows.
 */
export const shareOfRows = ({ batchRows, batchRowsMin }: PageLimits, reading: number): number =>
  Math.min(batchRows, Math.max(batchRowsMin, Math.floor(batchRows / Math.max(1, reading))))

/** Rows of the next batch of a page with `rowBytes` per row on average: its share, limited by `batchBytes`, at least one. */
export function nextBatchRows(limits: PageLimits, reading: number, rowBytes: number): number {
  return Math.max(1, Math.min(shareOfRows(limits, reading), Math.floor(limits.batchBytes / Math.max(1, rowBytes))))
}
