// Recent activity from the audit log, for people who may read it.

/** @jsxImportSource preact */

import { emailOf } from '../../../core/people/roles.ts'
import { readAuditEvents } from '../../../db/audit/audit.ts'
import { readPersonNames } from '../../../db/people/person-rows.ts'
import { distance, figures, When } from '../../html/components.tsx'
import { usePage } from '../../html/page-context.ts'
import type { Deps } from '../../http/server/deps.ts'
import { namesIn } from '../audit/audit-actions.tsx'
import { Sentence, sentIn } from '../audit/audit-entries.tsx'
import { entriesOf } from '../audit/audit-grouping.ts'

/** Events read and entries shown. The pages of a walk are one entry, so more events are read than shown. */
const [readMax, shownMax] = [300, 6]

/** Frequent actions that change nothing. */
const unlisted: ReadonlySet<string> = new Set([
  'application_read',
  'application_history_read',
  'application_status_read',
  'applications_listed',
  'changes_read',
  'signed_in',
  'signed_out',
])

export async function loadRecent(deps: Pick<Deps, 'consoleDb'>) {
  const { consoleDb: db } = deps
  const read = await readAuditEvents(db, {}, { beforeId: undefined, rowsMax: readMax })
  const noted = read.filter(({ action }) => !unlisted.has(action))
  const entries = entriesOf(noted, readMax).entries.slice(0, shownMax)
  const events = entries.map(({ event }) => event)
  const emails = events.map(({ actor }) => emailOf(actor))
  const [people, names] = await Promise.all([readPersonNames(db, emails), namesIn(deps, events)])
  return { entries, people, names }
}

export function RecentActivity({ entries, ...known }: Awaited<ReturnType<typeof loadRecent>>) {
  const { now } = usePage()
  return (
    <section class="card" aria-labelledby="lately">
      <h2 id="lately">Recent activity</h2>
      <ol class="event-list lately">
        {entries.map(entry => {
          const { event, together } = entry
          return (
            <li>
              <a class="at" href={`/admin/audit/events/${event.audit_event_id}`}>
                <When at={event.happened_at} text={distance(Math.min(event.happened_at, now), now)} />
              </a>
              <div>
                <Sentence {...entry} {...known} brief />
                {event.action === 'applications_exported' && `: ${figures(sentIn(together))} sent`}
              </div>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
