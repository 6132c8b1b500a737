// Which clients an application was sent to.

/** @jsxImportSource preact */

import type { Disclosure, Disclosures } from '../../../core/audit/disclosure.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import { Badge, type Column, figures, LinkButton, Notice, Table, When } from '../../html/components.tsx'
import { ErrorSummary, Submit, TextField } from '../../html/fields.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import { Actor } from './audit-entries.tsx'
import { crumb, path, queryOf } from './audit-query.ts'

interface SentProps {
  /** Undefined before a search. */
  applicationId: number | undefined
  /** Of this application, in each program that has one of this id. */
  found: readonly Disclosures[]
  /** Files that have the oldest of the audit log. They were not searched. */
  files: readonly string[]
  names: ReadonlyMap<string, string>
}

export function DisclosuresPage({ applicationId, found, files, names }: SentProps) {
  const { form } = usePage()
  return (
    <Shell
      title="Who was sent an application?"
      part="audit"
      crumbs={[crumb, { text: 'Sent to' }]}
      lead="The audit log records every export page with the submissions it covered. This report lists every client that was sent an application."
    >
      <ErrorSummary />
      <form method="get" action={`${path}/sent`} class="card filters fields">
        <TextField name="application" label="Application number" inputmode="numeric" />
        <div class="actions">
          <Submit text="Find out" />
        </div>
      </form>
      {applicationId !== undefined && found.length === 0 && form.errors.length === 0 && (
        <Notice name="never-there" tone="attention">
          There is no application {applicationId}, and none of this id was ever erased. So it was never sent.
        </Notice>
      )}
      {files.length > 0 && (
        <Notice name="moved-to-files" tone="attention">
          The oldest of the audit log was moved into files, and pages from then are not below: search them for{' '}
          <code>applications_exported</code>, in {files.slice(-10).join(', ')}
          {files.length > 10 && ' and earlier ones'}.
        </Notice>
      )}
      {found.map(one => (
        <PlaceSection applicationId={applicationId!} {...one} names={names} />
      ))}
      {found.length > 0 && (
        <p class="soft">
          A page that is on its way just now gets its line when it ends. What people read in this console is in the
          audit log under the application’s own id:{' '}
          <a href={`${path}?subject=${applicationId}`}>everything on {applicationId}</a>.
        </p>
      )}
    </Shell>
  )
}

const when = (at: Micros) => <When at={at} />

function PlaceSection(
  props: Omit<SentProps, 'found' | 'files' | 'applicationId'> & SentProps['found'][number] & { applicationId: number },
) {
  const { applicationId, place, pages, nextBefore, names } = props
  const { form } = usePage()
  return (
    <section class="stack" aria-label={place.display_name}>
      <h2>
        Application {applicationId} of <bdi>{place.display_name}</bdi>
      </h2>
      <p class="soft">
        Submission {figures(place.submit_seq)} of <code>{place.slug}</code>, {when(place.submit_time)}.
        {place.erased_at !== null && <> Erased {when(place.erased_at)}.</>}
      </p>
      <Table
        caption={`Pages with application ${applicationId} of ${place.display_name}`}
        rows={pages}
        empty="No client was ever sent this application."
        columns={columns(names)}
      />
      {nextBefore !== undefined && (
        <p>
          <LinkButton
            rel="next"
            href={`${path}/sent${queryOf(form.values, { program: place.slug, before: String(nextBefore) }, ['application'])}`}
            icon="chevron-right"
            text="Earlier"
          />
        </p>
      )}
    </section>
  )
}

const columns = (names: SentProps['names']): Column<Disclosure>[] => [
  {
    head: 'Client',
    cell: page => (
      <Actor
        actor={page.actor}
        href={`${path}${queryOf(new URLSearchParams(), { actor: page.actor })}`}
        names={names}
      />
    ),
  },
  { head: 'When', cell: page => when(page.happened_at) },
  { head: 'From', cell: page => (page.address === null ? '' : <code class="address">{page.address}</code>) },
  {
    head: 'Page',
    cell: page => (
      <>
        <a href={`${path}/events/${page.audit_event_id}`}>{pageText(page)}</a>
        {page.detail.walk !== undefined && (
          <small>
            walk <code>{String(page.detail.walk)}</code>
          </small>
        )}
      </>
    ),
  },
  { head: 'Questions', cell: page => page.questions },
  { head: 'Sent', cell: page => <Certainty page={page} /> },
]

function pageText({ detail }: Disclosure): string {
  const { applications, applications_before, application_ids: listed } = detail
  if (listed !== undefined) return 'changes with their applications'
  if (typeof applications !== 'number' || typeof applications_before !== 'number') return 'page'
  return `${figures(applications_before + 1)} to ${figures(applications_before + applications)} of its walk`
}

function Certainty({ page: { doubts } }: { page: Disclosure }) {
  if (doubts.length === 0) return <Badge tone="good">certain</Badge>
  return (
    <>
      <Badge tone="attention">possible</Badge>
      <small>{doubts.join('; ')}</small>
    </>
  )
}
