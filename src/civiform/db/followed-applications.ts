// Writes applications copied from CiviForm.

import type { Db, Transaction } from '../../db/client.ts'
import type { SubmissionCounter } from '../../db/loads/bulk-loads.ts'
import type { Annotations } from '../../domain/questions/application.ts'
import { formatMicros, formatMicrosOrNull, type Micros } from '../../domain/values/offset-time.ts'
import type { SourceStage } from './source-applications.ts'

/** Stands for the missing time of an application. No time filter includes it. */
export const noSubmitTime: Micros = -2_208_988_800_000_001

export interface FollowedApplication extends Annotations {
  program_id: number
  application_id: number
  /** As exported. */
  applicant_id: number
  program_version_id: number
  create_time: Micros
  submit_time: Micros
  submit_seq: number
  /** Null if it is CURRENT. */
  superseded_seq: number | null
  snapshot: string
  annotations: string
  /** Its facts in CiviForm: see `civiform_application`. */
  row_version: number
  joined_version: string
  live_applicant_id: number | null
  stage: SourceStage
  /** CiviForm's own time; `submit_time` determines its position in walks. */
  submitted_at: Micros | null
}

/** An application that is here, or was erased here. */
export interface KnownApplication {
  id: number
  kept: boolean
  /** It was erased because CiviForm no longer had it. */
  deleted_there: boolean
  /** Null if it had none. */
  submitted_at: Micros | null
}

/** The copied applications among these IDs, by ID. */
export async function readKnown(db: Db, ids: readonly number[]): Promise<Map<number, KnownApplication>> {
  const rows = await db<KnownApplication[]>`
    select e.application_id as id, false as kept, nullif(max(e.submit_time), ${noSubmitTime}) as submitted_at,
      coalesce(max(e.erased_at) <= (
        select max(c.seen_at) from civiform_change c where c.application_id = e.application_id and c.what = 'deleted'
      ), false) as deleted_there
    from program p
    join erased_application e on e.program_id = p.program_id and e.application_id = any(${ids as number[]}::bigint[])
    group by e.application_id
    union all
    select application_id, true, submitted_at, false
    from civiform_application
    where application_id = any(${ids as number[]}::bigint[])
    order by kept`
  return new Map(rows.map(row => [row.id, row]))
}

export interface CurrentApplicationRow {
  program_id: number
  application_id: number
  applicant_id: number
}

/** Applications of these applicants that nothing has superseded, in these programs. By the applicant's current ID in CiviForm. */
export async function readCurrentApplications(
  db: Db,
  programIds: readonly number[],
  applicantIds: readonly number[],
): Promise<CurrentApplicationRow[]> {
  return db<CurrentApplicationRow[]>`
    select program_id, application_id, applicant_id
    from civiform_application
    where applicant_id = any(${applicantIds as number[]}::bigint[])
    and program_id = any(${programIds as number[]}::bigint[])
    and not superseded`
}

/** The programs' counters, locked until the end of the transaction, by program. */
export async function lockCounters(
  tx: Transaction,
  programIds: readonly number[],
): Promise<Map<number, SubmissionCounter>> {
  const rows = await tx<(SubmissionCounter & { program_id: number })[]>`
    select program_id, submit_seq, last_submit_time
    from submission_counter
    where program_id = any(${programIds as number[]}::bigint[])
    order by program_id
    for update`
  return new Map(rows.map(({ program_id, ...counter }) => [program_id, counter]))
}

/** Advances counters by these numbers of submissions; a time only if it is later than the known one. */
export async function advanceCounters(
  tx: Transaction,
  counters: readonly (SubmissionCounter & { program_id: number; submissions: number })[],
): Promise<void> {
  if (counters.length === 0) return
  await tx`
    update submission_counter c
    set submit_seq = moved.submit_seq, submissions = c.submissions + moved.submissions,
      last_submit_time = greatest(c.last_submit_time, moved.last_submit_time)
    from unnest(${counters.map(counter => counter.program_id)}::bigint[], ${counters.map(counter => counter.submit_seq)}::bigint[],
      ${counters.map(counter => counter.last_submit_time)}::timestamptz[], ${counters.map(counter => counter.submissions)}::bigint[])
      as moved (program_id, submit_seq, last_submit_time, submissions)
    where c.program_id = moved.program_id`
}

/** Supersedes applications with the given numbers. */
export async function supersedeFollowed(
  tx: Transaction,
  superseded: readonly { program_id: number; application_id: number; superseded_seq: number }[],
): Promise<void> {
  if (superseded.length === 0) return
  const ids = superseded.map(item => item.application_id)
  await tx`
    update application a
    set superseded_seq = given.superseded_seq
    from unnest(${superseded.map(item => item.program_id)}::bigint[], ${ids}::bigint[],
      ${superseded.map(item => item.superseded_seq)}::bigint[]) as given (program_id, application_id, superseded_seq)
    where a.program_id = given.program_id
    and a.application_id = given.application_id`
  await tx`
    update civiform_application
    set superseded = true, stage = 'obsolete'
    where application_id = any(${ids}::bigint[])`
}

/** Adds applicants, and sets their language to that of their newest application. */
export async function upsertFollowedApplicants(tx: Transaction, languages: ReadonlyMap<number, string>): Promise<void> {
  await tx`
    insert into applicant (applicant_id, language)
    select applicant_id, language
    from unnest(${[...languages.keys()]}::bigint[], ${[...languages.values()]}::text[]) as given (applicant_id, language)
    on conflict (applicant_id) do update set language = excluded.language, updated_at = now()
    where applicant.language <> excluded.language`
}

/** Stores applications with their facts in CiviForm, their status and their note. */
export async function insertFollowed(tx: Transaction, applications: readonly FollowedApplication[]): Promise<void> {
  if (applications.length === 0) return
  const rows = applications.map(application => ({
    ...application,
    create_time: formatMicros(application.create_time),
    submit_time: formatMicros(application.submit_time),
    status_last_modified_time: formatMicrosOrNull(application.status_last_modified_time),
    followed: true,
  }))
  const columns = tx`program_id, application_id, applicant_id, program_version_id, create_time, submit_time, submit_seq, superseded_seq,
    status, status_last_modified_time, application_note, snapshot, annotations, followed`
  await tx`
    insert into application (${columns})
    select ${columns} from json_populate_recordset(null::application, ${JSON.stringify(rows)}::text::json)`
  const marks = applications.map(({ program_id, application_id, row_version, joined_version, stage, ...item }) => ({
    program_id,
    application_id,
    row_version,
    joined_version,
    applicant_id: item.live_applicant_id,
    stage,
    superseded: item.superseded_seq !== null,
    submitted_at: formatMicrosOrNull(item.submitted_at),
  }))
  await tx`
    insert into civiform_application
    select * from json_populate_recordset(null::civiform_application, ${JSON.stringify(marks)}::text::json)`
  await tx`
    insert into application_annotation (program_id, application_id, changed_at, changed_by, status, application_note)
    select program_id, application_id, coalesce(status_last_modified_time, submit_time), 'civiform', status, application_note
    from application
    where (program_id, application_id) in (select * from unnest(
      ${applications.map(application => application.program_id)}::bigint[], ${applications.map(application => application.application_id)}::bigint[]))
    and (status is not null or application_note is not null)`
}
