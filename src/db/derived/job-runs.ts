// The last runs of each kind of job: when each ended, its outcome, and why it failed.

import { type Static, Type } from 'typebox'
import type { Db } from '../client.ts'
import { versionNumber } from '../programs/programs.ts'
import { integer, integerOrNull, row, text, textOrNull, time } from '../row-schemas.ts'

/** Number of runs kept of each kind. */
const runsKept = 20

/** Maximum length of a stored detail. */
const detailLengthMax = 2000

/**
 * `nothing`: there was nothing to do; `retrying`: it failed and will be retried; `failed`: that was its last attempt; `given_up`: its worker died on
 * each attempt.
 */
const outcomes = ['done', 'nothing', 'retrying', 'failed', 'given_up'] as const
export type RunOutcome = (typeof outcomes)[number]

export const jobRun = row({
  job_run_id: integer,
  job_name: text,
  program_version_id: integerOrNull,
  webhook_endpoint_id: integerOrNull,
  /** The program of the version or endpoint. Null if the version or endpoint is gone. */
  slug: textOrNull,
  display_name: textOrNull,
  /** Null for a draft. */
  version_number: integerOrNull,
  ended_at: time,
  duration_ms: integerOrNull,
  outcome: Type.Enum([...outcomes]),
  detail: textOrNull,
})
export type JobRun = Static<typeof jobRun>

interface EndedRun extends Pick<JobRun, 'job_name' | 'duration_ms' | 'outcome' | 'detail'> {
  program_version_id?: number
  webhook_endpoint_id?: number
}

/** Adds a run and removes all but the last `runsKept` of its kind. */
export async function insertJobRun(db: Db, run: EndedRun): Promise<void> {
  const { job_name, program_version_id = null, webhook_endpoint_id = null, duration_ms, outcome, detail } = run
  await db`
    with added as (
      insert into job_run (job_name, program_version_id, webhook_endpoint_id, duration_ms, outcome, detail)
      values (
        ${job_name}, ${program_version_id}, ${webhook_endpoint_id}, ${duration_ms}, ${outcome},
        ${detail?.slice(0, detailLengthMax) ?? null})
    )
    delete from job_run
    where job_name = ${job_name}
    and job_run_id <= (
      select job_run_id
      from job_run
      where job_name = ${job_name}
      order by job_run_id desc
      offset ${runsKept - 1}
      limit 1
    )`
}

/** The last runs of every kind, grouped by kind, newest first. */
export async function readJobRuns(db: Db): Promise<JobRun[]> {
  return db<JobRun[]>`
    select r.job_run_id, r.job_name, r.program_version_id, r.webhook_endpoint_id, p.slug, p.display_name,
      ${versionNumber(db, db`v`)} as version_number,
      r.ended_at, r.duration_ms, r.outcome, r.detail
    from job_run r
    left join program_version v on v.program_version_id = r.program_version_id
    left join webhook_endpoint w on w.webhook_endpoint_id = r.webhook_endpoint_id
    left join program p on p.program_id = coalesce(v.program_id, w.program_id)
    order by r.job_name, r.job_run_id desc`
}
