// What happened lately, in the sentences of the audit log, to those who may read it.

/** @jsxImportSource preact */

import { readAuditEvents } from '../../db/audit/audit.ts'
import { readPeople } from '../../db/people/person-rows.ts'
import { usePage } from '../../html/page-context.ts'
import { distance, figures, When } from '../../html/parts.tsx'
import type { Deps } from '../../http/server/deps.ts'
import { keyNames } from '../audit/audit-actions.tsx'
import { entriesOf } from '../audit/audit-labels.ts'
import { Sentence, sentIn } from '../audit/audit-pages.tsx'

/** Events that are looked at, so that a walk of many pages is one entry; and entries that are shown. */
const [lookedAtMax, shownMax] = [300, 6]

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
  const events = await readAuditEvents(deps.consoleDb, {}, { beforeId: undefined, rowsMax: lookedAtMax })
  const noted = events.filter(({ action }) => !quiet.has(action))
  const { entries } = entriesOf(noted, shownMax)
  const [people, names] = await Promise.all([
    readPeople(deps.consoleDb),
    keyNames(
      deps,
      entries.map(({ event }) => event),
    ),
  ])
  return { entries, people, keyNames: names }
}

export function Lately({ entries, ...known }: Awaited<ReturnType<typeof loadLately>>) {
  const { root, now } = usePage()
  return (
    <section class="card" aria-labelledby="lately">
      <h2 id="lately">Lately</h2>
      <ol class="event-list lately">
        {entries.map(entry => {
          const { event, together } = entry
          return (
            <li>
              <a class="at" href={`${root}/admin/audit/events/${event.audit_event_id}`}>
                <When at={event.happened_at} text={distance(Math.min(event.happened_at, now), now)} />
              </a>
              <div>
                <Sentence {...entry} {...known} />
                {event.action === 'applications_exported' && `: ${figures(sentIn(together))} sent`}
              </div>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
