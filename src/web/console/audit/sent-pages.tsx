// The report on the recipients of an application.

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
  /** The recipients of this application, for each program that has an application with this ID. */
  found: readonly Disclosures[]
  /** Files with the oldest part of the audit log, which were not searched. */
  files: readonly string[]
  names: ReadonlyMap<string, string>
}

export function DisclosuresPage({ applicationId, found, files, names }: SentProps) {
  const { form } = usePage()
  return (
    <Shell
      title="Recipients of an application"
      part="audit"
      crumbs={[crumb, { text: 'Recipients' }]}
      lead="The audit log records every export page with the submissions it covered. This report lists every system that was sent an application."
    >
      <ErrorSummary />
      <form method="get" action={`${path}/sent`} class="card filters fields">
        <TextField name="application" label="Application number" inputmode="numeric" />
        <div class="actions">
          <Submit text="Find recipients" />
        </div>
      </form>
      {applicationId !== undefined && found.length === 0 && form.errors.length === 0 && (
        <Notice name="never-there" tone="attention">
          No application, current or erased, has the number {applicationId}.
        </Notice>
      )}
      {files.length > 0 && (
        <Notice name="moved-to-files" tone="attention">
          Older audit entries were moved to files and aren’t included below. Search these files for{' '}
          <code>applications_exported</code>: {files.slice(-10).join(', ')}
          {files.length > 10 && ' and earlier ones'}.
        </Notice>
      )}
      {found.map(disclosures => (
        <PlaceSection applicationId={applicationId!} {...disclosures} names={names} />
      ))}
      {found.length > 0 && (
        <p class="soft">
          Exports in progress appear when they finish. For views in this console, see the{' '}
          <a href={`${path}?subject=${applicationId}`}>audit entries of application {applicationId}</a>.
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
        Application {applicationId} in <bdi>{place.display_name}</bdi>
      </h2>
      <p class="soft">
        Submission {figures(place.submit_seq)} to <code>{place.slug}</code>, {when(place.submit_time)}.
        {place.erased_at !== null && <> Erased {when(place.erased_at)}.</>}
      </p>
      <Table
        caption={`Export pages with application ${applicationId} of ${place.display_name}`}
        rows={pages}
        empty="Not sent to any system yet."
        columns={columns(names)}
      />
      {nextBefore !== undefined && (
        <p>
          <LinkButton
            rel="next"
            href={`${path}/sent${queryOf(form.values, { program: place.slug, before: String(nextBefore) }, ['application'])}`}
            icon="chevron-right"
            text="Older"
          />
        </p>
      )}
    </section>
  )
}

const columns = (names: SentProps['names']): Column<Disclosure>[] => [
  {
    head: 'System',
    cell: page => (
      <Actor
        actor={page.actor}
        href={`${path}${queryOf(new URLSearchParams(), { actor: page.actor })}`}
        names={names}
      />
    ),
  },
  { head: 'When', cell: page => when(page.happened_at) },
  { head: 'Address', cell: page => (page.address === null ? '' : <code class="address">{page.address}</code>) },
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
  { head: 'Delivery', cell: page => <Certainty page={page} /> },
]

function pageText({ detail }: Disclosure): string {
  const { applications, applications_before, application_ids: listed } = detail
  if (listed !== undefined) return 'change feed page with applications'
  if (typeof applications !== 'number' || typeof applications_before !== 'number') return 'page'
  return `rows ${figures(applications_before + 1)}–${figures(applications_before + applications)} of the export`
}

function Certainty({ page: { doubts } }: { page: Disclosure }) {
  if (doubts.length === 0) return <Badge tone="good">delivered</Badge>
  return (
    <>
      <Badge tone="attention">possible</Badge>
      <small>{doubts.join('; ')}</small>
    </>
  )
}
