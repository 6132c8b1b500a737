// Applications that a bulk load has read but not stored: rows of a temporary table, which disappears with its connection. The checks that involve
// the whole input run there.

import type { Annotations } from '../../domain/questions/application.ts'
import { formatMicros, formatMicrosOrNull, type Micros } from '../../domain/values/offset-time.ts'
import { bigints, type Db, readValue, type Transaction } from '../client.ts'
import type { IdSequence } from './bulk-loads.ts'

/** One application of an input, with everything stored of it except its numbers. */
export interface StagedApplication extends Annotations {
  /** Number of the application in the input, from 1. */
  n: number
  /** Its position in the input, which increases. */
  place: number
  program_id: number
  application_id: number
  applicant_id: number
  program_version_id: number
  create_time: Micros
  submit_time: Micros
  is_current: boolean
  language: string
  snapshot: string
  /** The snapshot's `searchedTexts`. */
  searched: string | null
  annotations: string
}

/** Separates snapshots, whose JSON has no such character. */
const snapshotEnd = '\u0003'

/** Applications waiting to be sent: their snapshots one after another, because JSON of JSON is long, and the rest of each as JSON. */
export class StagedRows {
  #rows: string[] = []
  #snapshots: string[] = []
  /** UTF-16 units collected so far. */
  length = 0

  add({ snapshot, ...application }: StagedApplication): void {
    const row = JSON.stringify({
      ...application,
      create_time: formatMicros(application.create_time),
      submit_time: formatMicros(application.submit_time),
      status_last_modified_time: formatMicrosOrNull(application.status_last_modified_time),
    })
    this.#rows.push(row)
    this.#snapshots.push(snapshot)
    this.length += row.length + snapshot.length
  }

  /** What was added since the last call. */
  take(): { rows: string; snapshots: string } {
    const taken = { rows: `[${this.#rows.join(',')}]`, snapshots: this.#snapshots.join(snapshotEnd) }
    this.#rows = []
    this.#snapshots = []
    this.length = 0
    return taken
  }
}

/**
 * Creates the empty table for the rest of the session or until `dropStaged`. Its texts are not compressed: a text copied between tables keeps its
 * form, and `application` decides about compression.
 */
export async function createStaged(session: Db): Promise<void> {
  await session`
    create temporary table staged (
      n bigint primary key, place bigint, program_id bigint, application_id bigint, applicant_id bigint, program_version_id bigint,
      create_time timestamptz, submit_time timestamptz, is_current boolean, language text, status text,
      status_last_modified_time timestamptz, application_note text, searched text, annotations text, snapshot text
    ) with (toast_tuple_target = 8160)`
  await session`
    alter table staged alter column status set storage external, alter column application_note set storage external,
      alter column snapshot set storage external, alter column searched set storage external, alter column annotations set storage external`
}

export async function dropStaged(session: Db): Promise<void> {
  await session`drop table staged`
}

export async function insertStaged(session: Db, rows: StagedRows): Promise<void> {
  const taken = rows.take()
  await session`
    insert into staged
    select n, place, program_id, application_id, applicant_id, program_version_id, create_time, submit_time, is_current, language, status,
      status_last_modified_time, application_note, searched, annotations, string_to_table
    from rows from (
      json_populate_recordset(null::staged, ${taken.rows}::text::json),
      string_to_table(${taken.snapshots}::text, ${snapshotEnd}))`
}

/** An application that conflicts with an earlier one, and the position of that one. */
export interface StagedOdds {
  place: number
  application_id: number
  applicant_id: number
  is_current: boolean
  earlier: number
}

/** Rows compared at a time. */
const together = 1000

/** Calls `take` with each application whose ID an earlier one has, in order. */
export async function eachDuplicate(session: Db, take: (odds: StagedOdds) => void): Promise<void> {
  await session<StagedOdds[]>`
    select place, application_id, applicant_id, is_current, earlier
    from staged
    join (select application_id, min(place) as earlier from staged group by application_id having count(*) > 1) first
      using (application_id)
    where place > earlier
    order by place`.cursor(together, rows => rows.forEach(take))
}

/** Calls `take` with each application whose applicant has an earlier CURRENT one in the same program, in order. */
export async function eachAfterCurrent(session: Db, take: (odds: StagedOdds) => void): Promise<void> {
  await session<StagedOdds[]>`
    select place, application_id, applicant_id, is_current, earlier
    from staged
    join (select program_id, applicant_id, min(place) as earlier from staged where is_current group by program_id, applicant_id) first
      using (program_id, applicant_id)
    where place > earlier
    order by place`.cursor(together, rows => rows.forEach(take))
}

/** An ID of an application or applicant, and its position. */
export interface StagedId {
  place: number
  id: number
}

/**
 * Calls `take` with each application after the first `stored` whose ID a load has already used: the application exists, or existed before it was
 * erased.
 */
export async function eachLoadedBefore(
  session: Db,
  { stored, reached }: { stored: number; reached: number },
  take: (id: StagedId) => void,
): Promise<void> {
  await session<StagedId[]>`
    select place, application_id as id
    from staged
    join loaded_ids on page = application_id / 512 and get_bit(ids, (application_id % 512)::integer) = 1
    where n > ${stored} and application_id <= ${reached}
    order by place`.cursor(together, rows => rows.forEach(take))
}

/**
 * Calls `take` with each application after the first `stored` whose ID is one of the intake's: after `after`, up to `reached`, and not skipped by a
 * load.
 */
export async function eachDrawn(
  session: Db,
  sequence: IdSequence,
  { stored, after, reached }: { stored: number; after: number; reached: number },
  take: (id: StagedId) => void,
): Promise<void> {
  const id = session(sequence === 'application_application_id_seq' ? 'application_id' : 'applicant_id')
  await session<StagedId[]>`
    select place, ${id} as id
    from staged
    where n > ${stored} and ${id} > ${after} and ${id} <= ${reached}
    and coalesce((
      select last_id < ${id}
      from skipped_ids
      where sequence_name = ${sequence} and first_id <= ${id}
      order by first_id desc
      limit 1
    ), true)
    order by place`.cursor(together, rows => rows.forEach(take))
}

/** What is needed to number an application. */
export interface BatchApplication {
  n: number
  program_id: number
  applicant_id: number
  submit_time: Micros
  is_current: boolean
}

/** Applications stored together, by their numbers in the input. */
export interface Batch {
  first: number
  last: number
}

/** The applications of a batch, in order. */
export async function readBatch(session: Db, { first, last }: Batch): Promise<BatchApplication[]> {
  return session`
    select n, program_id, applicant_id, submit_time, is_current
    from staged
    where n between ${first} and ${last}
    order by n`
}

/**
 * Adds the new applicants of a batch, each with the language of its first application, all of one front end or none, and prevents the erasure of all
 * of the batch's applicants until the transaction ends.
 */
export async function holdApplicants(tx: Transaction, { first, last }: Batch, frontEnd: string | null): Promise<void> {
  await tx`
    insert into applicant (applicant_id, language, front_end)
    select distinct on (applicant_id) applicant_id, language, ${frontEnd}
    from staged
    where n between ${first} and ${last}
    order by applicant_id, n
    on conflict (applicant_id) do nothing`
  await tx`
    select
    from applicant
    where applicant_id in (select applicant_id from staged where n between ${first} and ${last})
    order by applicant_id
    for key share`
}

/** Records the IDs of a batch as loaded. Returns false if some already were; the caller must then roll back. */
export async function noteLoadedIds(tx: Transaction, { first, last }: Batch): Promise<boolean> {
  return readValue<boolean>(tx)`
    with own as (
      select application_id / 512 as page, bit_or(set_bit(0::bit(512), (application_id % 512)::integer, 1)) as ids
      from staged
      where n between ${first} and ${last}
      group by application_id / 512
    ),
    noted as (
      insert into loaded_ids (page, ids)
      select page, ids from own order by page
      on conflict (page) do update
      set ids = loaded_ids.ids | excluded.ids
      where (loaded_ids.ids & excluded.ids) = 0::bit(512)
      returning page
    )
    select (select count(*) from own) = (select count(*) from noted) as all_new`
}

/** The numbers of an application in a batch. */
export interface BatchNumbers {
  n: number
  submit_seq: number
  /** Null if it is CURRENT. */
  superseded_seq: number | null
}

/** Stores a batch, each application with its numbers, status and note. */
export async function storeStaged(
  tx: Transaction,
  { first, last }: Batch,
  numbers: readonly BatchNumbers[],
  { now, actor }: { now: Micros; actor: string },
): Promise<void> {
  const own = tx`unnest(${bigints(numbers.map(own => own.n))}::bigint[], ${bigints(numbers.map(own => own.submit_seq))}::bigint[],
      ${bigints(numbers.map(own => own.superseded_seq))}::bigint[]) as own (n, submit_seq, superseded_seq) using (n)`
  // Before their applications, because the database computes the words of an application that has none.
  await tx`
    insert into application_words (program_id, submit_time, submit_seq, words)
    select program_id, submit_time, own.submit_seq, searched_words(program_id, searched)
    from staged
    join ${own}
    where n between ${first} and ${last}
    and searched is not null
    order by n`
  await tx`
    insert into application (program_id, application_id, applicant_id, program_version_id, create_time, submit_time, submit_seq,
      superseded_seq, status, status_last_modified_time, application_note, snapshot, annotations)
    select program_id, application_id, applicant_id, program_version_id, create_time, submit_time, own.submit_seq,
      own.superseded_seq, status, status_last_modified_time, application_note, snapshot, annotations
    from staged
    join ${own}
    where n between ${first} and ${last}
    order by n`
  await tx`
    insert into application_annotation (program_id, application_id, changed_at, changed_by, status, application_note)
    select program_id, application_id, coalesce(status_last_modified_time, ${now}), ${actor}, status, application_note
    from staged
    where n between ${first} and ${last}
    and (status is not null or application_note is not null)
    order by n`
}
