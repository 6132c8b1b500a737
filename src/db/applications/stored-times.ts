// Every time that is stored as text, to be written again in another zone.

import type { Annotations } from '../../domain/questions/application.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findValue, readValue, type Transaction } from '../client.ts'

/** The zone stored texts are rendered in, kept from being changed or relied on by others to the end of the transaction. */
export async function lockInstanceTimeZone(tx: Transaction): Promise<string | undefined> {
  return findValue<string>(tx)`select time_zone from instance for update`
}

/** Lets this transaction change stored texts, which the database refuses to all others. */
export async function allowRerendering(tx: Transaction): Promise<void> {
  await tx`select set_config('tributary.rerender', 'on', true)`
}

/** Waits for submissions under way, and holds further ones back to the end of the transaction. */
export async function lockSubmissionCounters(tx: Transaction): Promise<void> {
  await tx`
    select
    from submission_counter
    order by program_id
    for update`
}

export async function countApplications(db: Db): Promise<number> {
  return readValue<number>(db)`select count(*) as applications from application`
}

export interface StoredTimes extends Annotations {
  program_id: number
  application_id: number
  create_time: Micros
  submit_time: Micros
}

/** The next applications after a place, by program and id. */
export async function readStoredTimes(
  db: Db,
  after: Pick<StoredTimes, 'program_id' | 'application_id'>,
  rowsMax: number,
): Promise<StoredTimes[]> {
  return db<StoredTimes[]>`
    select program_id, application_id, create_time, submit_time, status, status_last_modified_time, application_note
    from application
    where (program_id, application_id) > (${after.program_id}::bigint, ${after.application_id}::bigint)
    order by program_id, application_id
    limit ${rowsMax}`
}

export interface RenderedTimes {
  program_id: number
  application_id: number
  /** What the snapshot is to begin with, of the same length as what it begins with, up to a comma. */
  times: string
  annotations: string
}

/** Replaces the beginning of each snapshot, and the annotations. Returns how many snapshots had times and a comma there. */
export async function updateRenderedTimes(tx: Transaction, rendered: readonly RenderedTimes[]): Promise<number> {
  const rows = await tx`
    update application a
    set
      snapshot = rendered.times || substr(a.snapshot, length(rendered.times) + 1),
      annotations = rendered.annotations
    from unnest(
      ${rendered.map(row => row.program_id)}::bigint[],
      ${rendered.map(row => row.application_id)}::bigint[],
      ${rendered.map(row => row.times)}::text[],
      ${rendered.map(row => row.annotations)}::text[]
    ) as rendered (program_id, application_id, times, annotations)
    where a.program_id = rendered.program_id
    and a.application_id = rendered.application_id
    and starts_with(a.snapshot, '{"create_time":"')
    and substr(a.snapshot, length(rendered.times), 2) = '",'`
  return rows.count
}
