// The audit log: who did what, to what, from where. Entries are only added, and the oldest moved to files; the database enforces this and
// records time and role. Workers seal the entries (see `audit-seals` and the migration).
// It must not contain secrets or applicants' answers; put only names, IDs and counts into `detail`.

import type { JSONValue } from 'postgres'
import type { Static } from 'typebox'
import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, readValue } from '../client.ts'
import { integer, open, row, text, textOrNull, time } from '../row-schemas.ts'

export interface AuditEvent {
  /** `key:<api_key_id>`, `operator:<system user>`, `admin:<email>` or `admin-token:<token id>:<email>`. */
  actor: string
  /** Snake case, starting with its object: `api_key_created`. */
  action: string
  /** The object of the action: an API key ID, a program slug, an application ID. */
  subject: string
  /** Address of the client, if known. */
  address?: string | undefined
  detail?: { readonly [key: string]: JSONValue | undefined }
}

/** Appends one event, in the transaction of the action it records, so that neither exists without the other. */
export async function appendAuditEvent(db: Db, event: AuditEvent): Promise<void> {
  await db`
    insert into audit_event (actor, action, subject, address, detail)
    values (${event.actor}, ${event.action}, ${event.subject}, ${event.address ?? null}, ${db.json(event.detail ?? {})})`
}

/** Appends events in this order, all or none. */
export async function appendAuditEvents(db: Db, events: readonly AuditEvent[]): Promise<void> {
  const [event] = events
  if (event !== undefined && events.length === 1) return appendAuditEvent(db, event)
  await db`
    insert into audit_event (actor, action, subject, address, detail)
    select e.actor, e.action, e.subject, e.address, coalesce(e.detail, '{}')
    from jsonb_to_recordset(${db.json(events as unknown as JSONValue)})
      as e (actor text, action text, subject text, address inet, detail jsonb)`
}

export const auditEventRow = row({
  audit_event_id: integer,
  happened_at: time,
  actor: text,
  action: text,
  subject: text,
  address: textOrNull,
  detail: open('Details of the action.'),
})
export interface AuditEventRow extends Static<typeof auditEventRow> {
  detail: { [key: string]: JSONValue }
}

/** Selects the events that match everything given. */
export interface AuditFilter {
  actor?: string | undefined
  action?: string | undefined
  subject?: string | undefined
  /** On or after `from`, and before `to`. */
  from?: Micros | undefined
  to?: Micros | undefined
}

/** Events before the event `beforeId`, newest first, at most `rowsMax`. */
export async function readAuditEvents(
  db: Db,
  filter: AuditFilter,
  { beforeId, rowsMax }: { beforeId: number | undefined; rowsMax: number },
): Promise<AuditEventRow[]> {
  return db<AuditEventRow[]>`
    select audit_event_id, happened_at, actor, action, subject, host(address) as address, detail
    from audit_event
    where ${meets(db, filter)}
    ${
      beforeId === undefined
        ? db``
        : db`and (happened_at, audit_event_id) <
            ((select happened_at from audit_event where audit_event_id = ${beforeId}), ${beforeId})`
    }
    order by happened_at desc, audit_event_id desc
    limit ${rowsMax}`
}

/** The number of events, counted up to `max`. */
export async function countAuditEvents(db: Db, filter: AuditFilter, max: number): Promise<number> {
  return readValue<number>(db)`
    select count(*) as events
    from (select from audit_event where ${meets(db, filter)} limit ${max}) found`
}

/** The actors that match part of a name or email address. */
function actorsNamed(db: Db, text: string) {
  const part = text.toLowerCase()
  return db`
    select 'admin:' || email from person where strpos(lower(email || ' ' || name), ${part}) > 0
    union all
    select 'admin-token:' || admin_token_id || ':' || email
    from admin_token join person using (person_id)
    where strpos(lower(email || ' ' || person.name), ${part}) > 0
    union all
    select 'key:' || api_key_id from api_key where strpos(lower(name), ${part}) > 0
    union all
    select 'operator:' || ${text}::text
    union all
    select ${text}::text`
}

function meets(db: Db, { actor, action, subject, from, to }: AuditFilter) {
  return db`true
    ${actor === undefined ? db`` : actor.includes(':') ? db`and actor = ${actor}` : db`and actor in (${actorsNamed(db, actor)})`}
    ${action === undefined ? db`` : db`and action = ${action}`}
    ${subject === undefined ? db`` : db`and subject = ${subject}`}
    ${from === undefined ? db`` : db`and happened_at >= ${from}`}
    ${to === undefined ? db`` : db`and happened_at < ${to}`}`
}

export async function findAuditEvent(
  db: Db,
  auditEventId: number,
): Promise<(AuditEventRow & { database_user: string }) | undefined> {
  const [row] = await db<(AuditEventRow & { database_user: string })[]>`
    select audit_event_id, happened_at, actor, action, subject, host(address) as address, detail, database_user
    from audit_event
    where audit_event_id = ${auditEventId}`
  return row
}

/** Every action ever recorded, in alphabetical order. Finds each with one step in the index, however many events it has. */
export async function readAuditActions(db: Db): Promise<string[]> {
  const rows = await db<{ action: string }[]>`
    with recursive step (action) as (
      (select action from audit_event order by action limit 1)
      union all
      select (select e.action from audit_event e where e.action > step.action order by e.action limit 1)
      from step
      where step.action is not null
    )
    select action
    from step
    where action is not null`
  return rows.map(({ action }) => action)
}
