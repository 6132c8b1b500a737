// The follower's progress: one row, updated in the same transaction as the data it describes.

import { type Db, findRow, readValue, type Sql, type Transaction } from '../../db/client.ts'
import type { Micros } from '../../domain/values/offset-time.ts'

export interface FollowState {
  identity: string
  rendering: string
  /** The highest evolution, timeline and log length that CiviForm's database has reported. */
  evolution: number | null
  timeline: number | null
  written: number | null
  /** The OIDs of its database and table of applications, and the last IDs allocated there: see `SourceStand`. */
  incarnation: string | null
  application_ids: number | null
  event_ids: number | null
  /** Evidence of a restore, observed or reported by an operator; null once it is settled. */
  rollback_evidence: string | null
  /** How often its history was cut: a standby that lacked commits took over, or a backup was restored. */
  rollbacks: number
  rolled_back_at: Micros | null
  position_time: Micros | null
  position_id: number
  watermark: Micros | null
  first_copied_at: Micros | null
  slack_ms: number
  slack_widened_at: Micros | null
  late_applications: number
  scan_after: number
  scan_whole: boolean
  scan_begun_at: Micros | null
  scan_ended_at: Micros | null
  whole_scan_ended_at: Micros | null
  event_after: number
  catalogue: string | null
  /** As JSON: the row version of each organization, by id. */
  organizations: string | null
  reached_at: Micros | null
  last_error: string | null
  held_since: Micros | null
  /** Number of submissions ahead of its clock in the last round, and by how much the newest was. */
  ahead_applications: number
  ahead_seconds: number
  /** Until then, applications missing in CiviForm count as deleted even if there are many. */
  deletions_accepted_until: Micros | null
}

/** Undefined if nothing was ever followed. */
export async function findFollowState(db: Db): Promise<FollowState | undefined> {
  return findRow<FollowState>(db)`
    select identity, rendering, evolution, timeline, written, incarnation, application_ids, event_ids, rollback_evidence, rollbacks,
      rolled_back_at, position_time, position_id, watermark, first_copied_at, slack_ms, slack_widened_at, late_applications, scan_after, scan_whole,
      scan_begun_at, scan_ended_at, whole_scan_ended_at, event_after, catalogue, organizations, reached_at, last_error, held_since,
      ahead_applications, ahead_seconds, deletions_accepted_until
    from civiform_source`
}

/** Like `findFollowState`, locked against other processes until the end of the transaction. */
export async function lockFollowState(tx: Transaction): Promise<FollowState> {
  await tx`select from civiform_source for update`
  const state = await findFollowState(tx)
  if (state === undefined) throw new Error('this installation does not follow a CiviForm')
  return state
}

/** Starts following. The database rejects it while this installation has its own programs. */
export async function beginFollowing(
  db: Db,
  begin: Pick<FollowState, 'identity' | 'rendering' | 'slack_ms'>,
): Promise<void> {
  await db`
    insert into civiform_source (identity, rendering, slack_ms)
    values (${begin.identity}, ${begin.rendering}, ${begin.slack_ms})
    on conflict (only_row) do nothing`
}

/** Changes the given parts. */
export async function moveFollowState(db: Db, changes: Partial<FollowState>): Promise<void> {
  const names = Object.keys(changes) as (keyof FollowState)[]
  if (names.length === 0) return
  await db`update civiform_source set ${db(changes as Record<string, never>, ...(names as never[]))}`
}

/** For a day from now. */
export async function acceptDeletions(tx: Transaction): Promise<void> {
  await tx`update civiform_source set deletions_accepted_until = clock_timestamp() + interval '1 day'`
}

/** An arbitrary fixed number, different from those of other locks. */
const followLockId = 7_319_042_561

/** Whether this connection now holds the lock for following, which it does until it ends. */
export async function tryFollowLock(connection: Sql): Promise<boolean> {
  return readValue<boolean>(connection)`select pg_try_advisory_lock(${followLockId}::bigint) as locked`
}

export interface FindingRow {
  kind: string
  subject: string
  detail: string
}

/** Records data that could not be copied unchanged; once for each subject. */
export async function noteFindings(db: Db, findings: readonly FindingRow[]): Promise<void> {
  const distinct = [...new Map(findings.map(finding => [`${finding.kind}\n${finding.subject}`, finding])).values()]
  if (distinct.length === 0) return
  await db`
    insert into civiform_finding (kind, subject, detail)
    select kind, subject, detail
    from unnest(${distinct.map(row => row.kind)}::text[], ${distinct.map(row => row.subject)}::text[],
      ${distinct.map(row => row.detail)}::text[]) as found (kind, subject, detail)
    on conflict (kind, subject) do update set detail = excluded.detail, last_seen_at = clock_timestamp()`
}

/** Removes findings of these kinds that were not made again. */
export async function dropFindingsBefore(db: Db, kinds: readonly string[], before: Micros): Promise<void> {
  await db`
    delete from civiform_finding
    where kind = any(${kinds as string[]}::text[])
    and last_seen_at < ${before}`
}

/** Findings of one kind, or all. */
export async function readFindings(
  db: Db,
  kind: string | null = null,
): Promise<(FindingRow & { first_seen_at: Micros; last_seen_at: Micros })[]> {
  return db`
    select kind, subject, detail, first_seen_at, last_seen_at
    from civiform_finding
    where kind = coalesce(${kind}, kind)
    order by kind, subject`
}

export async function countFindings(db: Db): Promise<{ kind: string; findings: number }[]> {
  return db`
    select kind, count(*) as findings
    from civiform_finding
    group by kind
    order by kind`
}

/** The state of following, for metrics: undefined if nothing is followed. */
export interface FollowFigures {
  /**
   * By this database's clock: seconds since the time up to which everything submitted is here, since the last response of CiviForm's database, and
   * since the last complete comparison.
   */
  lagSeconds: number | null
  reachedSeconds: number | null
  comparedSeconds: number | null
  copying: boolean
  late: number
  allowanceSeconds: number
  /** Seconds for which a transaction there has delayed copying; 0 if none does for long. */
  heldSeconds: number
  /** How far the newest submission was ahead of CiviForm's clock; 0 if none was by much. */
  aheadSeconds: number
  rollbacks: number
  findings: { kind: string; findings: number }[]
}

export async function readFollowFigures(db: Db): Promise<FollowFigures | undefined> {
  const [row] = await db<Omit<FollowFigures, 'findings'>[]>`
    select
      extract(epoch from clock_timestamp() - watermark)::float8 as "lagSeconds",
      extract(epoch from clock_timestamp() - reached_at)::float8 as "reachedSeconds",
      extract(epoch from clock_timestamp() - scan_ended_at)::float8 as "comparedSeconds",
      first_copied_at is null as copying,
      late_applications as late,
      slack_ms / 1000.0::float8 as "allowanceSeconds",
      coalesce(extract(epoch from clock_timestamp() - held_since), 0)::float8 as "heldSeconds",
      ahead_seconds as "aheadSeconds",
      rollbacks as "rollbacks"
    from civiform_source`
  return row === undefined ? undefined : { ...row, findings: await countFindings(db) }
}
