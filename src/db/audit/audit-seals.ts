// Seals of the audit log: the events that each covers, and the events in their hashed form.

import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow, findValue, readValue, type Transaction } from '../client.ts'

export interface AuditSeal {
  /** 1, 2, 3 … */
  segment: number
  first_event_id: number
  /** The segment contains the events after the last event of the previous segment, up to this one. */
  last_event_id: number
  events: number
  newest_at: Micros
  /** 32 bytes. */
  hash: Buffer
  /** The file that its events were moved into; null while they are in the database. */
  file: string | null
}

/** An arbitrary fixed number. Whoever seals or prunes the audit log holds this advisory lock. */
const lockId = 7_319_042_552

/** Held until the transaction ends. */
export async function lockAuditSeals(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${lockId}::bigint)`
}

/** The seals of these segments, inclusive, oldest first. */
export async function readAuditSeals(db: Db, from: number, to = Number.MAX_SAFE_INTEGER): Promise<AuditSeal[]> {
  return db<AuditSeal[]>`
    select segment, first_event_id, last_event_id, events, newest_at, hash, file
    from audit_seal
    where segment between ${from} and ${to}
    order by segment`
}

export function findLastSeal(db: Db): Promise<AuditSeal | undefined> {
  return findRow<AuditSeal>(db)`
    select segment, first_event_id, last_event_id, events, newest_at, hash, file
    from audit_seal
    order by segment desc
    limit 1`
}

/** The newest seal whose events were moved into a file. */
export function findLastPruned(db: Db): Promise<AuditSeal | undefined> {
  return findRow<AuditSeal>(db)`
    select segment, first_event_id, last_event_id, events, newest_at, hash, file
    from audit_seal
    where file is not null
    order by segment desc
    limit 1`
}

/** The worker's login may only insert these columns; the database adds the time, and rejects a seal out of order. */
export async function insertAuditSeal(tx: Transaction, seal: Omit<AuditSeal, 'file'>): Promise<void> {
  const { segment, first_event_id, last_event_id, events, newest_at, hash } = seal
  await tx`
    insert into audit_seal (segment, first_event_id, last_event_id, events, newest_at, hash)
    values (${segment}, ${first_event_id}, ${last_event_id}, ${events}, ${newest_at}, ${hash})`
}

/** Records that the segments up to this one are in a file, which removes their events. Requires the schema owner. */
export async function recordPruned(tx: Transaction, segment: number, file: string): Promise<void> {
  await tx`
    update audit_seal
    set file = ${file}
    where segment <= ${segment}
    and file is null`
}

/** The files that segments were moved into, oldest first, with their number of segments. */
export async function readPrunedFiles(db: Db): Promise<{ file: string; segments: number }[]> {
  return db<{ file: string; segments: number }[]>`
    select file, count(*) as segments
    from audit_seal
    where file is not null
    group by file
    order by min(segment)`
}

/**
 * The newest visible event, and a transaction ID after every transaction that may still add one with a smaller ID. It is a new ID, because a
 * snapshot's xmax only follows the last transaction that has ended, and younger ones may be running.
 */
export function findNewestEvent(db: Db): Promise<{ audit_event_id: number; before: string } | undefined> {
  return findRow<{ audit_event_id: number; before: string }>(db)`
    select audit_event_id, pg_current_xact_id()::text as before
    from audit_event
    order by audit_event_id desc
    limit 1`
}

/** Whether every transaction with a smaller ID has ended. */
export function haveEnded(db: Db, before: string): Promise<boolean> {
  return readValue<boolean>(db)`select pg_snapshot_xmin(pg_current_snapshot()) >= ${before}::xid8 as ended`
}

export interface AuditContent {
  audit_event_id: number
  happened_at: Micros
  /** The hashed form of an event: one line of JSON. */
  content: string
}

/** Events in order, after one and up to another, read in batches of this size. */
export async function* readAuditContents(
  db: Db,
  after: number,
  upTo = Number.MAX_SAFE_INTEGER,
  batchRows = 1000,
): AsyncGenerator<AuditContent> {
  for (let last = after; ; ) {
    const rows = await db<AuditContent[]>`
      select
        audit_event_id, happened_at,
        jsonb_build_array(
          audit_event_id, extract(epoch from happened_at), actor, action, subject, address, detail, database_user
        )::text as content
      from audit_event
      where audit_event_id > ${last}
      and audit_event_id <= ${upTo}
      order by audit_event_id
      limit ${batchRows}`
    yield* rows
    if (rows.length < batchRows) return
    last = rows.at(-1)!.audit_event_id
  }
}

/** An event that is still in the database although its segment was pruned; undefined if there is none. */
export function findPrunedEvent(db: Db): Promise<number | undefined> {
  return findValue<number>(db)`
    select audit_event_id
    from audit_event
    where audit_event_id <= (select max(last_event_id) from audit_seal where file is not null)
    order by audit_event_id
    limit 1`
}

/** Number of events in the database, and of those without a seal. */
export async function countSealedEvents(db: Db): Promise<{ events: number; unsealed: number }> {
  const [row] = await db<{ events: number; unsealed: number }[]>`
    select s.sealed + u.unsealed as events, u.unsealed
    from (select coalesce(sum(events), 0)::bigint as sealed from audit_seal where file is null) s
    cross join (
      select count(*) as unsealed
      from audit_event
      where audit_event_id > coalesce((select max(last_event_id) from audit_seal), 0)
    ) u`
  return row!
}
