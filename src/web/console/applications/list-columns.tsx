// The columns of an application list, and the order in which they sort it.

/** @jsxImportSource preact */

import type { ListedApplication } from '../../../db/applications/application-lists.ts'
import type { ClientSent } from '../../../db/audit/disclosures.ts'
import { Badge, type Column, figures, type SortNow, When } from '../../html/components.tsx'
import { type ProgramInColor, StatusBadge } from '../statuses/status-badge.tsx'
import { applicationsPath, type FoundApplicant, listSearch, type ShownOrder } from './list-query.ts'

/** The clients each application was sent to, most recent first. */
export interface SentTo {
  clientsOf: ReadonlyMap<number, readonly (ClientSent & { name: string })[]>
  /** Whether part of the audit log was moved to files, which aren't searched. */
  isPruned: boolean
}

/** The applicant of each application; undefined if the person may not read answers. */
export type Applicants = ReadonlyMap<number, FoundApplicant> | undefined

export const tickColumn = (checked: boolean) => ({
  head: 'Select',
  cell: ({ application_id }: ListedApplication) => (
    <input
      type="checkbox"
      class="tick"
      name="ticked"
      value={String(application_id)}
      checked={checked}
      aria-label={`Select application ${application_id}`}
    />
  ),
})

export const columns = (
  program: ProgramInColor,
  { values, order, who }: { values: URLSearchParams; order: ShownOrder; who: Applicants },
): readonly Column<ListedApplication>[] => [
  {
    head: 'Applicant',
    ...(who !== undefined && { order: byName(program, values, order) }),
    cell: ({ application_id, applicant_id }) => {
      const { name = `Applicant ${applicant_id}`, email, phone, match } = who?.get(application_id) ?? {}
      return (
        <span class="who">
          <a
            class="strong"
            dir="auto"
            href={`${applicationsPath(program.slug)}/${application_id}${listSearch(values)}`}
          >
            {name}
          </a>{' '}
          {match === undefined ? (
            <small class="cramped" dir="auto">
              {email ?? phone}
            </small>
          ) : (
            <small class="match" dir="auto">
              {match}
            </small>
          )}
        </span>
      )
    },
  },
  ...(who === undefined ? [] : contactColumns(who)),
  { head: 'Number', figures: true, evident: true, cell: ({ application_id }) => application_id },
  {
    head: 'Submitted',
    ...sortedBy(program, values, order, 'newest', 'oldest'),
    evident: true,
    cell: ({ submit_time, is_current }) => (
      <>
        <When at={submit_time} /> {!is_current && <RevisionBadge isCurrent={false} />}
      </>
    ),
  },
  {
    head: 'Status',
    ...sortedBy(program, values, order, 'status'),
    cell: ({ status, has_note }) => (
      <>
        <StatusBadge status={status} program={program} />
        {has_note && <span class="soft"> · note</span>}
      </>
    ),
  },
]

export const orderTexts: Readonly<Record<ShownOrder, string>> = {
  newest: 'Newest first.',
  oldest: 'Oldest first.',
  status: 'By status, newest first.',
  name: 'By last name.',
  found: 'Matches in the applicant’s own name first, newest first.',
}

/** A column that sorts by its first order, or by the second if the list is in the first. Not in a search, which has an order of its own. */
function sortedBy(
  program: ProgramInColor,
  values: URLSearchParams,
  present: ShownOrder,
  ...orders: [ShownOrder, ShownOrder?]
) {
  if (values.has('q')) return {}
  const [first, second = first] = orders
  const now: SortNow = orders.includes(present) ? (present === 'newest' ? 'descending' : 'ascending') : undefined
  return { order: { href: sortedPath(program, values, present === first ? second : first), now } }
}

/** Where the list is by name already, the column leads back to its usual order. */
function byName(program: ProgramInColor, values: URLSearchParams, present: ShownOrder) {
  const isNow = present === 'name'
  return {
    href: sortedPath(program, values, isNow ? undefined : 'name'),
    now: isNow ? 'ascending' : undefined,
  } as const
}

function sortedPath(program: ProgramInColor, values: URLSearchParams, order: ShownOrder | undefined): string {
  const next = new URLSearchParams(values)
  if (order === undefined) next.delete('sort')
  else next.set('sort', order)
  return applicationsPath(program.slug) + listSearch(next)
}

const contactColumns = (who: NonNullable<Applicants>): readonly Column<ListedApplication>[] =>
  (['email', 'phone'] as const).map(contact => ({
    head: contact === 'email' ? 'Email' : 'Phone',
    roomy: true,
    cell: ({ application_id }) => {
      const text = who.get(application_id)?.[contact] ?? ''
      return (
        <span class={contact} dir="auto">
          {text.split(/(?=@)/).map((part, i) => (
            <>
              {i > 0 && <wbr />}
              {part}
            </>
          ))}
        </span>
      )
    },
  }))

const clientsShown = 2

export const sentColumn = ({ clientsOf, isPruned }: SentTo): Column<ListedApplication> => ({
  head: 'Exported by',
  cell: ({ application_id }) => {
    const sent = clientsOf.get(application_id) ?? []
    if (sent.length === 0) return <span class="soft">{isPruned ? 'no record' : 'not yet'}</span>
    const more = sent.length - clientsShown
    return (
      <>
        {sent.slice(0, clientsShown).map(({ name, is_certain }, i) => (
          <>
            {i > 0 && ', '}
            <bdi>{name}</bdi>
            {!is_certain && <span class="soft"> (possibly)</span>}
          </>
        ))}
        {more > 0 && <span class="soft"> and {figures(more)} more</span>}
        {sent[0]!.is_bounded && <span class="soft"> and possibly others</span>}
      </>
    )
  },
})

export const RevisionBadge = ({ isCurrent }: { isCurrent: boolean }) =>
  isCurrent ? <Badge tone="good">current</Badge> : <Badge>obsolete</Badge>
