// The chains of hashes that the audit log is linked into: where each begins and ends, its links in order, what was pruned of it, and what
// the last check of all of them found.

import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow, type Transaction } from '../client.ts'

/** A place in a chain: the hash over everything up to this link. Link 0, with a hash of zeros, is where a chain began. */
export interface ChainPlace {
  chain: number
  link: number
  hash: Buffer
}

/** Links of one chain: those after one place, up to another. */
export interface ChainPart {
  after: ChainPlace
  end: ChainPlace
}

/** All that the database has of each chain: from where it was pruned last to where it ends. */
export async function readChains(db: Db): Promise<ChainPart[]> {
  const rows = await db<(ChainPlace & { after_link: number | null; after_hash: Buffer | null })[]>`
    select distinct on (c.chain) c.chain, p.link as after_link, p.hash as after_hash, c.links as link, c.hash
    from audit_chain c
    left join audit_pruned p on p.chain = c.chain
    order by c.chain, p.link desc`
  return rows.map(({ after_link, after_hash, ...end }) => ({
    after: { chain: end.chain, link: after_link ?? 0, hash: after_hash ?? Buffer.alloc(32) },
    end,
  }))
}

export interface AuditLink {
  link: number
  hash: Buffer
  audit_event_id: number
  /** Null when the event is gone, as is `content`. */
  happened_at: Micros | null
  /** What is hashed of the event, after the hash before it. */
  content: string | null
}

/** All links of a chain in order, so many read at a time. The content is spelled out here: what is stored in the database could be changed there. */
export async function* readAuditLinks(db: Db, chain: number, batchRows = 1000): AsyncGenerator<AuditLink> {
  let last = 0
  for (;;) {
    const rows = await db<AuditLink[]>`
      select
        l.link, l.hash, l.audit_event_id, e.happened_at,
        case when e.audit_event_id is not null then jsonb_build_array(
          e.audit_event_id, extract(epoch from e.happened_at), e.actor, e.action, e.subject, e.address, e.detail,
          e.database_user)::text end as content
      from audit_link l
      left join audit_event e on e.audit_event_id = l.audit_event_id
      where l.chain = ${chain}
      and l.link > ${last}
      order by l.link
      limit ${batchRows}`
    yield* rows
    if (rows.length < batchRows) return
    last = rows.at(-1)!.link
  }
}

/** The first event that is in no chain, or undefined. */
export async function findUnlinkedEvent(db: Db): Promise<number | undefined> {
  const [row] = await db<{ audit_event_id: number | null }[]>`
    select min(audit_event_id) as audit_event_id
    from audit_event e
    where not exists (select from audit_link l where l.audit_event_id = e.audit_event_id)`
  return row!.audit_event_id ?? undefined
}

export interface PrunedPlace extends ChainPlace {
  /** Name of the file that has the links after those of the row before, up to this one. */
  file: string
}

/** What was ever pruned, chain by chain in order. */
export async function readPrunedPlaces(db: Db): Promise<PrunedPlace[]> {
  return db<PrunedPlace[]>`
    select chain, link, hash, file
    from audit_pruned
    order by chain, link`
}

/** Takes the lock on pruning until the transaction ends. */
export async function lockPruning(tx: Transaction): Promise<void> {
  await tx`lock table audit_pruned in exclusive mode`
}

/**
 * Records that the links of a chain up to this place are in a file, and removes them with their events. What the last check noted may lie
 * before this place, so the next check goes without.
 */
export async function recordPruned(tx: Transaction, { chain, link, hash }: ChainPlace, file: string): Promise<void> {
  await tx`insert into audit_pruned (chain, link, hash, file) values (${chain}, ${link}, ${hash}, ${file})`
  await tx`update audit_check set note = null`
}

/** What the last check noted, when the next is due: once a day, after two in the morning where the installation is. */
export async function findDueAuditCheck(db: Db): Promise<{ note: string | null } | undefined> {
  return findRow<{ note: string | null }>(db)`
    select c.note
    from audit_check c
    cross join instance i
    where c.checked_at is null
    or c.checked_at < (date_trunc('day', (now() at time zone i.time_zone) - interval '2 hours') + interval '2 hours') at time zone i.time_zone`
}

/** Notes what a check found. What an earlier one found to be wrong stays. */
export async function noteAuditCheck(db: Db, errors: readonly string[], note: string): Promise<void> {
  await db`
    update audit_check
    set checked_at = clock_timestamp(), ${errors.length === 0 ? db`note = ${note}` : db`errors = ${errors}`}`
}

/** Takes back what the checks found to be wrong; whether they had found anything. */
export async function settleAuditErrors(db: Db, note: string): Promise<boolean> {
  const settled = await db`update audit_check set errors = '{}', note = ${note} where errors <> '{}'`
  return settled.count > 0
}
