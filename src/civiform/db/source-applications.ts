// Reads applications from CiviForm's database: in submission order, by ID, or only what shows whether they changed. Answers are read as
// text, whether stored as an object or as text that contains one; no cast can fail.

import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import { applicantVersion, type Source, type SourceLayout } from './source.ts'

/** Whether CiviForm exports a row, and in which revision state. */
export type SourceStage = 'active' | 'obsolete'

/** A submitted application. */
export interface SourceApplication {
  id: number
  row_version: number
  joined_version: string
  program_id: number
  applicant_id: number | null
  original_applicant_id: number | null
  stage: SourceStage
  create_time: Micros | null
  submit_time: Micros | null
  preferred_locale: string | null
  submitter_email: string | null
  status: string | null
  status_last_modified_time: Micros | null
  note: string | null
  ti_organization: string | null
  document: string | null
  /** The applicant's current row, if the profile shows it. */
  live: LiveApplicant | null
}

export interface LiveApplicant {
  first_name: string | null
  middle_name: string | null
  last_name: string | null
  suffix: string | null
  email_address: string | null
  country_code: string | null
  phone_number: string | null
  /** `2000-01-31`. */
  date_of_birth: string | null
  /** The applicant's whole current document. */
  object: string | null
}

export interface SourceReading {
  layout: SourceLayout
  /** The time zone of CiviForm's times without one. */
  zone: string
  /** Whether the applicant's own row is read, too. */
  live: boolean
}

/** A position in the order of submission. Without a time: among those that have none, which come first. */
export interface SourcePosition {
  time: Micros | null
  id: number
}

/** The next applications after a position that were submitted before the watermark, in order of time and ID. */
export async function readSubmittedAfter(
  source: Source,
  reading: SourceReading,
  after: SourcePosition,
  watermark: Micros,
  rowsMax: number,
): Promise<SourceApplication[]> {
  const { zone } = reading
  if (after.time === null)
    return read(
      source,
      reading,
      source`
        select *, xmin from applications
        where lifecycle_stage in ('active', 'obsolete') and submit_time is null and id > ${after.id}
        order by id
        limit ${rowsMax}`,
    )
  const from = source`(${formatMicros(after.time)}::timestamptz at time zone ${zone})`
  return read(
    source,
    reading,
    source`
      select *, xmin from applications
      where lifecycle_stage in ('active', 'obsolete')
      and submit_time >= ${from}
      and (submit_time, id) > (${from}, ${after.id}::bigint)
      and submit_time < (${formatMicros(watermark)}::timestamptz at time zone ${zone})
      order by submit_time, id
      limit ${rowsMax}`,
  )
}

/** Those of these applications that are still submitted ones, by ID. */
export async function readApplicationsById(
  source: Source,
  reading: SourceReading,
  ids: readonly number[],
): Promise<SourceApplication[]> {
  return read(
    source,
    reading,
    source`
      select *, xmin from applications
      where id = any(${ids as number[]}::bigint[]) and lifecycle_stage in ('active', 'obsolete')`,
  )
}

/**
 * The common part of these statements, in the order of submission. Columns that a release lacks are derived from its events, as on CiviForm's own
 * pages. Sorted here, because the source would write whole documents to its disk to sort them.
 */
async function read(source: Source, reading: SourceReading, rows: ReturnType<Source>): Promise<SourceApplication[]> {
  const { layout, zone, live } = reading
  const has = (column: string): boolean => layout.readable.has(column)
  const applicantColumn = (column: string) =>
    has(`applicants.${column}`) ? source`${source(column)}` : source`null as ${source(column)}`
  const note = has('applications.latest_note')
    ? source`a.latest_note`
    : source`(
        select e.details #>> '{note_event,note}'
        from application_events e
        where e.application_id = a.id and e.event_type = 'NOTE_CHANGE'
        order by e.create_time desc, e.id desc
        limit 1
      )`
  const statusTime = has('applications.status_last_modified_time')
    ? source`a.status_last_modified_time`
    : source`(
        select max(e.create_time)
        from application_events e
        where e.application_id = a.id and e.event_type = 'STATUS_CHANGE'
      )`
  const read = await source<SourceApplication[]>`
    select
      a.id,
      a.xmin::text::bigint as row_version,
      ${joinedVersion(source, reading)} as joined_version,
      a.program_id,
      a.applicant_id,
      ${has('applications.original_applicant_id') ? source`a.original_applicant_id` : source`null::bigint`} as original_applicant_id,
      a.lifecycle_stage::text as stage,
      a.create_time at time zone ${zone} as create_time,
      a.submit_time at time zone ${zone} as submit_time,
      a.preferred_locale,
      a.submitter_email,
      a.latest_status as status,
      ${statusTime} at time zone ${zone} as status_last_modified_time,
      ${note} as note,
      t.name as ti_organization,
      a.object #>> '{}' as document,
      ${
        live
          ? source`(
              select jsonb_build_object('first_name', first_name, 'middle_name', middle_name, 'last_name', last_name,
                'suffix', suffix, 'email_address', email_address, 'country_code', country_code,
                'phone_number', phone_number, 'date_of_birth', date_of_birth::text, 'object', object)
              from (
                select ${applicantColumn('first_name')}, ${applicantColumn('middle_name')},
                  ${applicantColumn('last_name')}, ${applicantColumn('suffix')}, ${applicantColumn('email_address')},
                  ${applicantColumn('country_code')}, ${applicantColumn('phone_number')},
                  ${applicantColumn('date_of_birth')},
                  ${has('applicants.object') ? source`object #>> '{}' as object` : source`null as object`}
                from applicants own
                where own.id = a.applicant_id
              ) own
            )`
          : source`null::jsonb`
      } as live
    from (${rows}) a
    left join applicants p on p.id = a.applicant_id
    left join accounts c on c.id = p.account_id
    left join ti_organizations t on t.id = c.managed_by_group_id`
  return read.sort((a, b) => (a.submit_time ?? 0) - (b.submit_time ?? 0) || a.id - b.id)
}

/**
 * A text that changes with everything an export shows about an application that isn't in its own row: who manages the applicant's account and, if it
 * is shown, the applicant's row.
 */
export const joinedVersion = (source: Source, { layout, live }: SourceReading) =>
  live && layout.readable.has(applicantVersion)
    ? source`concat(c.managed_by_group_id, '/', p.xmin)`
    : source`concat(c.managed_by_group_id)`
