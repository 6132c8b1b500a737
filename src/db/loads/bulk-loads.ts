// Statements for running bulk loads: progress, counters, IDs and superseded applications. The applications themselves are in
// staged-applications.

import type { Micros } from '../../domain/values/offset-time.ts'
import { bigints, type Db, readValue, type Transaction } from '../client.ts'

/** An arbitrary fixed number, different from those of db/migrate and db/programs/questions. */
const loadLockId = 7_319_042_553

/** Waits until no other load is being started or given up, and prevents that until the end of the transaction. */
export async function lockLoads(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${loadLockId}::bigint)`
}

export interface LoadRow {
  load_id: number
  source: string
  front_end: string | null
  applications: number
  /** Number of applications in the database, from the first of the input. */
  stored: number
  begun_at: Micros
  begun_by: string
  ended_at: Micros | null
  /** Slugs of its programs. */
  slugs: string[]
}

/** Loads that match a condition on `l`, oldest first. */
const readLoads = (db: Db, condition: ReturnType<Db>): Promise<LoadRow[]> => db<LoadRow[]>`
  select load_id, source, front_end, applications, stored, begun_at, begun_by, ended_at,
    (
      select array_agg(p.slug order by p.slug)
      from bulk_load_program own
      join program p using (program_id)
      where own.load_id = l.load_id
    ) as slugs
  from bulk_load l
  where ${condition}
  order by load_id`

/** The load of an input with this digest, if anything of it was stored or is to be. */
export async function findLoad(db: Db, digest: Uint8Array): Promise<LoadRow | undefined> {
  const [row] = await readLoads(db, db`digest = ${Buffer.from(digest)} and (ended_at is null or stored > 0)`)
  return row
}

export async function findLoadById(db: Db, loadId: number): Promise<LoadRow | undefined> {
  const [row] = await readLoads(db, db`load_id = ${loadId}`)
  return row
}

/** Unfinished loads into these programs, or into any. */
export function readUnfinishedLoads(db: Db, programIds?: readonly number[]): Promise<LoadRow[]> {
  if (programIds === undefined) return readLoads(db, db`ended_at is null`)
  const own = db`select load_id from bulk_load_program where program_id = any(${programIds as number[]}::bigint[])`
  return readLoads(db, db`ended_at is null and load_id in (${own})`)
}

interface NewLoad {
  digest: Uint8Array
  source: string
  frontEnd: string | null
  applications: number
  actor: string
}

export interface ProgramShare {
  program_id: number
  applications: number
}

/** Records the start of a load with the number of applications for each program. Returns its ID. */
export async function insertLoad(tx: Transaction, load: NewLoad, programs: readonly ProgramShare[]): Promise<number> {
  const [row] = await tx<{ load_id: number }[]>`
    insert into bulk_load (digest, source, front_end, applications, begun_by)
    values (${Buffer.from(load.digest)}, ${load.source}, ${load.frontEnd}, ${load.applications}, ${load.actor})
    returning load_id`
  const { load_id } = row!
  await tx`
    insert into bulk_load_program (load_id, program_id, applications)
    select ${load_id}, program_id, applications
    from unnest(${programs.map(own => own.program_id)}::bigint[], ${programs.map(own => own.applications)}::bigint[])
      as own (program_id, applications)`
  return load_id
}

/** Counts applications stored in the same transaction, after this many; false if the load has another count. */
export async function advanceLoad(
  tx: Transaction,
  loadId: number,
  after: number,
  programs: readonly ProgramShare[],
): Promise<boolean> {
  const applications = programs.reduce((sum, own) => sum + own.applications, 0)
  const rows = await tx`
    update bulk_load
    set stored = stored + ${applications},
      ended_at = case when stored + ${applications} = applications then clock_timestamp() end
    where load_id = ${loadId}
    and stored = ${after}
    and ended_at is null
    returning load_id`
  if (rows.length === 0) return false
  await tx`
    update bulk_load_program p
    set stored = p.stored + own.applications
    from unnest(${programs.map(own => own.program_id)}::bigint[], ${programs.map(own => own.applications)}::bigint[])
      as own (program_id, applications)
    where p.load_id = ${loadId}
    and p.program_id = own.program_id`
  return true
}

/** Releases the programs of a load that has ended, or ends with this. Returns the number of applications stored in each. */
export async function endLoad(tx: Transaction, loadId: number): Promise<{ slug: string; stored: number }[]> {
  await tx`update bulk_load set ended_at = coalesce(ended_at, clock_timestamp()) where load_id = ${loadId}`
  const programs = await tx<{ program_id: number; slug: string; stored: number }[]>`
    update bulk_load_program own
    set under_way = false
    from program p
    where own.load_id = ${loadId}
    and p.program_id = own.program_id
    returning own.program_id, p.slug, own.stored`
  programs.sort((a, b) => a.program_id - b.program_id)
  for (const { program_id } of programs) await holdSnapshotTime(tx, program_id, null)
  return programs
}

export interface SubmissionCounter {
  submit_seq: number
  /** The Snapshot-Time: everything that is loaded must be later. During a load, it advances with the load. */
  last_submit_time: Micros
}

export const readSubmissionCounter = (db: Db, programId: number): Promise<SubmissionCounter> =>
  readCounter(db, programId, db``)

/** The program's counter, locked until the end of the transaction: submissions to the program wait meanwhile. */
export const lockSubmissionCounter = (tx: Transaction, programId: number): Promise<SubmissionCounter> =>
  readCounter(tx, programId, tx`for update`)

async function readCounter(db: Db, programId: number, lock: ReturnType<Db>): Promise<SubmissionCounter> {
  const [row] = await db<SubmissionCounter[]>`
    select submit_seq, least(last_submit_time, loading_from - interval '1 microsecond') as last_submit_time
    from submission_counter
    where program_id = ${programId}
    ${lock}`
  if (row === undefined) throw new Error(`program ${programId} has no submission counter`)
  return row
}

export interface LoadedShare extends ProgramShare {
  /** The last number allocated by the load. */
  submit_seq: number
  /** Submission time of the last application. */
  submit_time: Micros
}

/**
 * Advances a counter by this many submissions. A last submission earlier than the known one doesn't change that time. The remaining applications of
 * the load have the time of its last one, or a later one.
 */
export async function advanceSubmissionCounter(tx: Transaction, own: LoadedShare): Promise<void> {
  await tx`
    update submission_counter
    set submit_seq = ${own.submit_seq}, submissions = submissions + ${own.applications},
      last_submit_time = greatest(last_submit_time, ${own.submit_time}), loading_from = ${own.submit_time}
    where program_id = ${own.program_id}`
}

/**
 * Keeps a program's Snapshot-Time from passing the applications that a load will still add, all of them at or after this time; null lets it advance.
 */
export async function holdSnapshotTime(tx: Transaction, programId: number, from: Micros | null): Promise<void> {
  await tx`update submission_counter set loading_from = ${from} where program_id = ${programId}`
}

/** IDs issued by a sequence. */
export type IdSequence = 'application_application_id_seq' | 'applicant_applicant_id_seq'

/** The last ID that the sequence issued or skipped; 0 for none. */
export async function readLastId(db: Db, sequence: IdSequence): Promise<number> {
  return readValue<number>(db)`
    select case when is_called then last_value else last_value - 1 end as last
    from ${db(sequence)}`
}

/**
 * Advances the sequence past `last`, unless it has passed it already, and returns its previous value. IDs up to that value are in use or never will
 * be: this waits until no transaction that got one is running. Others wait for an ID meanwhile. (Any `alter sequence` takes that lock; this one
 * changes nothing.)
 */
export async function skipIds(tx: Transaction, sequence: IdSequence, last: number): Promise<number> {
  await tx`alter sequence ${tx(sequence)} no cycle`
  const reached = await readLastId(tx, sequence)
  if (last <= reached) return reached
  await tx`select setval(${sequence}::regclass, ${last}::bigint)`
  const joined = await tx`
    update skipped_ids
    set last_id = ${last}
    where sequence_name = ${sequence}
    and last_id = ${reached}
    returning first_id`
  if (joined.length === 0)
    await tx`insert into skipped_ids (sequence_name, first_id, last_id) values (${sequence}, ${reached + 1}, ${last})`
  return reached
}

/** Those of these IDs that applications of any program have or had before they were erased. Searches each program. */
export async function readTakenApplicationIds(db: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await db<{ application_id: number }[]>`
    select a.application_id
    from program p
    join application a on a.program_id = p.program_id and a.application_id = any(${ids as number[]}::bigint[])
    union all
    select e.application_id
    from program p
    join erased_application e on e.program_id = p.program_id and e.application_id = any(${ids as number[]}::bigint[])
    order by application_id`
  return rows.map(row => row.application_id)
}

/** Submission times of the CURRENT applications of these applicants. */
export async function readCurrentTimes(
  db: Db,
  program_id: number,
  applicantIds: readonly number[],
): Promise<{ applicant_id: number; submit_time: Micros }[]> {
  return db`
    select applicant_id, submit_time
    from application
    where program_id = ${program_id}
    and applicant_id = any(${bigints(applicantIds)}::bigint[])
    and superseded_seq is null`
}

/** Supersedes the CURRENT application of each of these applicants with the given number. */
export async function supersedeCurrentApplications(
  db: Db,
  program_id: number,
  applicantIds: readonly number[],
  supersededSeqs: readonly number[],
): Promise<void> {
  await db`
    update application a
    set superseded_seq = newer.superseded_seq
    from unnest(${bigints(applicantIds)}::bigint[], ${bigints(supersededSeqs)}::bigint[])
      as newer (applicant_id, superseded_seq)
    where a.program_id = ${program_id}
    and a.applicant_id = newer.applicant_id
    and a.superseded_seq is null`
}

/**
 * Updates the planner's statistics during a load, from a tenth of the usual sample, which takes a tenth of the time; autovacuum takes a full sample
 * soon after. With the statistics of a table that was all but empty, the foreign key of each annotation was checked by reading the whole program
 * through another index: a load of 100,000 applications did not end.
 */
export async function sketchApplications(tx: Transaction): Promise<void> {
  // On Citus, one shard after another: a later statement in the transaction could not read shards that were analyzed in parallel.
  await tx`
    select set_config('default_statistics_target', '10', true), set_config('citus.multi_shard_modify_mode', 'sequential', true)`
  await analyzeApplications(tx)
}

/** Updates the planner's statistics sooner than autovacuum would. */
export async function analyzeApplications(db: Db): Promise<void> {
  await db`analyze application, applicant, application_annotation`
}
