// What happened lately, in the sentences of the audit log, to those who may read it.

/** @jsxImportSource preact */

import { emailOf } from '../../../core/people/roles.ts'
import { readAuditEvents } from '../../../db/audit/audit.ts'
import { readPersonNames } from '../../../db/people/person-rows.ts'
import { distance, figures, When } from '../../html/components.tsx'
import { usePage } from '../../html/page-context.ts'
import type { Deps } from '../../http/server/deps.ts'
import { namesIn } from '../audit/audit-actions.tsx'
import { Sentence, sentIn } from '../audit/audit-entries.tsx'
import { entriesOf } from '../audit/audit-labels.ts'

/** Events that are read, and entries that are shown: a walk of many pages is one, with its pages before other entries counted. */
const [readMax, shownMax] = [300, 6]

/** What is done all day, and changes nothing. */
const quiet: ReadonlySet<string> = new Set([
  'application_read',
  'application_history_read',
  'application_status_read',
  'applications_listed',
  'changes_read',
  'signed_in',
  'signed_out',
])

export async function loadLately(deps: Pick<Deps, 'consoleDb'>) {
  const { consoleDb: db } = deps
  const read = await readAuditEvents(db, {}, { beforeId: undefined, rowsMax: readMax })
  const noted = read.filter(({ action }) => !quiet.has(action))
  const entries = entriesOf(noted, readMax).entries.slice(0, shownMax)
  const events = entries.map(({ event }) => event)
  const emails = events.map(({ actor }) => emailOf(actor))
  const [people, names] = await Promise.all([readPersonNames(db, emails), namesIn(deps, events)])
  return { entries, people, names }
}

export function Lately({ entries, ...known }: Awaited<ReturnType<typeof loadLately>>) {
  const { now } = usePage()
  return (
    <section class="card" aria-labelledby="lately">
      <h2 id="lately">Lately</h2>
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
