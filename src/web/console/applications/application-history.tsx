// The history of an application: statuses, notes, exports, and the applicant's other applications.

/** @jsxImportSource preact */

import type { AnnotationState } from '../../../db/applications/annotations.ts'
import type { ApplicationDetails, Revision } from '../../../db/applications/application-details.ts'
import { counted, When, Who } from '../../html/components.tsx'
import { readingRoles } from '../../html/navigation.ts'
import { usePage } from '../../html/page-context.ts'
import { type ProgramInColor, StatusBadge } from '../statuses/status-badge.tsx'
import { RevisionBadge, type SentTo } from './list-columns.tsx'
import { applicationsPath } from './list-query.ts'

export interface HistoryProps {
  program: ProgramInColor
  application: ApplicationDetails
  states: readonly AnnotationState[]
  moreStates: boolean
  sent: SentTo
}

export function History({ program, application, states, moreStates, sent }: HistoryProps) {
  return (
    <section class="card">
      <h2>History</h2>
      <Sent application={application} sent={sent} />
      <ol class="history">
        {states.map((state, i) => {
          const earlier = states[i + 1]
          return (
            <li>
              {setsNoteOnly(state, earlier, moreStates) ? (
                <strong>Note</strong>
              ) : (
                <StatusBadge status={state.status} program={program} />
              )}
              <small>
                <When at={state.changed_at} /> ·{' '}
                <span dir="auto">
                  <Who actor={state.changed_by} />
                </span>
              </small>
              {state.application_note !== (earlier?.application_note ?? null) && (
                <p class="kept">{state.application_note ?? 'Note removed.'}</p>
              )}
            </li>
          )
        })}
        {moreStates && <li class="soft">Earlier changes aren’t shown.</li>}
        <li>
          <strong>Submitted</strong>
          <small>
            <When at={application.submit_time} />
          </small>
        </li>
        <li>
          <strong>Started</strong>
          <small>
            <When at={application.create_time} />
          </small>
        </li>
      </ol>
    </section>
  )
}

function Sent({ application, sent: { clientsOf, isPruned } }: Pick<HistoryProps, 'application' | 'sent'>) {
  const { person } = usePage()
  const clients = clientsOf.get(application.application_id) ?? []
  const count = counted(clients.length, 'system') + (clients[0]?.is_bounded ? ' or more' : '')
  const none = isPruned ? 'Not exported, according to the audit log' : 'Not exported yet'
  return (
    <div>
      <strong>{clients.length === 0 ? none : `Exported by ${count}`}</strong>
      {clients.slice(0, clientsShown).map(({ name, sent_at, is_certain }) => (
        <small>
          <span dir="auto">{name}</span>, {is_certain ? 'last' : 'possibly'} <When at={sent_at} />
        </small>
      ))}
      {clients.length > 0 && person !== undefined && readingRoles.includes(person.role) && (
        <a href={`/admin/audit/sent?application=${application.application_id}`}>View all exports</a>
      )}
    </div>
  )
}

const clientsShown = 5

/** The state before the oldest one shown is unknown. */
const setsNoteOnly = (state: AnnotationState, earlier: AnnotationState | undefined, moreStates: boolean): boolean =>
  (earlier !== undefined || !moreStates) &&
  state.status === (earlier?.status ?? null) &&
  state.application_note !== (earlier?.application_note ?? null)

export interface RevisionsProps {
  program: ProgramInColor
  application: ApplicationDetails
  revisions: readonly Revision[]
  moreRevisions: boolean
}

export function Revisions({ program, application, revisions, moreRevisions }: RevisionsProps) {
  const path = applicationsPath(program.slug)
  return (
    <section class="card">
      <h2>This applicant’s applications</h2>
      <ol class="history">
        {revisions.map(({ application_id, submit_time, is_current }) => (
          <li>
            {application_id === application.application_id ? (
              <strong class="figure">{application_id} (this one)</strong>
            ) : (
              <a class="figure" href={`${path}/${application_id}`}>
                {application_id}
              </a>
            )}{' '}
            <RevisionBadge isCurrent={is_current} />
            <small>
              <When at={submit_time} />
            </small>
          </li>
        ))}
      </ol>
      {moreRevisions && <a href={`${path}?applicant=${application.applicant_id}`}>View all</a>}
    </section>
  )
}
