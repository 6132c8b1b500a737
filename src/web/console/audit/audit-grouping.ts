// Groups events of the audit log into the entries that pages show. Pure.

import type { AuditEventRow } from '../../../db/audit/audit.ts'

/** An event, or several shown together, newest first: pages of a walk, applications set to one status or viewed by one person, views of a list, saves of a draft. */
export interface AuditEntry {
  event: AuditEventRow
  together: readonly AuditEventRow[]
}

/** Status changes, views and draft saves within an hour share an entry. */
const nearMicros = 3_600_000_000

/** What events of an action and an actor have in common that are shown together; undefined for an event that stands alone. */
const sharedBy: Readonly<Record<string, (event: AuditEventRow) => readonly unknown[] | undefined>> = {
  applications_exported: ({ subject, detail }) => (detail.walk === undefined ? undefined : [subject, detail.walk]),
  application_annotated: ({ detail }) =>
    detail.status_changed === true ? [detail.program_id, detail.status] : undefined,
  program_draft_saved: ({ subject }) => [subject],
  applications_listed: ({ subject }) => [subject],
  application_read: () => [],
}

/** A key that is the same for events shown together; undefined for events that stand alone. */
function togetherBy(event: AuditEventRow): string | undefined {
  const { actor, action } = event
  const shared = sharedBy[action]?.(event)
  return shared && JSON.stringify([actor, action, ...shared])
}

/** Whether an event is close enough to the first one to share its entry. Pages of a walk always are. */
const isNear = ({ action, happened_at }: AuditEventRow, first: AuditEventRow): boolean =>
  action === 'applications_exported' || first.happened_at - happened_at < nearMicros

/** The number of different applications that these events are about. */
export const applicationsIn = (events: readonly AuditEventRow[]): number =>
  new Set(events.map(({ subject, detail }) => `${detail.program_id} ${subject}`)).size

/** Groups events into at most `most` entries. `last` is the ID of the last event in them. */
export function entriesOf(events: readonly AuditEventRow[], most: number): { entries: AuditEntry[]; last: number } {
  const entries: { event: AuditEventRow; together: AuditEventRow[] }[] = []
  const begun = new Map<string, AuditEventRow[]>()
  let last = 0
  for (const event of events) {
    const by = togetherBy(event)
    const known = by === undefined ? undefined : begun.get(by)
    if (known === undefined || !isNear(event, known[0]!)) {
      if (entries.length === most) break
      const together = [event]
      if (by !== undefined) begun.set(by, together)
      entries.push({ event, together })
    } else known.push(event)
    last = event.audit_event_id
  }
  return { entries, last }
}
