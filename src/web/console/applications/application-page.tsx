// The page of one application: answers, status and note, history, and the applicant's other applications.

/** @jsxImportSource preact */

import type { ApplicationDetails, Revision } from '../../../db/applications/application-details.ts'
import { languageName } from '../../../domain/comparison/translated-texts.ts'
import type { ApplicationChange } from '../../../domain/readable/application-changes.ts'
import type { ReadableApplication } from '../../../domain/readable/readable-application.ts'
import { counted, DoneNotice, figures, LinkButton, Notice, When } from '../../html/components.tsx'
import { ActionForm, ErrorSummary, SelectField, Submit, TextArea } from '../../html/fields.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import { StatusBadge } from '../statuses/status-badge.tsx'
import { AnswersView } from './answers-view.tsx'
import { History, type HistoryProps, Revisions, type RevisionsProps } from './application-history.tsx'
import { RevisionBadge } from './list-columns.tsx'
import { applicationsPath, crumbsOf } from './list-query.ts'

interface ApplicationPageProps extends HistoryProps, RevisionsProps {
  /** The application it replaced. */
  earlier: Revision | undefined
  /** Neighbours in the list the reader came from, and the list's filters. */
  newer: number | undefined
  older: number | undefined
  search: string
  isByName: boolean
  /** Undefined if the person may not read answers. */
  answers: ReadableApplication | undefined
  /** Whether an administrator can give its applicant, an intermediary's client, a new code. */
  isClient: boolean
  changes: { changes: readonly ApplicationChange[]; more: boolean } | undefined
}

const doneTexts = { saved: 'Saved. Connected systems receive the change with their next export.' }

export function ApplicationPage(props: ApplicationPageProps) {
  const { program, application, answers, search } = props
  const list = applicationsPath(program.slug)
  const path = `${list}/${application.application_id}`
  return (
    <Shell
      title={`Application ${application.application_id}`}
      heading={
        <>
          {answers?.applicant ?? `Application ${application.application_id}`}{' '}
          <RevisionBadge isCurrent={application.is_current} />
        </>
      }
      part="applications"
      crumbs={[...crumbsOf(program), { text: String(application.application_id) }]}
      lead={<Lead {...props} />}
      actions={
        <>
          {answers !== undefined && <LinkButton href={`${path}/exported`} text="View as exported" />}
          <NeighbourLinks list={list} {...props} />
        </>
      }
    >
      <DoneNotice texts={doneTexts} />
      <ErrorSummary title="Your changes were not saved" />
      <Replaced {...props} />
      <div class="columns status-first">
        <StatusCard {...props} action={path + search} />
        {answers === undefined ? (
          <div class="card">
            <h2>Answers</h2>
            <p class="soft">Auditors can’t see answers.</p>
          </div>
        ) : (
          <AnswersView answers={answers} exportedPath={`${path}/exported`} />
        )}
        <div class="asides">
          <History {...props} />
          <Revisions {...props} />
          {props.isClient && <LinkButton href={`${path}/client-code`} text="Client’s code" />}
          <Erasing path={path} />
        </div>
      </div>
    </Shell>
  )
}

function NeighbourLinks({ list, newer, older, search, isByName }: ApplicationPageProps & { list: string }) {
  const [previous, next] = isByName ? ['Previous', 'Next'] : ['Newer', 'Older']
  return (
    <>
      {newer !== undefined && (
        <LinkButton rel="prev" href={`${list}/${newer}${search}`} icon="chevron-left" text={previous} />
      )}
      {older !== undefined && (
        <LinkButton rel="next" href={`${list}/${older}${search}`} icon="chevron-right" text={next} />
      )}
    </>
  )
}

function Erasing({ path }: { path: string }) {
  const { person, origin } = usePage()
  if (person?.role !== 'ADMINISTRATOR' || origin !== undefined) return null
  return (
    <section class="card">
      <h2>Erase</h2>
      <p class="soft">
        Permanently deletes data, for example after a privacy request. You can review what will be deleted before you
        confirm.
      </p>
      <div class="actions">
        <LinkButton href={`${path}/erase`} icon="trash-2" text="Erase application…" />
        <LinkButton href={`${path}/erase-applicant`} icon="trash-2" text="Erase applicant…" />
      </div>
    </section>
  )
}

interface Head {
  language: string
  submitter_type: string
  ti_email: string | null
  ti_organization: string | null
}

function Lead({ application }: ApplicationPageProps) {
  const head = JSON.parse(application.head) as Head
  return (
    <>
      Application {application.application_id} · submitted <When at={application.submit_time} /> by{' '}
      {submitterOf(head, application)} · in {languageName(head.language)}
    </>
  )
}

function submitterOf(head: Head, { applicant_id }: ApplicationDetails): string {
  if (head.submitter_type === 'APPLICANT') return `the applicant (${applicant_id})`
  if (head.submitter_type !== 'TRUSTED_INTERMEDIARY') return head.submitter_type
  return `${head.ti_organization}, ${head.ti_email} (trusted intermediary) for applicant ${applicant_id}`
}

/** Notices about the application it replaced or was replaced by. */
function Replaced({ program, application, earlier, revisions, changes }: ApplicationPageProps) {
  const path = applicationsPath(program.slug)
  const link = (id: number) => <a href={`${path}/${id}`}>{id}</a>
  const later = revisions.findLast(({ submit_seq }) => submit_seq > application.submit_seq)
  return (
    <>
      {!application.is_current && (
        <Notice name="superseded" tone="attention">
          <strong>This application is obsolete.</strong>{' '}
          {later === undefined ? (
            'The applicant submitted a newer one.'
          ) : (
            <>
              The applicant replaced it with {link(later.application_id)} on <When at={later.submit_time} day />.
            </>
          )}
        </Notice>
      )}
      {earlier !== undefined && (
        <Notice name="submitted-again" tone="info">
          <strong>Resubmitted.</strong> It replaces {link(earlier.application_id)} from{' '}
          <When at={earlier.submit_time} day />
          {changes === undefined ? (
            '.'
          ) : (
            <>
              : {changeCount(changes)}{' '}
              <a class="strong" href={`${path}/${application.application_id}/changes`}>
                Compare
              </a>
            </>
          )}
        </Notice>
      )}
    </>
  )
}

function changeCount({ changes, more }: NonNullable<ApplicationPageProps['changes']>): string {
  if (changes.length === 0) return 'no answers changed.'
  if (more) return `more than ${figures(changes.length)} answers changed.`
  return `${counted(changes.length, 'answer')} changed.`
}

function StatusCard({ program, application, action }: ApplicationPageProps & { action: string }) {
  const { form, person, origin } = usePage()
  const { status, status_last_modified_time, application_note } = application
  const typed = form.values.size > 0
  const present = (
    <>
      <p>
        <StatusBadge status={status} program={program} />
        {status_last_modified_time !== null && (
          <small>
            since <When at={status_last_modified_time} />
          </small>
        )}
      </p>
      {application_note !== null && <p class="kept">{application_note}</p>}
    </>
  )
  if (person?.role === 'AUDITOR' || origin !== undefined)
    return (
      <section class="card">
        <h2>Status</h2>
        {present}
        {origin !== undefined && (
          <p class="soft">The status and note are set in {origin}. Changes arrive here within seconds.</p>
        )}
      </section>
    )
  // A status the program no longer offers stays until another is chosen.
  const statuses =
    status === null || program.statuses.includes(status) ? program.statuses : [status, ...program.statuses]
  return (
    <section class="card">
      <h2>Status and note</h2>
      {typed && (
        <div class="now">
          <p class="soft">Current values:</p>
          {present}
        </div>
      )}
      <ActionForm action={action}>
        <input type="hidden" name="seen" value={String(application.annotation_id)} />
        <SelectField
          name="status"
          label="Status"
          value={status ?? ''}
          choices={[{ value: '', text: 'None' }, ...statuses.map(name => ({ value: name, text: name }))]}
        />
        <TextArea name="note" label="Note" optional value={application_note ?? ''} rows={5} />
        <Submit text="Save" />
        <p class="hint">Connected systems receive both with their next export.</p>
      </ActionForm>
    </section>
  )
}
