// The pages of the audit log: events with filters, and one event.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import type { AuditEventRow } from '../../db/audit/audit.ts'
import { formatOffsetTime, type Micros } from '../../domain/values/offset-time.ts'
import { type Choice, ErrorSummary, SelectField, Submit, TextField } from '../../html/fields.tsx'
import { type FormState, usePage } from '../../html/page-context.ts'
import { Facts, figures, InParts, LinkButton, When } from '../../html/parts.tsx'
import { Shell } from '../../html/shell.tsx'
import { emailOf } from '../keys/key-labels.tsx'
import { type AuditEntry, actionLabel, detailPairs, phraseOf } from './audit-labels.ts'
import { queryOf } from './audit-query.ts'

export const path = '/admin/audit'
export const crumb = { text: 'Audit', path }

interface AuditLogProps {
  entries: readonly AuditEntry[]
  /** Where the following page starts, if one follows. */
  nextBefore: number | null
  /** Whether this is not the first page. */
  later: boolean
  actions: readonly string[]
  /** Names by e-mail address: of everyone who may sign in, or could. */
  people: ReadonlyMap<string, string>
  /** Of keys by id, of programs by slug. */
  names: ReadonlyMap<string, string>
}

export function AuditLogPage(props: AuditLogProps) {
  const { entries, nextBefore, later, people } = props
  const { form, config } = usePage()
  const filtered = queryOf(form.values) !== ''
  const filterBy = (changes: Record<string, string>): string => path + queryOf(form.values, changes)
  return (
    <Shell
      title="Audit"
      part="audit"
      lead="Who did what, when, from where, on what. Events are never changed, and leave the database only for files that can be verified."
      actions={
        <>
          <LinkButton href={`${path}/verify`} icon="check" text="Verify" />
          <LinkButton href={`${path}/sent`} icon="search" text="Who was sent an application?" />
        </>
      }
    >
      <ErrorSummary title="This cannot be searched for yet" />
      <form method="get" action={path} class="card filters fields" aria-label="Filters">
        <SelectField
          name="actor"
          label="Who"
          choices={withAsked(
            'actor',
            Array.from(people, ([value, text]) => ({ value, text })),
            form,
          )}
        />
        <SelectField
          name="action"
          label="What"
          choices={withAsked(
            'action',
            props.actions.map(action => ({ value: action, text: actionLabel(action) })),
            form,
          )}
        />
        <TextField name="subject" label="On what" placeholder="program, key, id" />
        <TextField name="from" label="From" type="date" />
        <TextField name="to" label="Before" type="date" />
        <div class="actions">
          <Submit text="Filter" />
          {filtered && <a href={path}>Show all</a>}
        </div>
      </form>
      {entries.length === 0 && (
        <p class="card empty">
          {filtered || later
            ? 'There are no such events. Take away a filter to see more.'
            : 'Nothing has happened yet.'}
        </p>
      )}
      {daysOf(entries, config.timeZone).map(([day, some]) => (
        <section class="card" aria-labelledby={`day-${day}`}>
          <h2 id={`day-${day}`}>
            <When at={some[0]!.event.happened_at} day />
          </h2>
          <ol class="event-list">
            {some.map(entry => (
              <li>
                <Entry {...entry} {...props} />
              </li>
            ))}
          </ol>
        </section>
      ))}
      <nav class="actions" aria-label="Pages">
        {later && <LinkButton href={path + queryOf(form.values)} text="Newest" />}
        {nextBefore !== null && (
          <LinkButton rel="next" href={filterBy({ before: String(nextBefore) })} icon="chevron-right" text="Earlier" />
        )}
        {entries.length > 0 && form.errors.length === 0 && (
          <LinkButton href={`${path}/events.csv${queryOf(form.values)}`} icon="download" text="Download as CSV" />
        )}
      </nav>
    </Shell>
  )
}

/** The choices of a filter, with the one in the address, even if it is none of these: a key, an operator, what was never done. */
function withAsked(name: string, choices: readonly Choice[], form: FormState): Choice[] {
  const asked = form.values.get(name)?.trim() ?? ''
  const other = asked === '' || choices.some(({ value }) => value === asked) ? [] : [{ value: asked, text: asked }]
  return [{ value: '', text: 'Any' }, ...other, ...choices]
}

export function Actor(props: {
  actor: string
  href: string
  names: ReadonlyMap<string, string>
  people?: AuditLogProps['people']
}) {
  const { actor, href, names, people } = props
  const [kind = '', ...rest] = actor.split(':')
  const email = emailOf(actor)
  const person = people?.get(email)
  if (kind === 'admin-token') return <Named name={person ?? email} kind={`token ${rest[0]}`} href={href} />
  if (kind === 'admin' && person !== undefined) return <Named name={person} kind={email} href={href} />
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
      <a href={href} dir="auto">
        <InParts>{name}</InParts>
      </a>{' '}
      {kind !== name && <small>{kind}</small>}
    </>
  )
}

/** The entries of each day, by `2026-01-31`. */
function daysOf(entries: readonly AuditEntry[], timeZone: string): [day: string, entries: AuditEntry[]][] {
  const dayOf = ({ event }: AuditEntry): string => formatOffsetTime(event.happened_at, timeZone).slice(0, 10)
  return Object.entries(Object.groupBy(entries, dayOf)).map(([day, some]) => [day, some ?? []])
}

/** Hour and minute, in a list that says the day. */
const Clock = ({ at }: { at: Micros }) => (
  <When at={at} text={formatOffsetTime(at, usePage().config.timeZone).slice(11, 16)} />
)

/** Who did what, and on what, unless it is the same person; links lead to what else they did, and to what else was done there. */
export function Sentence({ event, together, names, people }: EntryProps) {
  const { form } = usePage()
  const filterBy = (name: string, value: string): string => path + queryOf(form.values, { [name]: value })
  const [before, after = ''] = phraseOf(event)
  const isMany = together.length > 1 && event.action === 'application_annotated'
  const actor = <Actor actor={event.actor} href={filterBy('actor', event.actor)} names={names} people={people} />
  const own = emailOf(event.actor) === event.subject ? before.replace(/ (?:as|for|of)$/, '') : before
  if (own !== before)
    return (
      <>
        {actor} {own}
      </>
    )
  return (
    <>
      {actor} {before}
      {isMany && 's'}{' '}
      <a class="subject" dir="auto" href={filterBy('subject', event.subject)}>
        <InParts>{names.get(event.subject) ?? event.subject}</InParts>
      </a>
      {isMany && ` and ${figures(together.length - 1)} more`}
      {after !== '' && ` ${after}`}
    </>
  )
}

type EntryProps = AuditEntry & Pick<AuditLogProps, 'names' | 'people'>

/** An event as a sentence, with its address; its details when the reader opens them. */
function Entry(entry: EntryProps) {
  const { event, together } = entry
  return (
    <>
      <a class="at" href={`${path}/events/${event.audit_event_id}`}>
        <Clock at={event.happened_at} />
      </a>
      <div>
        <Sentence {...entry} />
        {event.address !== null && (
          <span class="soft">
            {' '}
            from <code class="address">{event.address}</code>
          </span>
        )}
        {together.length > 1 ? <Together events={together} /> : <Details of={event} />}
      </div>
    </>
  )
}

/** The details of an event: in a line if they are short, else when the reader opens them. */
function Details({ of: event }: { of: AuditEventRow }) {
  const pairs = detailPairs(event.detail)
  if (pairs.length === 0) return null
  const summary = summaryOf(event)
  const line = pairs.map(({ name, value }) => `${name}: ${value}`).join(' · ')
  if (summary === undefined && line.length <= 120)
    return (
      <div class="pairs soft" dir="auto">
        {line}
      </div>
    )
  return (
    <details>
      <summary>{summary ?? 'Details'}</summary>
      <dl class="pairs">
        {pairs.map(({ name, value }) => (
          <>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </>
        ))}
      </dl>
    </details>
  )
}

/** How many applications were sent in one walk. */
export const sentIn = (pages: readonly AuditEventRow[]): number =>
  pages.reduce((sum, { detail }) => sum + (Number(detail.applications) || 0), 0)

/** Events that are one entry, each a link to itself. */
function Together({ events }: { events: readonly AuditEventRow[] }) {
  return (
    <details>
      <summary>
        {events[0]?.action === 'applications_exported'
          ? `${figures(sentIn(events))} sent in one walk, on ${events.length} pages here`
          : `${figures(events.length)} applications`}
      </summary>
      <ol class="pages-of">
        {events.map(event => (
          <li>
            <a href={`${path}/events/${event.audit_event_id}`}>
              <Clock at={event.happened_at} />
            </a>{' '}
            {summaryOf(event) ?? event.subject}
          </li>
        ))}
      </ol>
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
  names: ReadonlyMap<string, string>
  people: ReadonlyMap<string, string>
}) {
  const { event, names, people } = props
  const filter = (name: string, value: string): string => path + queryOf(new URLSearchParams(), { [name]: value })
  const facts: [string, ComponentChildren][] = [
    ['When', <When at={event.happened_at} />],
    ['Who', <Actor actor={event.actor} href={filter('actor', event.actor)} names={names} people={people} />],
    ['What', <a href={filter('action', event.action)}>{actionLabel(event.action)}</a>],
    [
      'On',
      <Named
        name={names.get(event.subject) ?? event.subject}
        kind={event.subject}
        href={filter('subject', event.subject)}
      />,
    ],
    ['From', event.address === null ? 'no network address' : <code>{event.address}</code>],
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
