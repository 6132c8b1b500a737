// The audit trail: who did what to what, from where. Rows are only ever added; the database refuses the rest.
// It must not hold a secret, a credential or an answer; callers put names, ids and counts into `detail`.

import type { JSONValue } from 'postgres'
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
