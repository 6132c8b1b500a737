// Statements for exports: the start of a walk, and the rows of a page from a cursor.

import type { PendingQuery, Row } from 'postgres'
import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import { int4At, int8At, postgresEpoch } from '../binary-values.ts'
import type { Db, Sql } from '../client.ts'
import { type ChangeMark, type ChangePlace, type PlaceRow, placeOf } from './change-rows.ts'
import { isAsOnPrimary, type PrimaryState } from './primary-state.ts'
import { type FilterValues, meetsFilters } from './walk-filters.ts'

/** The state of a program's submissions at one moment, which a walk is frozen to. */
export interface WalkStart {
  /** Every committed submission has a number up to this one; every later one has a greater. */
  horizon: number
  /** Later submissions all have a later time, and so has everything that a load under way still brings. */
  last_submit_time: Micros
  /** After the change with the number of the horizon, a submission or another. Identifies this history (G13). */
  last_change: ChangePlace
  /** When the newest version was published; null before the first. Publications follow one another strictly, so it names the set of them. */
  last_published_at: Micros | null
  /** Whether the server replays another one's log, and so may lack what was committed there. */
  in_recovery: boolean
}

type WalkStartRow = Omit<WalkStart, 'last_change'> & Omit<PlaceRow, 'change'>

/** The start of a walk, in one statement, so that the parts fit together: the version of every application up to the horizon is among those published. */
export async function readWalkStart(db: Db, programId: number): Promise<WalkStart> {
  const [row] = await db<WalkStartRow[]>`
    select
      c.submit_seq as horizon,
      least(c.last_submit_time, c.loading_from - interval '1 microsecond') as last_submit_time,
      last.happened_at as change_time,
      last.application_id as change_application,
      (select max(v.published_at) from program_version v where v.program_id = c.program_id) as last_published_at,
      pg_is_in_recovery() as in_recovery
    from submission_counter c
    cross join lateral change_at(c.program_id, c.submit_seq) last
    where c.program_id = ${programId}`
  if (row === undefined) throw new Error(`program ${programId} has no submission counter`)
  const { change_time, change_application, ...start } = row
  return { ...start, last_change: placeOf({ change: start.horizon, change_time, change_application }) }
}

/**
 * Whether a walk that began there would be this database's: it has the last change, and the publication. One that was restored, or took over
 * without them, has not; nor has one that lags.
 */
export async function holdsWalkStart(db: Db, programId: number, start: WalkStart): Promise<boolean> {
  const { horizon, last_change, last_published_at: published } = start
  const holding = db`
    select
      ${isOfWalk(db, { programId, horizon, lastChange: last_change.mark })},
      ${published === null ? db`true` : db`require_questions(${programId}, ${formatMicros(published)}::timestamptz)`}`
  return holding.then(
    () => true,
    (error: unknown) => {
      if (isBehindWalk(error) || isOtherHistory(error) || isOfOtherQuestions(error)) return false
      throw error
    },
  )
}

/** A place in the total order of a program's applications (D1). */
export interface Position {
  submit_time: Micros
  submit_seq: number
}

/** Which applications belong to a walk. The same from its first page to its last. */
export interface WalkScope {
  programId: number
  /** The submission number the walk is frozen to (S of contract G1 to G6). */
  horizon: number
  /** The change with that number, as the first page found it (G13); undefined when it found none. */
  lastChange: ChangeMark | undefined
  filters: FilterValues
}

/** A part of a walk: at most `rowsMax` rows strictly after a place, or from the beginning. */
export interface PageQuery extends WalkScope {
  after: Position | undefined
  rowsMax: number
  /** The publication that must be there still: only of walks whose questions may be replaced. */
  questionsAsOf?: Micros | undefined
  /** What the primary has, where the rows are read from another server. */
  asOn?: PrimaryState | undefined
  /**
   * Of a page of the change feed: its applications, instead of those of a walk, in the order of the page, null where a change has none. Each
   * row's `submitSeq` is then its place in this list, from 1, and the row of a null is empty. Applications that are gone have no row.
   */
  listed?: readonly (number | null)[] | undefined
}

/** Whether an error says that the database lacks submissions of the walk: it lags, or was restored to an earlier state (G13). */
export const isBehindWalk = (error: unknown): boolean => sqlState(error) === 'TB001'

/** Whether an error says that the applications of the walk are not those that the database has under their numbers (G13). */
export const isOtherHistory = (error: unknown): boolean => sqlState(error) === 'TB002'

/** Whether an error says that the questions of the walk are not those that it began with. */
export const isOfOtherQuestions = (error: unknown): boolean => sqlState(error) === 'TB004'

const sqlState = (error: unknown): unknown => (error as { code?: unknown } | null)?.code

/**
 * A row as it lies in what came over the wire: where its parts are, no value made of them. One object serves all rows of a page,
 * and its bytes are the connection's own, so it is good for the time of one call.
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

export interface RowReader {
  /** Gets each row, in order. What it or another of these throws is what the reading rejects with. */
  take(row: RowView): void
  /** Called within a batch: how many rows to request ahead of its end, or 0 to wait until it has ended. */
  batchAhead(): number
  /** Called after each batch: how many rows the next should have if the reader requested none, or 0 to read no more. */
  endBatch(): number | Promise<number>
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
  const batches = new Batches(statement, query.rowsMax, firstRows, reader)
  // Few ids are found by the primary key, many in the order of the walk. A statement that was prepared could be planned for neither.
  if (query.filters.ids !== undefined) statement.options.prepare = false
  let failure: { error: unknown } | undefined
  statement.onRow = (bytes, at) => {
    if (batches.stopped) return
    try {
      reader.take(viewRow(row, bytes, at))
      batches.noteRow()
    } catch (error) {
      // Thrown from here, it would cost the connection. Only this row is at fault: the rest are read and dropped, and the connection lives on.
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

/** Requests the batches of a statement: one ahead, unless the reader cannot keep up. */
class Batches {
  #received = 0
  #asked: number
  /** At which row to request the next batch. */
  #askAt: number
  /** Batches asked for and not ended. */
  #open = 1
  /** Whether the rows come in more than one batch: only then does the statement have a cursor. */
  readonly areMany: boolean
  stopped = false

  constructor(
    private readonly statement: Pick<PendingQuery<Row[]>, 'more' | 'close'>,
    private readonly rowsMax: number,
    firstRows: number,
    private readonly reader: RowReader,
  ) {
    this.#asked = firstRows
    this.areMany = rowsMax > firstRows
    this.#askAt = this.areMany ? firstRows / 2 : Number.POSITIVE_INFINITY
  }

  noteRow(): void {
    if (++this.#received < this.#askAt || this.#open > 1 || this.stopped) return
    const rows = this.reader.batchAhead()
    if (rows > 0) this.#ask(rows)
  }

  /** What it throws or rejects with goes to the driver, which ends the statement with it. */
  noteEnd(): void | Promise<void> {
    this.#open--
    if (this.stopped) return
    const rows = this.reader.endBatch()
    if (typeof rows === 'number') this.#goOn(rows)
    else return rows.then(later => this.#goOn(later))
  }

  /** Requests no more, and ignores the rows requested before, which still come. */
  stop(): void {
    this.stopped = true
    if (this.areMany) this.statement.close()
  }

  #goOn(rows: number): void {
    if (rows === 0) this.stop()
    else if (this.#open === 0) this.#ask(rows)
  }

  #ask(rows: number): void {
    const rest = this.rowsMax - this.#asked
    if (rest <= 0) return
    this.#open++
    const batch = Math.min(rows, rest)
    this.#askAt = batch < rest ? this.#asked + Math.ceil(batch / 2) : Number.POSITIVE_INFINITY
    this.#asked += batch
    this.statement.more(batch < rest ? batch : Number.POSITIVE_INFINITY)
  }
}

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
 * The parts of a DataRow message (PostgreSQL's protocol, "Message Formats") that begins at `at`: after its head of seven bytes,
 * each column is its length and its bytes; the last four are of fixed length.
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

/** The condition that this database is the page's: the walk's, and with the questions that the page is written by. */
function isOfPage(sql: Db, query: PageQuery) {
  const { asOn, programId, questionsAsOf } = query
  return sql`
    ${asOn === undefined ? sql`` : sql`${isAsOnPrimary(sql, programId, asOn)} and`}
    ${questionsAsOf === undefined ? sql`` : sql`(select require_questions(${programId}, ${formatMicros(questionsAsOf)}::timestamptz)) and`}
    ${isOfWalk(sql, query)}`
}

/** The condition that this database is the walk's. It refuses one that is not, before anything is read. */
export function isOfWalk(
  sql: Db,
  { programId, horizon, lastChange: last }: Pick<WalkScope, 'programId' | 'horizon' | 'lastChange'>,
) {
  return sql`
    (select require_change(${programId}::bigint, ${horizon}::bigint,
      ${last === undefined ? null : formatMicros(last.time)}::timestamptz, ${last?.application_id ?? null}::bigint))`
}

/** The condition that decides which rows are in a walk, strictly after a place if one is given. */
export function inWalk(sql: Db, query: WalkScope, after: Position | undefined) {
  return sql`program_id = ${query.programId}
    and submit_seq <= ${query.horizon}
    ${after === undefined ? sql`` : sql`and (submit_time, submit_seq) > (${formatMicros(after.submit_time)}::timestamptz, ${after.submit_seq}::bigint)`}
    ${meetsFilters(sql, query.filters, query.horizon)}`
}
