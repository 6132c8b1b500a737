// The page of one application: what was answered, status and note, history, and the applicant's other submissions.

/** @jsxImportSource preact */

import type { ApplicationDetails, Revision } from '../../../db/applications/application-details.ts'
import type { Program } from '../../../db/programs/programs.ts'
import type { ApplicationChange } from '../../../domain/readable/application-changes.ts'
import type { ReadableApplication } from '../../../domain/readable/readable-application.ts'
import { DoneNotice, figures, LinkButton, Notice, When } from '../../html/components.tsx'
import { ActionForm, ErrorSummary, SelectField, Submit, TextArea } from '../../html/fields.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import { AnswersView } from './answers-view.tsx'
import { History, type HistoryProps, Revisions, type RevisionsProps } from './application-history.tsx'
import { RevisionBadge } from './list-pages.tsx'
import { applicationsPath } from './list-query.ts'

interface ApplicationPageProps extends HistoryProps, RevisionsProps {
  /** The one it replaced. */
  earlier: Revision | undefined
  /** Neighbours in the list that one came from, and how it was filtered. */
  newer: number | undefined
  older: number | undefined
  search: string
  /** Undefined for those who may not read answers. */
  answers: ReadableApplication | undefined
  changes: { changes: readonly ApplicationChange[]; more: boolean } | undefined
}

const doneTexts = { saved: 'Saved. Clients see it with their next read of this application.' }

/** The way to an application, for the pages below it. */
export const crumbsOf = (program: Program, applicationId?: number) => [
  { text: 'Applications', path: '/admin/applications' },
  { text: program.display_name, path: applicationsPath(program.slug) },
  ...(applicationId === undefined
    ? []
    : [{ text: String(applicationId), path: `${applicationsPath(program.slug)}/${applicationId}` }]),
]

export function ApplicationPage(props: ApplicationPageProps) {
  const { program, application, answers, newer, older, search } = props
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
          {answers !== undefined && <LinkButton href={`${path}/exported`} text="As exported" />}
          {newer !== undefined && (
            <LinkButton rel="prev" href={`${list}/${newer}${search}`} icon="chevron-left" text="Newer" />
          )}
          {older !== undefined && (
            <LinkButton rel="next" href={`${list}/${older}${search}`} icon="chevron-right" text="Older" />
          )}
        </>
      }
    >
      <DoneNotice texts={doneTexts} />
      <ErrorSummary title="Nothing was saved yet" />
      <Replaced {...props} />
      <div class="columns status-first">
        <StatusCard {...props} action={path + search} />
        {answers === undefined ? (
          <div class="card">
            <h2>Answers</h2>
            <p class="soft">Auditors see everything about an application but what was answered.</p>
          </div>
        ) : (
          <AnswersView answers={answers} exportedPath={`${path}/exported`} />
        )}
        <div class="asides">
          <History {...props} />
          <Revisions {...props} />
          <Erasing path={path} />
        </div>
      </div>
    </Shell>
  )
}

function Erasing({ path }: { path: string }) {
  const { person, origin } = usePage()
  if (person?.role !== 'ADMINISTRATOR' || origin !== undefined) return null
  return (
    <section class="card">
      <h2>Erase</h2>
      <p class="soft">For good, when a person asks to be forgotten. The next page says what goes.</p>
      <div class="actions">
        <LinkButton href={`${path}/erase`} icon="trash-2" text="This application…" />
        <LinkButton href={`${path}/erase-applicant`} icon="trash-2" text="The applicant…" />
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

const languageNames = new Intl.DisplayNames('en', { type: 'language' })

/** `Spanish` for `es`; the tag itself where it has no name. */
function languageName(tag: string): string {
  try {
    return languageNames.of(tag) ?? tag
  } catch {
    return tag
  }
}

/** What it replaced and what replaced it. */
function Replaced({ program, application, earlier, revisions, changes }: ApplicationPageProps) {
  const path = applicationsPath(program.slug)
  const link = (id: number) => <a href={`${path}/${id}`}>{id}</a>
  const later = revisions.findLast(({ submit_seq }) => submit_seq > application.submit_seq)
  return (
    <>
      {!application.is_current && (
        <Notice name="superseded" tone="attention">
          <strong>This is not the applicant’s newest application.</strong>{' '}
          {later === undefined ? (
            'A newer one replaced it.'
          ) : (
            <>
              {link(later.application_id)} of <When at={later.submit_time} day /> replaced it.
            </>
          )}
        </Notice>
      )}
      {earlier !== undefined && (
        <Notice name="submitted-again" tone="info">
          <strong>Submitted again.</strong> It replaced {link(earlier.application_id)} of{' '}
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
  if (changes.length === 0) return 'no answer changed.'
  if (more) return `more than ${figures(changes.length)} answers changed.`
  return changes.length === 1 ? 'one answer changed.' : `${figures(changes.length)} answers changed.`
}

function StatusCard({ program, application, action }: ApplicationPageProps & { action: string }) {
  const { form, person, origin } = usePage()
  const { status, status_last_modified_time, application_note } = application
  const typed = form.values.size > 0
  const present = (
    <>
      <p>
        {status ?? 'No status yet'}
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
          <p class="soft">Followed from {origin}: status and note are set there, and are here within seconds.</p>
        )}
      </section>
    )
  // One that the program no longer offers stays until another is chosen.
  const statuses =
    status === null || program.statuses.includes(status) ? program.statuses : [status, ...program.statuses]
  return (
    <section class="card">
      <h2>Status and note</h2>
      {typed && (
        <div class="now">
          <p class="soft">What holds now:</p>
          {present}
        </div>
      )}
      <ActionForm action={action}>
        <input type="hidden" name="seen" value={String(application.annotation_id)} />
        <SelectField
          name="status"
          label="Status"
          value={status ?? ''}
          choices={[{ value: '', text: 'None' }, ...statuses.map(one => ({ value: one, text: one }))]}
        />
        <TextArea name="note" label="Note" optional value={application_note ?? ''} rows={5} />
        <Submit text="Save" />
        <p class="hint">Clients see both on their next read.</p>
      </ActionForm>
    </section>
  )
}
