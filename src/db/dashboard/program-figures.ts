// Figures of a program: recent submissions, statuses and clients. Each statement reads a limited number of index entries, however many
// applications the program has.

import type { Micros } from '../../domain/values/offset-time.ts'
import { everyTime, lanes, uncompiled } from '../applications/list-lanes.ts'
import type { Db, Sql } from '../client.ts'
import { type AmongPrograms, isAmong } from '../programs/among-programs.ts'
import { newestApplication } from '../programs/newest-application.ts'
import type { ProgramIntake } from '../programs/program-intake.ts'

export interface SubmissionDay {
  /** `2026-01-31`, in the caller's time zone. */
  day: string
  submissions: number
}

/**
 * Number of submissions on each day since a day, oldest first, from the newest `most` submissions. For the limit see `readListedApplications`: with
 * it, PostgreSQL uses the index whatever its estimates.
 */
export async function readSubmissionDays(
  db: Db,
  programId: number,
  { since, timeZone, most }: { since: Micros; timeZone: string; most: number },
): Promise<SubmissionDay[]> {
  return db<SubmissionDay[]>`
    select (submit_time at time zone ${timeZone})::date::text as day, count(*) as submissions
    from (
      select submit_time
      from application
      where program_id = ${programId}
      and submit_time >= ${since}
      order by submit_time desc, submit_seq desc
      limit (select ${most}::bigint)
    ) newest
    group by 1
    order by 1`
}

export interface StatusCount {
  /** Empty: applications without a status. */
  status: string
  applications: number
}

/** Number of CURRENT applications by status, counted up to `most`. */
export async function readStatusCounts(sql: Sql, programId: number, most: number): Promise<StatusCount[]> {
  return uncompiled(
    sql,
    db => db<StatusCount[]>`
      select state.status, count(*) as applications
      from ${lanes(db, programId, { revisionState: 'CURRENT' }, everyTime, most)}
      group by state.status`,
  )
}

export interface FirstStatusTimes {
  /** Median days from submission to the first status, of applications submitted since each of the two times; null if none has a status. */
  recent: number | null
  all: number | null
}

/**
 * How soon applications received their first status, from the newest `most`. A status from a bulk load doesn't count, because it is unknown when it
 * was set.
 */
export async function readFirstStatusTimes(
  db: Db,
  programId: number,
  { since, recentSince, most }: { since: Micros; recentSince: Micros; most: number },
): Promise<FirstStatusTimes> {
  const [times] = await db<FirstStatusTimes[]>`
    select
      percentile_cont(0.5) within group (order by days) filter (where submit_time >= ${recentSince}) as recent,
      percentile_cont(0.5) within group (order by days) as all
    from (
      select newest.submit_time, extract(epoch from given.changed_at - newest.submit_time)::double precision / 86400 as days
      from (
        select application_id, submit_time
        from application
        where program_id = ${programId}
        and submit_time >= ${since}
        order by submit_time desc, submit_seq desc
        limit (select ${most}::bigint)
      ) newest
      cross join lateral (
        select changed_at
        from application_annotation
        where program_id = ${programId}
        and application_id = newest.application_id
        and sets_status
        and status is not null
        order by annotation_id
        limit 1
      ) given
      where given.changed_at >= newest.submit_time
    ) waited`
  return times!
}

export interface ClientExports {
  api_key_id: string
  name: string
  exports: number
}

/** Exports of a program by key since a time, most first, from the program's newest `most` audit entries. */
export async function readClientExports(
  db: Db,
  slug: string,
  { since, most, rowsMax }: { since: Micros; most: number; rowsMax: number },
): Promise<ClientExports[]> {
  return db<ClientExports[]>`
    select api_key_id, name, counted.exports
    from (
      select substr(actor, 5) as api_key_id, count(distinct coalesce(detail->>'walk', audit_event_id::text)) as exports
      from (
        select audit_event_id, actor, action, detail
        from audit_event
        where subject = ${slug}
        and happened_at >= ${since}
        order by happened_at desc, audit_event_id desc
        limit ${most}
      ) newest
      where action = 'applications_exported'
      and actor like 'key:%'
      group by actor
    ) counted
    join api_key using (api_key_id)
    order by counted.exports desc, name, api_key_id
    limit ${rowsMax}`
}

export interface ProgramReader {
  api_key_id: string
  name: string
  read_at: Micros
  /** Submission time of the newest application on its pages; null before the first. */
  read_to: Micros | null
}

/** The keys that have exported a program, most recent first. */
export async function readProgramReaders(db: Db, slug: string, rowsMax: number): Promise<ProgramReader[]> {
  return db<ProgramReader[]>`
    select api_key_id, name, read_at, read_to
    from program_reader
    join api_key using (api_key_id)
    where program_slug = ${slug}
    order by read_at desc
    limit ${rowsMax}`
}

export interface ProgramInUse {
  program_id: number
  slug: string
  display_name: string
  intake_state: ProgramIntake['intake_state']
  /** Submission time of the newest application. */
  last_submit_time: Micros | null
}

/** The programs with the most recent submissions or loads, by their newest application, without archived ones. */
export async function readProgramsInUse(
  db: Db,
  { among, rowsMax }: { among: AmongPrograms; rowsMax: number },
): Promise<ProgramInUse[]> {
  return db<ProgramInUse[]>`
    select used.program_id, used.slug, used.display_name, used.intake_state, newest.submit_time as last_submit_time
    from (
      select p.program_id, p.slug, p.display_name, p.intake_state
      from program p
      join submission_counter c on c.program_id = p.program_id
      where ${isAmong(db, 'p.program_id', among)}
      and p.intake_state <> 'ARCHIVED'
      and c.submissions > 0
      order by c.last_submit_time desc, p.slug
      limit ${rowsMax}
    ) used
    join submission_counter c on c.program_id = used.program_id
    ${newestApplication(db)}
    order by newest.submit_time desc nulls last, used.slug`
}
