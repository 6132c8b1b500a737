// Figures of a program: recent submissions, statuses and clients. Each statement reads a limited number of index entries, however many
// applications the program has.

import type { Micros } from '../../domain/values/offset-time.ts'
import { everyTime, lanes, uncompiled } from '../applications/list-lanes.ts'
import type { Db, Sql } from '../client.ts'
import { type AmongPrograms, isAmong } from '../programs/among-programs.ts'
import { newestApplication } from '../programs/newest-application.ts'
import type { ProgramIntake } from '../programs/program-intake.ts'

export interface SubmissionDay {
  /** `2026-01-31`, in the caller's zone. */
  day: string
  submissions: number
}

/**
 * How much was submitted on each day since, oldest first; of the newest `most` alone. For the limit see `readListedApplications`: with it the
 * index is walked whatever PostgreSQL believes about the data.
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
  /** Empty: those without one. */
  status: string
  applications: number
}

/** How many CURRENT applications have each status that any has, counted no further than `most`. */
export async function readStatusCounts(sql: Sql, programId: number, most: number): Promise<StatusCount[]> {
  return uncompiled(
    sql,
    db => db<StatusCount[]>`
      select state.status, count(*) as applications
      from ${lanes(db, programId, { revisionState: 'CURRENT' }, everyTime, most)}
      group by state.status`,
  )
}

export interface ProgramReader {
  api_key_id: string
  name: string
  read_at: Micros
  /** When the newest application was submitted that it had a page with; null before the first. */
  read_to: Micros | null
}

/** The keys that have read of a program, those that did last first. */
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
  /** Of the newest application that is there. */
  last_submit_time: Micros | null
}

/** The programs to which was submitted or loaded last, by their newest application, but for those that are archived. */
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
