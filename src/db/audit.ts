// The audit trail: who did what to what, from where. Rows are only ever added; the database refuses the rest, says when and by which
// role, and links each event into a chain of hashes (see the migration).
// It must not hold a secret, a credential or an answer; callers put names, ids and counts into `detail`.

import type { JSONValue } from 'postgres'
import type { Micros } from '../domain/values/offset-time.ts'
import type { Db } from './client.ts'

export interface AuditEvent {
  /** `key:<api_key_id>`, `operator:<system user>` or `admin:<name>`. */
  actor: string
  /** Snake case, what it was done to first: `api_key_created`. */
  action: string
  /** What it was done to: an API key id, a program slug, an application id. */
  subject: string
  /** Address of the client, when there is one. */
  address?: string | undefined
  detail?: { readonly [key: string]: JSONValue | undefined }
}

/** Appends one event. Within the transaction of what it tells of, so that neither is there without the other. */
export async function appendAuditEvent(db: Db, event: AuditEvent): Promise<void> {
  await db`
    insert into audit_event (actor, action, subject, address, detail)
    values (${event.actor}, ${event.action}, ${event.subject}, ${event.address ?? null}, ${db.json(event.detail ?? {})})`
}

export interface AuditEventRow {
  audit_event_id: number
  happened_at: Micros
  actor: string
  action: string
  subject: string
  address: string | null
  detail: { [key: string]: JSONValue }
}

/** What events are wanted: those of which everything given is true. */
export interface AuditFilter {
  actor?: string | undefined
  action?: string | undefined
  subject?: string | undefined
  /** On or after, and before. */
  from?: Micros | undefined
  to?: Micros | undefined
}

/** Events, newest first, at most `rowsMax` of those before `beforeId`. */
export async function readAuditEvents(
  db: Db,
  { actor, action, subject, from, to }: AuditFilter,
  { beforeId, rowsMax }: { beforeId: number | undefined; rowsMax: number },
): Promise<AuditEventRow[]> {
  return db<AuditEventRow[]>`
    select audit_event_id, happened_at, actor, action, subject, host(address) as address, detail
    from audit_event
    where true
    ${actor === undefined ? db`` : db`and actor = ${actor}`}
    ${action === undefined ? db`` : db`and action = ${action}`}
    ${subject === undefined ? db`` : db`and subject = ${subject}`}
    ${from === undefined ? db`` : db`and happened_at >= ${from}`}
    ${to === undefined ? db`` : db`and happened_at < ${to}`}
    ${beforeId === undefined ? db`` : db`and audit_event_id < ${beforeId}`}
    order by audit_event_id desc
    limit ${rowsMax}`
}

/** Where a chain ends. */
export interface AuditChainRow {
  chain: number
  links: number
  hash: Buffer
}

export async function readAuditChains(db: Db): Promise<AuditChainRow[]> {
  return db<AuditChainRow[]>`
    select chain, links, hash
    from audit_chain
    order by chain`
}

export interface AuditLinkRow {
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

/** The first event that stands in no chain, or undefined. */
export async function findUnlinkedEvent(db: Db): Promise<number | undefined> {
  const [row] = await db<{ audit_event_id: number }[]>`
    select min(audit_event_id) as audit_event_id
    from audit_event e
    where not exists (select from audit_link l where l.audit_event_id = e.audit_event_id)`
  return row!.audit_event_id ?? undefined
}
