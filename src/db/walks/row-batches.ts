// Requests rows from a cursor batch by batch, one batch ahead, so that PostgreSQL never waits for the reader.

import type { PendingQuery, Row } from 'postgres'

export interface BatchReader {
  /** Called within a batch: how many rows to request before its end, or 0 to wait until it has ended. */
  batchAhead(): number
  /** Called after each batch: the size of the next batch if none was requested yet, or 0 to stop reading. */
  endBatch(): number | Promise<number>
}

/** Requests the batches of a statement: one ahead, unless the reader cannot keep up. */
export class RowBatches {
  #received = 0
  #requested: number
  /** The row at which to request the next batch. */
  #askAt: number
  /** Number of batches that were requested and have not ended. */
  #open = 1
  /** Whether the rows come in more than one batch: only then does the statement have a cursor. */
  readonly areMany: boolean
  stopped = false

  constructor(
    private readonly statement: Pick<PendingQuery<Row[]>, 'more' | 'close'>,
    private readonly rowsMax: number,
    firstRows: number,
    private readonly reader: BatchReader,
  ) {
    this.#requested = firstRows
    this.areMany = rowsMax > firstRows
    this.#askAt = this.areMany ? firstRows / 2 : Number.POSITIVE_INFINITY
  }

  noteRow(): void {
    if (++this.#received < this.#askAt || this.#open > 1 || this.stopped) return
    const rows = this.reader.batchAhead()
    if (rows > 0) this.#ask(rows)
  }

  /** If it throws or rejects, the driver ends the statement with that error. */
  noteEnd(): void | Promise<void> {
    this.#open--
    if (this.stopped) return
    const rows = this.reader.endBatch()
    if (typeof rows === 'number') this.#goOn(rows)
    else return rows.then(later => this.#goOn(later))
  }

  /** Requests no more batches, and ignores the rows that still arrive. */
  stop(): void {
    this.stopped = true
    if (this.areMany) this.statement.close()
  }

  #goOn(rows: number): void {
    if (rows === 0) this.stop()
    else if (this.#open === 0) this.#ask(rows)
  }

  #ask(rows: number): void {
    const rest = this.rowsMax - this.#requested
    if (rest <= 0) return
    this.#open++
    const batch = Math.min(rows, rest)
    this.#askAt = batch < rest ? this.#requested + Math.ceil(batch / 2) : Number.POSITIVE_INFINITY
    this.#requested += batch
    this.statement.more(batch < rest ? batch : Number.POSITIVE_INFINITY)
  }
}
