// Reads from CiviForm's database whether and when applications changed, without reading their answers.

import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import type { Source } from './source.ts'
import { joinedVersion, type SourceReading, type SourceStage } from './source-applications.ts'

/** Shows whether an application changed since it was read. */
export interface SourceMark {
  id: number
  row_version: number
  joined_version: string
  submit_time: Micros | null
}

/** The marks of the next submitted applications by ID. Reads the rows without their answers. */
export async function readMarksAfter(
  source: Source,
  reading: SourceReading,
  afterId: number,
  rowsMax: number,
): Promise<SourceMark[]> {
  return source<SourceMark[]>`
    select a.id, a.row_version, ${joinedVersion(source, reading)} as joined_version,
      a.submit_time at time zone ${reading.zone} as submit_time
    from (
      select id, xmin::text::bigint as row_version, submit_time, applicant_id
      from applications
      where id > ${afterId}
      and lifecycle_stage in ('active', 'obsolete')
      order by id
      limit ${rowsMax}
    ) a
    left join applicants p on p.id = a.applicant_id
    left join accounts c on c.id = p.account_id
    order by a.id`
}

/** Stages that no known release uses, with their numbers of applications. Reads every row without its answers. */
export async function readUnknownStages(source: Source): Promise<{ stage: string; applications: number }[]> {
  return source<{ stage: string; applications: number }[]>`
    select coalesce(lifecycle_stage::text, 'none') as stage, count(*) as applications
    from applications
    where lifecycle_stage is null
    or lifecycle_stage not in ('draft', 'active', 'obsolete', 'deleted')
    group by 1
    order by 1`
}

/** How far submissions lie ahead of the database's clock. */
export interface SubmittedAhead {
  /** Number of those ahead by more than the given time. */
  applications: number
  /** How far the newest of them is ahead; 0 without one. */
  seconds: number
}

/** Uses the index on the time of submission. */
export async function readSubmittedAhead(source: Source, zone: string, byMs: number): Promise<SubmittedAhead> {
  const [row] = await source<SubmittedAhead[]>`
    select count(*) as applications,
      coalesce(extract(epoch from max(submit_time) - (statement_timestamp() at time zone ${zone})), 0)::float8 as seconds
    from applications
    where submit_time > (statement_timestamp() + ${byMs} * interval '1 millisecond') at time zone ${zone}
    and lifecycle_stage in ('active', 'obsolete')`
  return row!
}

export async function readMarksById(
  source: Source,
  ids: readonly number[],
): Promise<Pick<SourceMark, 'id' | 'row_version'>[]> {
  return source<Pick<SourceMark, 'id' | 'row_version'>[]>`
    select id, xmin::text::bigint as row_version
    from applications
    where id = any(${ids as number[]}::bigint[])
    and lifecycle_stage in ('active', 'obsolete')
    order by id`
}

/** The submitted applications of applicants whose accounts these organizations manage. */
export async function readIdsOfOrganizations(source: Source, organizations: readonly string[]): Promise<number[]> {
  const rows = await source<{ id: number }[]>`
    select a.id
    from accounts c
    join applicants p on p.account_id = c.id
    join applications a on a.applicant_id = p.id
    where c.managed_by_group_id = any(${organizations as string[]}::bigint[])
    and a.lifecycle_stage in ('active', 'obsolete')
    order by a.id`
  return rows.map(row => row.id)
}

/** Who has submitted since the watermark, and to which program: these superseded earlier applications that are already obsolete. */
export async function readLateSubmitters(
  source: Source,
  zone: string,
  watermark: Micros,
): Promise<{ applicant_id: number | null; program: string }[]> {
  return source`
    select distinct a.applicant_id, p.name as program
    from applications a
    join programs p on p.id = a.program_id
    where a.lifecycle_stage in ('active', 'obsolete')
    and a.submit_time >= (${formatMicros(watermark)}::timestamptz at time zone ${zone})`
}

/** The current stages of those of these that are still submitted ones. */
export async function readStages(
  source: Source,
  ids: readonly number[],
): Promise<{ id: number; stage: SourceStage }[]> {
  return source`
    select id, lifecycle_stage::text as stage
    from applications
    where id = any(${ids as number[]}::bigint[])
    and lifecycle_stage in ('active', 'obsolete')`
}

/** Applications submitted in a time range, for the check of the watermark. */
export async function readSubmittedBetween(
  source: Source,
  zone: string,
  from: Micros,
  to: Micros,
): Promise<{ id: number; submit_time: Micros }[]> {
  return source`
    select id, submit_time at time zone ${zone} as submit_time
    from applications
    where submit_time >= (${formatMicros(from)}::timestamptz at time zone ${zone})
    and submit_time < (${formatMicros(to)}::timestamptz at time zone ${zone})
    and lifecycle_stage in ('active', 'obsolete')`
}

/** Number of events before the newest that are read again at the beginning, when nothing is known yet about open transactions. */
const unseenEvents = 1000

/** The event after which to follow, if everything before is read anyway. */
export async function readFirstEvent(source: Source): Promise<number> {
  const [row] = await source<{ newest: number | null }[]>`select max(id) as newest from application_events`
  return Math.max(0, (row!.newest ?? 0) - unseenEvents)
}

/** The applications of the events after one, with the highest event and the time of the check by the database's clock. */
export async function readEventsAfter(
  source: Source,
  eventId: number,
): Promise<{ newest: number; at: Micros; application_ids: number[] }> {
  const [row] = await source<{ newest: number | null; at: Micros; application_ids: number[] }[]>`
    select max(id) as newest, clock_timestamp() as at, coalesce(array_agg(distinct application_id), '{}')::bigint[] as application_ids
    from application_events
    where id > ${eventId}`
  return { newest: row!.newest ?? eventId, at: row!.at, application_ids: row!.application_ids.map(Number) }
}
