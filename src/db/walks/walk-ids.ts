// Statements about parts of a walk: the IDs of its applications, those erased since, and where a page ends.

import { formatMicros } from '../../domain/values/offset-time.ts'
import { int4At, int8At, postgresEpoch } from '../binary-values.ts'
import type { Db } from '../client.ts'
import { mayHaveMetFilters } from './walk-filters.ts'
import { isOfWalk } from './walk-start.ts'
import { inWalk, type PageQuery, type Position, type WalkScope } from './walks.ts'

/** Receives each ID in decimal digits, as the bytes `from` up to `to`. The bytes belong to the connection and are only valid during the call. */
export type IdReader = (bytes: Buffer, from: number, to: number) => void

export interface IdsRead {
  count: number
  /** The position of the last one; undefined if there was none. */
  last: Position | undefined
}

/** IDs of a walk in order, at most `rowsMax`, strictly after a position. No value is created per row, because a walk may have millions. */
export async function readWalkIds(db: Db, query: PageQuery, take: IdReader): Promise<IdsRead> {
  const statement = db`
    select application_id::text, submit_time, submit_seq
    from application
    where ${isOfWalk(db, query)}
    and ${inWalk(db, query, query.after)}
    order by submit_time, submit_seq
    limit (select ${query.rowsMax}::bigint)`
  const read: IdsRead = { count: 0, last: undefined }
  const last: Position = { submit_time: 0, submit_seq: 0 }
  // A DataRow message, parsed as in `viewRow` in ./walks.ts.
  statement.onRow = (bytes, at) => {
    const end = at + 11 + int4At(bytes, at + 7)
    take(bytes, at + 11, end)
    last.submit_time = int8At(bytes, end + 4) + postgresEpoch
    last.submit_seq = int8At(bytes, end + 16)
    read.last = last
    read.count++
  }
  await statement
  return read
}

/**
 * The applications that were erased after the walk began and may have been in a part of it, strictly after one position and up to another; at most
 * `rowsMax`.
 */
export async function readErasedSince(
  db: Db,
  walk: WalkScope & { after: Position; upTo: Position | undefined },
  rowsMax: number,
): Promise<number[]> {
  const place = ({ submit_time, submit_seq }: Position) =>
    db`(${formatMicros(submit_time)}::timestamptz, ${submit_seq}::bigint)`
  const rows = await db<{ application_id: number }[]>`
    select application_id
    from erased_application
    where program_id = ${walk.programId}
    and change_seq > ${walk.horizon}
    and submit_seq <= ${walk.horizon}
    and (submit_time, submit_seq) > ${place(walk.after)}
    ${walk.upTo === undefined ? db`` : db`and (submit_time, submit_seq) <= ${place(walk.upTo)}`}
    ${mayHaveMetFilters(db, walk.filters)}
    order by application_id
    limit ${rowsMax}`
  return rows.map(row => row.application_id)
}

/** Number of applications on a page of a walk, and the position of the last one if more follow. */
export interface PageExtent {
  applications: number
  next: Position | undefined
}

/** The extent of the page of at most `pageSize` applications strictly after a position. */
export async function readPageExtent(
  db: Db,
  { after, pageSize, ...walk }: WalkScope & { after: Position | undefined; pageSize: number },
): Promise<PageExtent> {
  const [last, before] = await db<(Position & { place: number })[]>`
    select place::integer, submit_time, submit_seq
    from (
      select submit_time, submit_seq, row_number() over (order by submit_time, submit_seq) as place
      from application
      where ${isOfWalk(db, walk)}
      and ${inWalk(db, walk, after)}
      order by submit_time, submit_seq
      limit (select ${pageSize + 1}::bigint)
    ) page
    order by place desc
    limit 2`
  if (last === undefined) return { applications: 0, next: undefined }
  if (last.place <= pageSize || before === undefined) return { applications: last.place, next: undefined }
  return { applications: pageSize, next: { submit_time: before.submit_time, submit_seq: before.submit_seq } }
}
