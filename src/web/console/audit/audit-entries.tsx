// Shows an entry of the audit log as a sentence: who did what to what, with details.

/** @jsxImportSource preact */

import { emailOf } from '../../../core/people/roles.ts'
import type { AuditEventRow } from '../../../db/audit/audit.ts'
import { formatOffsetTime, type Micros } from '../../../domain/values/offset-time.ts'
import { counted, figures, InParts, When } from '../../html/components.tsx'
import { usePage } from '../../html/page-context.ts'
import { type DetailPair, detailPairs } from './audit-details.ts'
import { type AuditEntry, applicationsIn } from './audit-grouping.ts'
import { phraseOf } from './audit-labels.ts'
import { path, queryOf } from './audit-query.ts'

export interface KnownNames {
  /** Names of people by email address, including people who can no longer sign in. */
  people: ReadonlyMap<string, string>
  /** Names of keys by ID and of programs by slug, and by `program 1` for details that contain the ID. */
  names: ReadonlyMap<string, string>
}

type EntryProps = AuditEntry & KnownNames

export function Actor(props: {
  actor: string
  href: string
  names: ReadonlyMap<string, string>
  people?: KnownNames['people']
  /** Only the name. */
  brief?: boolean | undefined
}) {
  const { actor, href, names, people, brief } = props
  const [kind = '', ...rest] = actor.split(':')
  const email = emailOf(actor)
  const person = people?.get(email)
  const named = (name: string, of: string) => <Named name={name} kind={brief ? undefined : of} href={href} />
  if (kind === 'admin-token') return named(person ?? email, `token ${rest[0]}`)
  if ((kind === 'admin' || kind === 'intermediary') && person !== undefined) return named(person, email)
  const name = kind === 'key' ? names.get(rest.join(':')) : undefined
  return named(
    name ?? (rest.length === 0 ? actor : rest.join(':')),
    kind === 'key' && name !== undefined ? actor : kind,
  )
}

export function Named({ name, kind, href }: { name: string; kind: string | undefined; href: string }) {
  return (
    <>
      <a href={href} dir="auto">
        <InParts>{name}</InParts>
      </a>
      {kind !== undefined && kind !== name && (
        <>
          {' '}
          <small>{kind}</small>
        </>
      )}
    </>
  )
}

/** Hour and minute, for lists grouped by day. */
const Clock = ({ at }: { at: Micros }) => <When at={at} text={formatOffsetTime(at, usePage().timeZone).slice(11, 16)} />

/** Who did what to what. Links filter the log by that person and that subject. */
export function Sentence({ event, together, names, people, brief }: EntryProps & { brief?: boolean }) {
  const { form } = usePage()
  const filterBy = (name: string, value: string): string => path + queryOf(form.values, { [name]: value })
  const { did, after = '', own, didMany } = phraseOf(event)
  const count = applicationsIn(together)
  const isMany = count > 1 && didMany !== undefined
  const href = filterBy('actor', event.actor)
  const actor = <Actor actor={event.actor} href={href} names={names} people={people} brief={brief} />
  if (own !== undefined && emailOf(event.actor) === event.subject)
    return (
      <>
        {actor} {own}
      </>
    )
  if (isMany && event.action === 'application_read')
    return (
      <>
        {actor} viewed {figures(count)} applications
      </>
    )
  const program = names.get(`program ${event.detail.program_id}`)
  if (isMany && brief)
    return (
      <>
        {actor} set the status of {figures(count)} applications
        {program !== undefined && (
          <>
            {' '}
            in <bdi>{program}</bdi>
          </>
        )}{' '}
        {after}
      </>
    )
  return (
    <>
      {actor} {isMany ? didMany : did}{' '}
      <a class="subject" dir="auto" href={filterBy('subject', event.subject)}>
        <InParts>{names.get(event.subject) ?? event.subject}</InParts>
      </a>
      {isMany && ` and ${figures(count - 1)} more`}
      {after !== '' && ` ${after}`}
    </>
  )
}

/** An event as a sentence, with its address and collapsible details. */
export function Entry(entry: EntryProps) {
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
        {together.length > 1 ? <Together events={together} /> : <Details of={event} names={entry.names} />}
      </div>
    </>
  )
}

/** The details of an event: on one line if they are short, otherwise collapsed. */
function Details({ of: event, names }: { of: AuditEventRow; names: KnownNames['names'] }) {
  const pairs = detailPairs(event.detail, names)
  if (pairs.length === 0) return null
  const summary = summaryOf(event)
  const isShort = pairs.map(({ name, value }) => `${name}: ${value}`).join(' · ').length <= 120
  if (summary === undefined && isShort)
    return (
      <div class="pairs soft" dir="auto">
        {pairs.map((pair, i) => (
          <>
            {i > 0 && ' · '}
            {pair.name}: <DetailValue {...pair} />
          </>
        ))}
      </div>
    )
  return (
    <details>
      <summary>{summary ?? 'Details'}</summary>
      <dl class="pairs">
        {pairs.map(pair => (
          <>
            <dt>{pair.name}</dt>
            <dd dir="auto">
              <DetailValue {...pair} />
            </dd>
          </>
        ))}
      </dl>
    </details>
  )
}

/** A value; times are formatted like all times in the console. */
export const DetailValue = ({ at, value }: DetailPair) => (at === undefined ? value : <When at={at} />)

/** Number of applications sent in a walk. */
export const sentIn = (pages: readonly AuditEventRow[]): number =>
  pages.reduce((sum, { detail }) => sum + (Number(detail.applications) || 0), 0)

/** The events of an entry, each with a link. */
function Together({ events }: { events: readonly AuditEventRow[] }) {
  return (
    <details>
      <summary>{sumOf(events)}</summary>
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

function sumOf(events: readonly AuditEventRow[]): string {
  const count = figures(events.length)
  if (events[0]?.action === 'applications_exported')
    return `${figures(sentIn(events))} applications exported on ${count} pages`
  if (events[0]?.action === 'program_draft_saved') return `${count} times`
  if (events[0]?.action === 'applications_listed') return counted(events.length, 'view')
  const applications = counted(applicationsIn(events), 'application')
  return events[0]?.action === 'application_read' ? `${applications}, ${counted(events.length, 'view')}` : applications
}

/** A summary of a viewed list or an export: number of applications, and the last submission. */
function summaryOf({ action, detail }: AuditEventRow): string | undefined {
  const { applications, last_seq, outcome } = detail
  if (action === 'applications_listed' && Array.isArray(applications))
    return counted(applications.length, 'application')
  if (action !== 'applications_exported' || typeof applications !== 'number') return undefined
  const cut = outcome === 'complete' ? '' : ', incomplete'
  return `${figures(applications)} sent${typeof last_seq === 'number' ? ` (up to #${figures(last_seq)})` : ''}${cut}`
}
