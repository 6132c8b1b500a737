// The chains of hashes that the audit trail is linked into: where each begins and ends, its links in order, and their way into files.

import type { Micros } from '../domain/values/offset-time.ts'
import type { Db, Transaction } from './client.ts'

/** A place in a chain: the hash over everything up to this link. Link 0, with a hash of zeros, is where a chain began. */
export interface ChainPlace {
  chain: number
  link: number
  hash: Buffer
}

/** Where each chain ends. */
export async function readChainEnds(db: Db): Promise<ChainPlace[]> {
  return db<ChainPlace[]>`
    select chain, links as link, hash
    from audit_chain
    order by chain`
}

/** After which link each chain begins in this database: what came before was pruned. */
export async function readChainAnchors(db: Db): Promise<ChainPlace[]> {
  return db<ChainPlace[]>`
    select chain, link, hash
    from audit_anchor
    order by chain`
}

export interface AuditSegmentRow extends ChainPlace {
  /** Name of the file that has the links after those of the row before, up to this one. */
  file: string
}

/** What was ever written into files for pruning, chain by chain in order. */
export async function readAuditSegments(db: Db): Promise<AuditSegmentRow[]> {
  return db<AuditSegmentRow[]>`
    select chain, link, hash, file
    from audit_segment
    order by chain, link`
}

interface AuditLinkRow {
  link: number
  audit_event_id: number
  hash: Buffer
  /** What is hashed of the event, after the hash before it; null when the event is gone. */
  content: string | null
}

/** Links of a chain after the given one, in order. The content is spelled out here: what stands in the database could be changed there. */
export async function readAuditLinks(db: Db, chain: number, after: number, rowsMax: number): Promise<AuditLinkRow[]> {
  return db<AuditLinkRow[]>`
    select
      l.link, l.audit_event_id, l.hash,
      case when e.audit_event_id is not null then jsonb_build_array(
        e.audit_event_id, extract(epoch from e.happened_at), e.actor, e.action, e.subject, e.address, e.detail,
        e.database_user)::text end as content
    from audit_link l
    left join audit_event e on e.audit_event_id = l.audit_event_id
    where l.chain = ${chain}
    and l.link > ${after}
    order by l.link
    limit ${rowsMax}`
}

/** The first link that stands where the anchor of its chain has passed, or undefined: nothing may. */
export async function findPassedLink(db: Db, { chain, link }: ChainPlace): Promise<number | undefined> {
  const [row] = await db<{ link: number | null }[]>`
    select min(link) as link
    from audit_link
    where chain = ${chain}
    and link <= ${link}`
  return row!.link ?? undefined
}

/** The first event that stands in no chain, or undefined. */
export async function findUnlinkedEvent(db: Db): Promise<number | undefined> {
  const [row] = await db<{ audit_event_id: number }[]>`
    select min(audit_event_id) as audit_event_id
    from audit_event e
    where not exists (select from audit_link l where l.audit_event_id = e.audit_event_id)`
  return row!.audit_event_id ?? undefined
}

/** The place of one link, or undefined when it is not in this database. */
export async function findChainPlace(db: Db, chain: number, link: number): Promise<ChainPlace | undefined> {
  const [row] = await db<ChainPlace[]>`
    select chain, link, hash
    from audit_link
    where chain = ${chain}
    and link = ${link}`
  return row
}

/**
 * The last link of the longest part of a chain, from its anchor on, in which every event happened before an instant; the anchor's
 * own when there is none. A transaction that was open for long is linked late, so the times of a chain are only nearly in order.
 */
export async function findPrefixEnd(db: Db, { chain, link }: ChainPlace, before: Micros): Promise<number> {
  const [row] = await db<{ link: number }[]>`
    select coalesce(
      (
        select l.link - 1
        from audit_link l
        join audit_event e on e.audit_event_id = l.audit_event_id
        where l.chain = ${chain}
        and l.link > ${link}
        and e.happened_at >= ${before}
        order by l.link
        limit 1
      ),
      (select max(l.link) from audit_link l where l.chain = ${chain} and l.link > ${link}),
      ${link}::bigint) as link`
  return row!.link
}

/** Any fixed number will do: pruning the trail of this database holds this advisory lock. */
const pruneLockId = 7_231_904_416

/** Whether this transaction is the one that may prune, until it ends. */
export async function tryLockPruning(tx: Transaction): Promise<boolean> {
  const [row] = await tx<{ locked: boolean }[]>`select pg_try_advisory_xact_lock(${pruneLockId}::bigint) as locked`
  return row!.locked
}

/** Locks the anchors until the transaction ends, and returns them. */
export async function lockChainAnchors(tx: Transaction): Promise<ChainPlace[]> {
  return tx<ChainPlace[]>`
    select chain, link, hash
    from audit_anchor
    order by chain
    for update`
}

/** Records that the links of these chains up to these places are in a file. The database refuses what is not so. */
export async function insertAuditSegments(tx: Transaction, ends: readonly ChainPlace[], file: string): Promise<void> {
  for (const { chain, link, hash } of ends) {
    await tx`
      insert into audit_segment (chain, link, hash, file)
      values (${chain}, ${link}, ${hash}, ${file})`
  }
}

/** Moves the anchor of a chain forward and removes the links and events it has passed; the number of them. */
export async function removePassed(tx: Transaction, from: number, to: ChainPlace): Promise<number> {
  const moved = await tx`
    update audit_anchor
    set link = ${to.link}, hash = ${to.hash}
    where chain = ${to.chain}
    and link = ${from}`
  if (moved.count !== 1) throw new Error(`the anchor of chain ${to.chain} is not at link ${from}`)
  await tx`
    delete from audit_event
    where audit_event_id in (
      select audit_event_id from audit_link where chain = ${to.chain} and link > ${from} and link <= ${to.link}
    )`
  const removed = await tx`
    delete from audit_link
    where chain = ${to.chain}
    and link > ${from}
    and link <= ${to.link}`
  return removed.count
}
