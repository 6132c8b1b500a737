// The pages of the audit log: events with filters, and one event.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import type { AuditEventRow } from '../../db/audit/audit.ts'
import { FaultSummary, SelectField, Submit, TextField } from '../../html/fields.tsx'
import { type FormState, usePage } from '../../html/page-context.ts'
import { Facts, figures, InParts, LinkButton, Table, When } from '../../html/parts.tsx'
import { Shell } from '../../html/shell.tsx'
import { actionLabel, detailPairs } from './audit-labels.ts'
import { queryOf } from './audit-query.ts'

export const path = '/admin/audit'
export const crumb = { text: 'Audit', path }

interface AuditLogProps {
  events: readonly AuditEventRow[]
  /** Where the following page starts, if there is one. */
  nextBefore: number | null
  /** Whether this is not the first page. */
  later: boolean
  actions: readonly string[]
  keyNames: ReadonlyMap<string, string>
}

export function AuditLogPage(props: AuditLogProps) {
  const { events, nextBefore, later, keyNames } = props
  const { root, form } = usePage()
  const filtered = queryOf(form.values) !== ''
  const filterBy = (changes: Record<string, string>): string => root + path + queryOf(form.values, changes)
  return (
    <Shell
      title="Audit"
      part="audit"
      lead="Who did what, when, from where, on what. The database changes no line, and lets none go but into files that can be checked."
      actions={
        <>
          <LinkButton href={`${root}${path}/verify`} icon="check" text="Is it whole?" />
          <LinkButton href={`${root}${path}/sent`} icon="search" text="Who was sent an application?" />
        </>
      }
    >
      <FaultSummary title="This cannot be searched for yet" />
      <form method="get" action={root + path} class="card filters fields" aria-label="Filters">
        <TextField
          name="actor"
          label="Who"
          hint="Part of a name or an e-mail, or all of admin:…, key:… or operator:…"
        />
        <SelectField
          name="action"
          label="What"
          choices={[
            { value: '', text: 'Anything' },
            ...actionsOf(props.actions, form).map(action => ({ value: action, text: actionLabel(action) })),
          ]}
        />
        <TextField name="subject" label="On what" hint="a program, a key, an id" />
        <TextField name="from" label="From" hint="2026-01-31, or with T09:30" />
        <TextField name="to" label="Before" hint="the same way" />
        <div class="actions">
          <Submit text="Filter" />
          {filtered && <LinkButton href={root + path} text="Show all" />}
        </div>
      </form>
      <Table
        caption="Events, newest first"
        rows={events}
        empty={
          filtered || later ? 'There are no such events. Take away a filter to see more.' : 'Nothing has happened yet.'
        }
        columns={[
          {
            head: 'When',
            cell: event => (
              <a class="strong" href={`${root}${path}/events/${event.audit_event_id}`}>
                <When at={event.happened_at} />
              </a>
            ),
          },
          {
            head: 'Who',
            cell: event => <Actor actor={event.actor} href={filterBy({ actor: event.actor })} names={keyNames} />,
          },
          { head: 'What', cell: event => actionLabel(event.action) },
          {
            head: 'On',
            cell: event => (
              <a href={filterBy({ subject: event.subject })}>
                <InParts>{event.subject}</InParts>
              </a>
            ),
          },
          { head: 'From', cell: event => (event.address === null ? '' : <code class="address">{event.address}</code>) },
          { head: 'Details', cell: event => <Details event={event} /> },
        ]}
      />
      <nav class="actions" aria-label="Pages">
        {later && <LinkButton href={root + path + queryOf(form.values)} text="Newest" />}
        {nextBefore !== null && (
          <LinkButton rel="next" href={filterBy({ before: String(nextBefore) })} icon="chevron-right" text="Earlier" />
        )}
        {events.length > 0 && form.faults.length === 0 && (
          <LinkButton
            href={`${root}${path}/events.csv${queryOf(form.values)}`}
            icon="download"
            text="Download as CSV"
          />
        )}
      </nav>
    </Shell>
  )
}

/** What can be chosen, with what was asked for, even if it was never done. */
function actionsOf(actions: readonly string[], form: FormState): string[] {
  const asked = form.values.get('action')?.trim() ?? ''
  return asked === '' || actions.includes(asked) ? [...actions] : [asked, ...actions]
}

export function Actor({ actor, href, names }: { actor: string; href: string; names: ReadonlyMap<string, string> }) {
  const [kind = '', ...rest] = actor.split(':')
  if (kind === 'admin-token') return <Named name={rest.slice(1).join(':')} kind={`token ${rest[0]}`} href={href} />
  const name = kind === 'key' ? names.get(rest.join(':')) : undefined
  return (
    <Named
      name={name ?? (rest.length === 0 ? actor : rest.join(':'))}
      kind={kind === 'key' && name !== undefined ? actor : kind}
      href={href}
    />
  )
}

function Named({ name, kind, href }: { name: string; kind: string; href: string }) {
  return (
    <>
      <a href={href}>
        <InParts>{name}</InParts>
      </a>
      <small>{kind}</small>
    </>
  )
}

/** How many pairs are shown without being asked for. */
const pairsShown = 2

function Details({ event }: { event: AuditEventRow }) {
  const pairs = detailPairs(event.detail)
  if (pairs.length === 0) return null
  const all = (
    <dl class="pairs">
      {pairs.map(({ name, value }) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  )
  if (pairs.length <= pairsShown) return all
  return (
    <details>
      <summary>{summaryOf(event) ?? `${pairs.length} details`}</summary>
      {all}
    </details>
  )
}

/** What matters of an export: how many applications, up to which submission. */
function summaryOf({ action, detail }: AuditEventRow): string | undefined {
  const { applications, last_seq, outcome } = detail
  if (action !== 'applications_exported' || typeof applications !== 'number') return undefined
  const cut = outcome === 'complete' ? '' : ', cut short'
  return `${figures(applications)} sent${cut}${typeof last_seq === 'number' ? `, up to number ${figures(last_seq)}` : ''}`
}

export function EventPage(props: {
  event: AuditEventRow & { database_user: string }
  keyNames: ReadonlyMap<string, string>
}) {
  const { event, keyNames } = props
  const { root } = usePage()
  const filter = (name: string, value: string): string =>
    root + path + queryOf(new URLSearchParams(), { [name]: value })
  const facts: [string, ComponentChildren][] = [
    ['When', <When at={event.happened_at} />],
    ['Who', <Actor actor={event.actor} href={filter('actor', event.actor)} names={keyNames} />],
    ['What', <a href={filter('action', event.action)}>{actionLabel(event.action)}</a>],
    ['On', <a href={filter('subject', event.subject)}>{event.subject}</a>],
    ['From', event.address === null ? 'not by network' : <code>{event.address}</code>],
    ['Written by', <code>{event.database_user}</code>],
  ]
  return (
    <Shell
      title={`Event ${event.audit_event_id}`}
      part="audit"
      crumbs={[crumb, { text: `Event ${event.audit_event_id}` }]}
    >
      <div class="card">
        <Facts facts={facts} />
      </div>
      <div class="card">
        <h2>Details</h2>
        <pre class="document">{JSON.stringify(event.detail, null, 2)}</pre>
      </div>
    </Shell>
  )
}
