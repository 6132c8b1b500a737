// What an export reads: where a walk starts, and the rows of a page from a cursor.
// It must not know what becomes of a row, nor what a client is.

import { formatMicros, type Micros, parsePostgresInstant } from '../domain/offset-time.ts'
import { type Db, inTransaction, type Sql } from './client.ts'

/** The state of a program's submissions at one moment, which a walk is frozen to. */
export interface WalkStart {
  /** Every committed submission has a number up to this one; every later one has a greater. */
  horizon: number
  last_submit_time: Micros
  /** How many versions were ever published. Only grows, so it tells whether a key map is the newest. */
  published_versions: number
}

/** The start of a walk, in one statement, so that the parts fit together. */
export async function readWalkStart(db: Db, programId: number): Promise<WalkStart> {
  const [row] = await db<WalkStart[]>`
    select
      submit_seq as horizon,
      last_submit_time,
      (select count(*) from program_version v where v.program_id = c.program_id and v.state <> 'DRAFT') as published_versions
    from submission_counter c
    where program_id = ${programId}`
  if (row === undefined) throw new Error(`program ${programId} has no submission counter`)
  return row
}

/** A place in the total order of a program's applications (D1). */
export interface Position {
  submit_time: Micros
  submit_seq: number
}

export interface PageQuery {
  program_id: number
  horizon: number
  /** At or after; before. Text that PostgreSQL reads as timestamptz, or undefined for no bound. */
  from: string | undefined
  to: string | undefined
  revision_state: 'CURRENT' | 'OBSOLETE' | undefined
  /** Rows strictly behind this place. */
  after: Position | undefined
  rowsMax: number
}

/** A row as it came over the wire: each column its bytes, no value made of it. */
export type RawRow = readonly [
  snapshot: Buffer,
  annotations: Buffer,
  programVersionId: Buffer,
  isCurrent: Buffer,
  submitTime: Buffer,
  submitSeq: Buffer,
]

export const rawColumn = {
  snapshot: 0,
  annotations: 1,
  programVersionId: 2,
  isCurrent: 3,
  submitTime: 4,
  submitSeq: 5,
} as const

/** The place of a row in the order. Made for the last row of a batch, not for each. */
export function positionOf(row: RawRow): Position {
  return {
    submit_time: parsePostgresInstant(row[rawColumn.submitTime].toString('latin1')),
    submit_seq: Number(row[rawColumn.submitSeq].toString('latin1')),
  }
}

export interface Batches {
  /** Rows of the first batch, small so that the first byte leaves early. */
  firstRows: number
  /** Rows of the batch after this one. */
  laterRows: (rows: readonly RawRow[]) => number
}

/**
 * Reads the rows of a page in order from a cursor in a read-only transaction, batch by batch. `take` gets each batch and
 * answers whether to go on; it gets one at a time. While it works on one, PostgreSQL prepares the next, but never the one after
 * that: two batches at most are in memory. Resolves when the rows have ended or `take` said stop, with the connection given
 * back. Rejects when the connection or the statement failed, or `take` threw; `take` is never running any more by then.
 *
 * The callback form of the cursor, in a transaction, because the others can end early and look finished: the iterator form
 * ends as if complete when its connection dies. postgres.js does not wait for the callback of the last batch, so it is awaited here.
 */
export async function readPageRows(
  sql: Sql,
  query: PageQuery,
  batches: Batches,
  take: (rows: readonly RawRow[]) => Promise<boolean>,
): Promise<void> {
  let taking: Promise<boolean> = Promise.resolve(true)
  let failure: { error: unknown } | undefined
  try {
    await inTransaction(sql, 'read only', async tx => {
      const statement = tx`
        select
          snapshot,
          annotations,
          program_version_id,
          coalesce(superseded_seq, 9223372036854775807) > ${query.horizon} as is_current,
          submit_time,
          submit_seq
        from application
        where program_id = ${query.program_id}
        and submit_seq <= ${query.horizon}
        ${query.after === undefined ? tx`` : tx`and (submit_time, submit_seq) > (${formatMicros(query.after.submit_time)}::timestamptz, ${query.after.submit_seq}::bigint)`}
        ${query.from === undefined ? tx`` : tx`and submit_time >= ${query.from}::timestamptz`}
        ${query.to === undefined ? tx`` : tx`and submit_time < ${query.to}::timestamptz`}
        ${revisionCondition(tx, query)}
        order by submit_time, submit_seq
        limit ${query.rowsMax}`
      // `cursorRows` is read by postgres.js before each batch, which lets the batches grow after the first.
      const cursor = statement.raw() as unknown as {
        cursorRows: number
        cursor(rows: number, take: (rows: RawRow[]) => unknown): PromiseLike<unknown>
      }
      await cursor.cursor(batches.firstRows, rows => {
        const before = taking
        taking = before.then(goOn => goOn && afterNextFlush().then(() => take(rows)))
        taking = taking.catch(error => {
          failure = { error }
          return false
        })
        return before.then(goOn => {
          cursor.cursorRows = batches.laterRows(rows)
          return goOn ? undefined : sql.CLOSE
        })
      })
      await taking
    })
  } finally {
    await taking
  }
  if (failure !== undefined) throw failure.error
}

/**
 * Resolves once what was written to a connection in this turn of the event loop has left: the driver sends in a `setImmediate`
 * of its own, and packing a batch before that would keep PostgreSQL idle meanwhile.
 */
const afterNextFlush = (): Promise<void> => new Promise(resolve => setImmediate(() => setImmediate(resolve)))

/** Revision state as of the horizon (G3). Spelled as the index `application_walk` spells it, so that the index answers it. */
function revisionCondition(sql: Db, query: PageQuery) {
  if (query.revision_state === 'CURRENT')
    return sql`and coalesce(superseded_seq, 9223372036854775807) > ${query.horizon}`
  if (query.revision_state === 'OBSOLETE')
    return sql`and coalesce(superseded_seq, 9223372036854775807) <= ${query.horizon}`
  return sql``
}
