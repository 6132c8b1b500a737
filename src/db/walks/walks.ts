// The rows of an export's page, read from a cursor.

import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import { int4At, int8At, postgresEpoch } from '../binary-values.ts'
import type { Db, Sql } from '../client.ts'
import { isAsOnPrimary, type PrimaryState } from './primary-state.ts'
import { type BatchReader, RowBatches } from './row-batches.ts'
import { type FilterValues, meetsFilters } from './walk-filters.ts'
import { isOfWalk, type WalkOrigin } from './walk-start.ts'

/** A position in the total order of a program's applications (D1). */
export interface Position {
  submit_time: Micros
  submit_seq: number
}

/** Determines the applications of a walk; the same from its first page to its last. */
export interface WalkScope extends WalkOrigin {
  filters: FilterValues
}

/** A part of a walk: at most `rowsMax` rows strictly after a position, or from the beginning. */
export interface PageQuery extends WalkScope {
  after: Position | undefined
  rowsMax: number
  /** The publication that must still exist: only for walks whose questions may be replaced. */
  questionsAsOf?: Micros | undefined
  /** The primary's state, if the rows are read from another server. */
  asOn?: PrimaryState | undefined
  /**
   * For a page of the change feed: its applications, instead of those of a walk, in the order of the page, null for a change without one. Each row's
   * `submitSeq` is then its index in this list, from 1, and a null has an empty row. Applications that no longer exist have no row.
   */
  listed?: readonly (number | null)[] | undefined
}

/**
 * A view of a row in the received bytes: the positions of its parts, without creating values. All rows of a page share one object, and the bytes
 * belong to the connection, so it is only valid during a call.
 */
export interface RowView {
  bytes: Buffer
  snapshotFrom: number
  snapshotTo: number
  annotationsFrom: number
  annotationsTo: number
  programVersionId: number
  isCurrent: boolean
  submitTime: Micros
  submitSeq: number
}

export interface RowReader extends BatchReader {
  /** Receives each row, in order. If this or another of these functions throws, reading rejects with that error. */
  take(row: RowView): void
}

/**
 * Reads the rows of a page in order, `firstRows` and then batch by batch, from a cursor. Resolves when the rows have ended or
 * the reader wants no more, with the connection free again. Rejects when the connection or the statement failed, or `take` threw.
 *
 * Rows are handed over as they lie in the piece that was read from the socket, before the rest of the batch has come: nothing is
 * built of them in between. When half of a batch has come it requests the next, so PostgreSQL never waits, and yet what has to
 * be read in one go is little: other requests get their turn between two batches. That takes some lines in the driver
 * (`onRow`, in postgres-patch.d.ts); they also ask for the columns in binary, which spares the server writing numbers and times as
 * text.
 *
 * The callback form of the cursor, because the iterator form ends as if complete when its connection dies. The statement is a
 * transaction of its own: the cursor lives until the driver sends Sync, with the last batch or when it is closed.
 *
 * Before its first row the statement asks, in its own snapshot, whether this database is the walk's (G13), also for a cursor that
 * goes on after a failover. It then rejects as `isBehindWalk`, `isOtherHistory` or `isOfOtherQuestions` recognize.
 *
 * Where applications are distributed each batch is a statement of its own that starts after the last row: a node of a cluster holds
 * all that a statement finds before it hands out the first row.
 */
export async function readPageRows(
  sql: Sql,
  query: PageQuery,
  firstRows: number,
  reader: RowReader,
  areDistributed = false,
): Promise<void> {
  if (!areDistributed) return readFromCursor(sql, query, firstRows, reader)
  let { after, rowsMax: rest } = query
  for (let rows = Math.min(firstRows, rest); rows > 0; rows = Math.min(await reader.endBatch(), rest)) {
    let taken = 0
    const take = (row: RowView): void => {
      reader.take(row)
      after = { submit_time: row.submitTime, submit_seq: row.submitSeq }
      taken++
    }
    const batch: RowReader = { take, batchAhead: () => 0, endBatch: () => 0 }
    await readFromCursor(sql, { ...query, after, rowsMax: rows }, rows, batch)
    rest -= taken
    if (taken < rows || rest === 0) return
  }
}

async function readFromCursor(sql: Sql, query: PageQuery, firstRows: number, reader: RowReader): Promise<void> {
  const statement = query.listed === undefined ? rowsOfWalk(sql, query) : rowsOfList(sql, query, query.listed)
  const row = newRowView()
  const batches = new RowBatches(statement, query.rowsMax, firstRows, reader)
  // A few IDs are found by the primary key, many in the order of the walk. A prepared statement could be planned for neither.
  if (query.filters.ids !== undefined) statement.options.prepare = false
  let failure: { error: unknown } | undefined
  statement.onRow = (bytes, at) => {
    if (batches.stopped) return
    try {
      reader.take(viewRow(row, bytes, at))
      batches.noteRow()
    } catch (error) {
      // Throwing here would cost the connection. Only this row is at fault, so the rest are read and dropped, and the connection survives.
      failure = { error }
      batches.stop()
    }
  }
  if (batches.areMany) statement.cursor(firstRows, () => batches.noteEnd())
  await statement
  if (failure !== undefined) throw failure.error
}

const rowsOfWalk = (sql: Sql, query: PageQuery) => sql`
  select
    snapshot,
    annotations,
    program_version_id,
    coalesce(superseded_seq, 9223372036854775807) > ${query.horizon} as is_current,
    submit_time,
    submit_seq
  from application
  where ${isOfPage(sql, query)}
  and ${inWalk(sql, query, query.after)}
  order by submit_time, submit_seq
  limit (select ${query.rowsMax}::bigint)`

const rowsOfList = (sql: Sql, query: PageQuery, listed: readonly (number | null)[]) => sql`
  select
    coalesce(a.snapshot, '') as snapshot,
    coalesce(a.annotations, '') as annotations,
    coalesce(a.program_version_id, 0) as program_version_id,
    coalesce(a.superseded_seq, 9223372036854775807) > ${query.horizon} as is_current,
    timestamptz 'epoch' as submit_time,
    one.place as submit_seq
  from unnest(${listed as (number | null)[]}::bigint[]) with ordinality as one (application_id, place)
  left join application a on a.program_id = ${query.programId} and a.application_id = one.application_id
  where ${isOfPage(sql, query)}
  and one.place > ${query.after?.submit_seq ?? 0}
  and (one.application_id is null or a.application_id is not null)
  order by one.place
  limit (select ${query.rowsMax}::bigint)`

const newRowView = (): RowView => ({
  bytes: Buffer.alloc(0),
  snapshotFrom: 0,
  snapshotTo: 0,
  annotationsFrom: 0,
  annotationsTo: 0,
  programVersionId: 0,
  isCurrent: false,
  submitTime: 0,
  submitSeq: 0,
})

/**
 * The parts of a DataRow message (PostgreSQL's protocol, "Message Formats") that begins at `at`: after a header of seven bytes, each column is its
 * length and its bytes; the last four have a fixed length.
 */
function viewRow(row: RowView, bytes: Buffer, at: number): RowView {
  row.bytes = bytes
  row.snapshotFrom = at + 11
  row.snapshotTo = row.snapshotFrom + int4At(bytes, at + 7)
  row.annotationsFrom = row.snapshotTo + 4
  row.annotationsTo = row.annotationsFrom + int4At(bytes, row.snapshotTo)
  const fixed = row.annotationsTo
  row.programVersionId = int8At(bytes, fixed + 4)
  row.isCurrent = bytes[fixed + 16] === 1
  row.submitTime = int8At(bytes, fixed + 21) + postgresEpoch
  row.submitSeq = int8At(bytes, fixed + 33)
  return row
}

/** The condition that this database is the page's: the walk's, with the questions that the page is written with. */
function isOfPage(sql: Db, query: PageQuery) {
  const { asOn, programId, questionsAsOf } = query
  return sql`
    ${asOn === undefined ? sql`` : sql`${isAsOnPrimary(sql, programId, asOn)} and`}
    ${questionsAsOf === undefined ? sql`` : sql`(select require_questions(${programId}, ${formatMicros(questionsAsOf)}::timestamptz)) and`}
    ${isOfWalk(sql, query)}`
}

/** The condition that selects the rows of a walk, strictly after a position if one is given. */
export function inWalk(sql: Db, query: WalkScope, after: Position | undefined) {
  return sql`program_id = ${query.programId}
    and submit_seq <= ${query.horizon}
    ${after === undefined ? sql`` : sql`and (submit_time, submit_seq) > (${formatMicros(after.submit_time)}::timestamptz, ${after.submit_seq}::bigint)`}
    ${meetsFilters(sql, query.filters, query.horizon)}`
}
