// The pages of the audit log: events with filters, and one event.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import type { AuditEventRow } from '../../../db/audit/audit.ts'
import { formatOffsetTime } from '../../../domain/values/offset-time.ts'
import { Facts, LinkButton, When } from '../../html/components.tsx'
import { type Choice, ErrorSummary, SelectField, TextField } from '../../html/fields.tsx'
import { FilterBar } from '../../html/lists.tsx'
import { type FormState, usePage } from '../../html/page-context.ts'
import { IndentedText } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import { Actor, DetailValue, Entry, type KnownNames, Named } from './audit-entries.tsx'
import { type AuditEntry, actionLabel, capitalized, detailPairs } from './audit-labels.ts'
import { crumb, path, queryOf } from './audit-query.ts'

interface AuditLogProps extends KnownNames {
  entries: readonly AuditEntry[]
  /** Where the following page starts, if one follows. */
  nextBefore: number | null
  /** Whether this is not the first page. */
  later: boolean
  actions: readonly string[]
}

export function AuditLogPage(props: AuditLogProps) {
  const { entries, nextBefore, later } = props
  const { form, config } = usePage()
  const filtered = queryOf(form.values) !== ''
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
      <Filters {...props} />
      {entries.length === 0 && form.errors.length === 0 && (
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
          <LinkButton
            rel="next"
            href={path + queryOf(form.values, { before: String(nextBefore) })}
            icon="chevron-right"
            text="Earlier"
          />
        )}
        {entries.length > 0 && form.errors.length === 0 && (
          <LinkButton href={`${path}/events.csv${queryOf(form.values)}`} icon="download" text="Download as CSV" />
        )}
      </nav>
    </Shell>
  )
}

function Filters({ people, names, actions }: AuditLogProps) {
  const { form } = usePage()
  const choices = (name: string, known: Iterable<readonly [value: string, text: string]>) =>
    withAsked(
      name,
      Array.from(known, ([value, text]) => ({ value, text })),
      form,
    )
  return (
    <FilterBar
      path={path}
      search={queryOf}
      words={{
        actor: actor => `by ${people.get(actor) ?? names.get(actor) ?? actor}`,
        action: actionLabel,
        subject: subject => `on ${names.get(subject) ?? subject}`,
        from: day => `since ${day}`,
        to: day => `before ${day}`,
      }}
      more={
        <>
          <SelectField name="actor" label="Who" choices={choices('actor', people)} />
          <SelectField
            name="action"
            label="What"
            choices={choices(
              'action',
              actions.map(action => [action, actionLabel(action)]),
            )}
          />
          <TextField name="from" label="From" type="date" />
          <TextField name="to" label="Before" type="date" />
        </>
      }
    >
      <TextField name="subject" label="On what" placeholder="program, key, id" />
    </FilterBar>
  )
}

/** The choices of a filter, with the one in the address, even if it is none of these: a key, an operator, what was never done. */
function withAsked(name: string, choices: readonly Choice[], form: FormState): Choice[] {
  const asked = form.values.get(name)?.trim() ?? ''
  const other = asked === '' || choices.some(({ value }) => value === asked) ? [] : [{ value: asked, text: asked }]
  return [{ value: '', text: 'Any' }, ...other, ...choices]
}

/** The entries of each day, by `2026-01-31`. */
function daysOf(entries: readonly AuditEntry[], timeZone: string): [day: string, entries: AuditEntry[]][] {
  const dayOf = ({ event }: AuditEntry): string => formatOffsetTime(event.happened_at, timeZone).slice(0, 10)
  return Object.entries(Object.groupBy(entries, dayOf)).map(([day, some]) => [day, some ?? []])
}

export function EventPage(props: KnownNames & { event: AuditEventRow & { database_user: string } }) {
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
  const pairs = detailPairs(event.detail, names)
  return (
    <Shell
      title={`Event ${event.audit_event_id}`}
      heading={actionLabel(event.action)}
      part="audit"
      crumbs={[crumb, { text: `Event ${event.audit_event_id}` }]}
    >
      <div class="card event">
        <Facts facts={facts} />
      </div>
      {pairs.length > 0 && (
        <div class="card event">
          <h2>Details</h2>
          <Facts facts={pairs.map(pair => [capitalized(pair.name), <DetailValue {...pair} />])} />
          <details>
            <summary>As stored</summary>
            <IndentedText>{JSON.stringify(event.detail, null, 2)}</IndentedText>
          </details>
        </div>
      )}
    </Shell>
  )
}
