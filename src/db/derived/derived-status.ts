// The state of data derived from program versions: requested, running, present, or failed with a reason.

import { type Db, findValue } from '../client.ts'

/** Kinds of data derived from program versions; `job_name` is the job that derives it. */
export interface DerivedThing {
  program_version_id: number
  job_name: string
}

export type DerivedState = 'missing' | 'queued' | 'running' | 'done' | 'failed'

/** Maximum length of a stored error message. */
const errorLengthMax = 2000

/**
 * Requests these derivations, each listed once, and returns the number of each request. While one is queued or running, its attempts continue to be
 * counted, so that a run that kills its process every time ends in a failure, however often it is requested again.
 */
export async function requestDerived(
  db: Db,
  things: readonly DerivedThing[],
): Promise<(DerivedThing & { requested: number })[]> {
  return db<(DerivedThing & { requested: number })[]>`
    insert into derived_status (program_version_id, job_name, state, requested)
    select program_version_id, job_name, 'queued', 1
    from unnest(
      ${things.map(thing => thing.program_version_id)}::bigint[],
      ${things.map(thing => thing.job_name)}::text[]
    ) as thing (program_version_id, job_name)
    order by program_version_id, job_name
    on conflict (program_version_id, job_name) do update
    set state = 'queued',
      requested = derived_status.requested + 1,
      attempts = case when derived_status.state in ('queued', 'running') then derived_status.attempts else 0 end,
      asked_at = case when derived_status.state in ('queued', 'running') then derived_status.asked_at else clock_timestamp() end,
      updated_at = clock_timestamp()
    returning program_version_id, job_name, requested`
}

/**
 * Records the start of a run, and returns the newest request that it fulfills. Undefined if the run is not needed: no request is open, it was given
 * up and not requested again, or the program version no longer exists.
 */
export async function beginRun(db: Db, thing: DerivedThing, codeVersion?: number): Promise<number | undefined> {
  return findValue<number>(db)`
    update derived_status
    set state = 'running', attempts = attempts + 1, code_version = ${codeVersion ?? null}, updated_at = clock_timestamp()
    where program_version_id = ${thing.program_version_id}
    and job_name = ${thing.job_name}
    and state <> 'failed'
    and fulfilled < requested
    returning requested`
}

/** Records that a run fulfilled every request up to this one. It is queued again if a newer request is open. */
export async function finishRun(db: Db, thing: DerivedThing, request: number): Promise<void> {
  await db`
    update derived_status
    set state = case when requested > greatest(fulfilled, ${request}::bigint) then 'queued' else 'done' end,
      fulfilled = greatest(fulfilled, ${request}::bigint),
      last_error = null,
      updated_at = clock_timestamp()
    where program_version_id = ${thing.program_version_id}
    and job_name = ${thing.job_name}`
}

/**
 * Records the failure of a run, and whether it was the last attempt. Nothing is recorded if a later run has fulfilled the request. Without `request`,
 * it applies to every request so far.
 */
export async function failRun(
  db: Db,
  thing: DerivedThing,
  failure: { request: number | undefined; error: string; final: boolean },
): Promise<void> {
  const { request = null, error, final } = failure
  await db`
    update derived_status
    set state = case when ${final} and requested <= coalesce(${request}::bigint, requested) then 'failed' else 'queued' end,
      last_error = ${error.slice(0, errorLengthMax)},
      updated_at = clock_timestamp()
    where program_version_id = ${thing.program_version_id}
    and job_name = ${thing.job_name}
    and fulfilled < coalesce(${request}::bigint, requested)`
}

/** Gives up derivations that were started this often and have been running for too long: their process died each time. Returns those given up. */
export async function giveUpRuns(db: Db, olderThanMs: number, attemptsMax: number): Promise<DerivedThing[]> {
  return db<DerivedThing[]>`
    update derived_status
    set state = 'failed',
      last_error = 'given up: ' || attempts || ' runs began and none ended. Its process may have died; see the log of the workers.',
      updated_at = clock_timestamp()
    where state = 'running'
    and attempts >= ${attemptsMax}
    and updated_at < clock_timestamp() - ${olderThanMs} * interval '1 millisecond'
    returning program_version_id, job_name`
}

/** Requests without progress for so long that their job may be lost, because the queue's store can lose its contents. */
export async function readOverdue(db: Db, olderThanMs: number): Promise<DerivedThing[]> {
  return db<DerivedThing[]>`
    select program_version_id, job_name
    from derived_status
    where state in ('queued', 'running')
    and updated_at < clock_timestamp() - ${olderThanMs} * interval '1 millisecond'
    order by updated_at`
}

/** Whether a derivation was given up, locked until the end of the transaction. */
export async function hasFailed(db: Db, thing: DerivedThing): Promise<boolean> {
  const rows = await db`
    select from derived_status
    where program_version_id = ${thing.program_version_id}
    and job_name = ${thing.job_name}
    and state = 'failed'
    for update`
  return rows.length > 0
}

/** Number of derivations in each state other than `done`. */
export async function countUnfinished(db: Db): Promise<Partial<Record<DerivedState, number>>> {
  const rows = await db<{ state: DerivedState; things: number }[]>`
    select state, count(*) as things
    from derived_status
    where state <> 'done'
    group by state`
  return Object.fromEntries(rows.map(({ state, things }) => [state, things]))
}
