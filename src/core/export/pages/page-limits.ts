// Limits of one page: rows per batch, buffered bytes, time. Pure.

export interface PageLimits {
  firstBatchRows: number
  /** Rows of a batch, and the least of them where several pages share the process: see `shareOfRows`. */
  batchRows: number
  batchRowsMin: number
  /** Bytes of rows that one batch should hold at most, by the size of the rows seen so far. */
  batchBytes: number
  /** Bytes that may wait for the client when the page asks for the next batch: enough to write while its rows come. */
  aheadBytes: number
  /** How long a write may wait before the connection is released, and how long when other exports wait for one. */
  releaseAfterMs: number
  releaseCrowdedMs: number
  stallTimeoutMs: number
  /** How often a lost database connection is replaced without a row having come from it, and the pause before the first. */
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
 * Rows that a batch may have when so many pages are being read. The rows of a batch are packed in one go, and small requests wait
 * for that; so all pages together get about as many rows as one page alone would. Below `batchRowsMin`, asking for batches would
 * cost more than the rows.
 */
export const shareOfRows = ({ batchRows, batchRowsMin }: PageLimits, reading: number): number =>
  Math.min(batchRows, Math.max(batchRowsMin, Math.floor(batchRows / Math.max(1, reading))))

/** Rows of the next batch of one page, whose rows have had `rowBytes` on average: its share, as many of it as fit into `batchBytes`, at least one. */
export function nextBatchRows(limits: PageLimits, reading: number, rowBytes: number): number {
  return Math.max(1, Math.min(shareOfRows(limits, reading), Math.floor(limits.batchBytes / Math.max(1, rowBytes))))
}
