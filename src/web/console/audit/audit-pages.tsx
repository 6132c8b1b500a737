// Pages of the audit log: the filtered list, and one event.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import type { AuditEventRow } from '../../../db/audit/audit.ts'
import { dayText } from '../../../domain/question-types/date.ts'
import { formatOffsetTime } from '../../../domain/values/offset-time.ts'
import { Facts, LinkButton, When } from '../../html/components.tsx'
import { type Choice, ErrorSummary, SelectField, TextField } from '../../html/fields.tsx'
import { FilterBar } from '../../html/lists.tsx'
import { type FormState, usePage } from '../../html/page-context.ts'
import { IndentedText } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import { detailPairs } from './audit-details.ts'
import { Actor, DetailValue, Entry, type KnownNames, Named } from './audit-entries.tsx'
import type { AuditEntry } from './audit-grouping.ts'
import { actionLabel, capitalized } from './audit-labels.ts'
import { crumb, path, queryOf } from './audit-query.ts'

interface AuditLogProps extends KnownNames {
  entries: readonly AuditEntry[]
  /** Where the next page starts, if there is one. */
  nextBefore: number | null
  /** Whether this is not the first page. */
  later: boolean
  actions: readonly string[]
  /** Keys to choose from, by ID. */
  keys: ReadonlyMap<string, string>
}

export function AuditLogPage(props: AuditLogProps) {
  const { entries, nextBefore, later } = props
  const { form, timeZone } = usePage()
  const filtered = queryOf(form.values) !== ''
  return (
    <Shell
      title="Audit"
      part="audit"
      lead="Who did what, when and from where. Entries can’t be changed; old ones can be moved to files that can be verified."
      actions={
        <>
          <LinkButton href={`${path}/verify`} icon="check" text="Verify" />
          <LinkButton href={`${path}/sent`} icon="search" text="Find recipients" />
        </>
      }
    >
      <ErrorSummary title="Some filters are invalid" />
      <Filters {...props} />
      {entries.length === 0 && form.errors.length === 0 && (
        <p class="card empty">
          {filtered || later
            ? 'No entries match. Remove a filter to see more.'
            : 'No entries yet. Actions in the console and requests with API keys appear here.'}
        </p>
      )}
      {daysOf(entries, timeZone).map(([day, some]) => (
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
            text="Older"
          />
        )}
        {entries.length > 0 && form.errors.length === 0 && (
          <LinkButton href={`${path}/events.csv${queryOf(form.values)}`} icon="download" text="Download CSV" />
        )}
      </nav>
    </Shell>
  )
}

function Filters({ people, names, keys, actions }: AuditLogProps) {
  const { form } = usePage()
  const choices = (name: string, known: Iterable<readonly [value: string, text: string]>) =>
    withChosen(
      name,
      Array.from(known, ([value, text]) => ({ value, text })),
      form,
    )
  return (
    <FilterBar
      path={path}
      search={queryOf}
      words={{
        actor: actor => `by ${people.get(actor) ?? keys.get(actor.replace(/^key:/, '')) ?? actor}`,
        action: actionLabel,
        subject: subject => `on ${names.get(subject) ?? subject}`,
        from: time => `since ${dayText(time)}`,
        to: time => `before ${dayText(time)}`,
      }}
      more={
        <>
          <SelectField name="actor" label="Who" choices={withChosen('actor', actorChoices(people, keys), form)} />
          <SelectField
            name="action"
            label="Action"
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
      <TextField name="subject" label="Subject" placeholder="Slug, key ID or number" />
    </FilterBar>
  )
}

const actorChoices = (people: AuditLogProps['people'], keys: AuditLogProps['keys']): Choice[] => [
  ...Array.from(people, ([value, text]) => ({ value, text, group: 'People' })),
  ...Array.from(keys, ([id, text]) => ({ value: `key:${id}`, text, group: 'API keys' })),
]

/** The choices of a filter, including the one in the URL, even if it isn't listed, such as an operator. */
function withChosen(name: string, choices: readonly Choice[], form: FormState): Choice[] {
  const chosen = form.values.get(name)?.trim() ?? ''
  const isListed = chosen === '' || choices.some(({ value }) => value === chosen)
  const other = isListed ? [] : [{ value: chosen, text: chosen }]
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
    ['Action', <a href={filter('action', event.action)}>{actionLabel(event.action)}</a>],
    [
      'Subject',
      <Named
        name={names.get(event.subject) ?? event.subject}
        kind={event.subject}
        href={filter('subject', event.subject)}
      />,
    ],
    ['Address', event.address === null ? 'not a network request' : <code>{event.address}</code>],
    ['Database user', <code>{event.database_user}</code>],
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
            <summary>Stored JSON</summary>
            <IndentedText>{JSON.stringify(event.detail, null, 2)}</IndentedText>
          </details>
        </div>
      )}
    </Shell>
  )
}
