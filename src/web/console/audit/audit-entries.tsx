// An entry of the audit log as people read it: who did what, on what, with its details.

/** @jsxImportSource preact */

import { emailOf } from '../../../core/people/roles.ts'
import type { AuditEventRow } from '../../../db/audit/audit.ts'
import { formatOffsetTime, type Micros } from '../../../domain/values/offset-time.ts'
import { figures, InParts, When } from '../../html/components.tsx'
import { usePage } from '../../html/page-context.ts'
import { type AuditEntry, type DetailPair, detailPairs, phraseOf } from './audit-labels.ts'
import { path, queryOf } from './audit-query.ts'

export interface KnownNames {
  /** Names by e-mail address: of everyone who may sign in, or could. */
  people: ReadonlyMap<string, string>
  /** Of keys by id, of programs by slug, and by `program 1` where a detail has the id. */
  names: ReadonlyMap<string, string>
}

type EntryProps = AuditEntry & KnownNames

export function Actor(props: {
  actor: string
  href: string
  names: ReadonlyMap<string, string>
  people?: KnownNames['people']
  /** By name alone. */
  brief?: boolean | undefined
}) {
  const { actor, href, names, people, brief } = props
  const [kind = '', ...rest] = actor.split(':')
  const email = emailOf(actor)
  const person = people?.get(email)
  const named = (name: string, of: string) => <Named name={name} kind={brief ? undefined : of} href={href} />
  if (kind === 'admin-token') return named(person ?? email, `token ${rest[0]}`)
  if (kind === 'admin' && person !== undefined) return named(person, email)
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

/** Hour and minute, in a list that says the day. */
const Clock = ({ at }: { at: Micros }) => (
  <When at={at} text={formatOffsetTime(at, usePage().config.timeZone).slice(11, 16)} />
)

/** Who did what, and on what, unless it is the same person; links lead to what else they did, and to what else was done there. */
export function Sentence({ event, together, names, people, brief }: EntryProps & { brief?: boolean }) {
  const { form } = usePage()
  const filterBy = (name: string, value: string): string => path + queryOf(form.values, { [name]: value })
  const [before, after = ''] = phraseOf(event)
  const isMany = together.length > 1 && event.action === 'application_annotated'
  const href = filterBy('actor', event.actor)
  const actor = <Actor actor={event.actor} href={href} names={names} people={people} brief={brief} />
  const own = emailOf(event.actor) === event.subject ? before.replace(/ (?:as|for|of)$/, '') : before
  if (own !== before)
    return (
      <>
        {actor} {own}
      </>
    )
  const program = names.get(`program ${event.detail.program_id}`)
  if (isMany && brief)
    return (
      <>
        {actor} set {figures(together.length)} applications{program !== undefined && <bdi> of {program}</bdi>} {after}
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

/** An event as a sentence, with its address; its details when the reader opens them. */
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

/** The details of an event: in a line if they are short, else when the reader opens them. */
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

/** A time as times are written everywhere. */
export const DetailValue = ({ at, value }: DetailPair) => (at === undefined ? value : <When at={at} />)

/** How many applications were sent in one walk. */
export const sentIn = (pages: readonly AuditEventRow[]): number =>
  pages.reduce((sum, { detail }) => sum + (Number(detail.applications) || 0), 0)

/** Events that are one entry, each a link to itself. */
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
    return `${figures(sentIn(events))} sent in one walk, on ${count} pages here`
  return events[0]?.action === 'program_draft_saved' ? `${count} times` : `${count} applications`
}

/** What matters of an export: how many applications, up to which submission. */
function summaryOf({ action, detail }: AuditEventRow): string | undefined {
  const { applications, last_seq, outcome } = detail
  if (action !== 'applications_exported' || typeof applications !== 'number') return undefined
  const cut = outcome === 'complete' ? '' : ', cut short'
  return `${figures(applications)} sent${cut}${typeof last_seq === 'number' ? `, up to number ${figures(last_seq)}` : ''}`
}
