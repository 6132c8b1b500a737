// What needs attention: each a sentence, with a link to where something can be done about it.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { dayMicros, expiringSoonDays } from '../../../core/keys/expiry.ts'
import { type Person, programsAmong } from '../../../core/people/roles.ts'
import { type Attention, type AttentionKind, readAttention } from '../../../db/dashboard/attention.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import { distance, figures } from '../../html/components.tsx'
import { type NavigationPart, readingRoles } from '../../html/navigation.ts'
import { usePage } from '../../html/page-context.ts'
import type { Deps } from '../../http/server/deps.ts'
import { pathOfKey } from '../keys/key-labels.tsx'

const rowsMax = 5

/** What a person may see of what needs attention. */
export const loadAttention = ({ consoleDb }: Pick<Deps, 'consoleDb'>, person: Person, now: Micros) =>
  readAttention(consoleDb, {
    among: programsAmong(person),
    reads: readingRoles.includes(person.role),
    now,
    expiresUntil: now + expiringSoonDays * dayMicros,
    rowsMax,
  })

interface Kind {
  /** The part of the navigation that bears its mark. */
  part: NavigationPart
  sentence: (row: Attention, now: Micros) => ComponentChildren
  link: (row: Attention) => [text: string, path: string]
  /** Those that are not shown. */
  others: [what: string, path: string]
}

const name = ({ name }: Attention) => <strong dir="auto">{name}</strong>
const pathOf = ({ subject }: Attention): string => `/admin/programs/${subject}`

const kinds: Readonly<Record<AttentionKind, Kind>> = {
  lagging: {
    part: 'home',
    sentence: (row, now) => (
      <>
        What was submitted in the {name(row)} is here up to {distance(row.at!, now)} only.
      </>
    ),
    link: ({ name }) => ['How it is followed', `/admin/settings?q=${encodeURIComponent(name)}`],
    others: ['systems', '/admin/settings'],
  },
  failed: {
    part: 'jobs',
    sentence: ({ count }) => (
      <>
        <strong>{count === 1 ? 'One job' : `${figures(count!)} jobs`}</strong> failed: what they make stays as it was.
      </>
    ),
    link: () => ['See why', '/admin/jobs'],
    others: ['jobs', '/admin/jobs'],
  },
  refused: {
    part: 'keys',
    sentence: (row, now) => (
      <>
        {name(row)} was refused {row.count === 1 ? 'once' : `${figures(row.count!)} times`} in the last 24 hours, most
        recently {distance(row.at!, now)}.
      </>
    ),
    link: ({ subject }) => ['See why', pathOfKey(subject)],
    others: ['keys were refused', '/admin/keys'],
  },
  expiring: {
    part: 'keys',
    sentence: (row, now) => (
      <>
        {name(row)} expires {distance(row.at!, now)}.
      </>
    ),
    link: ({ subject }) => ['Open the key', pathOfKey(subject)],
    others: ['keys expire soon', '/admin/keys?state=expiring'],
  },
  undelivered: {
    part: 'webhooks',
    sentence: (row, now) =>
      row.count === null ? (
        <>
          {name(row)} was given up {distance(row.at!, now)}: it gets no message until it is enabled.
        </>
      ) : (
        <>
          {row.count === 1 ? 'A message' : `${figures(row.count)} messages`} to {name(row)} failed, the first{' '}
          {distance(row.at!, now)}.
        </>
      ),
    link: ({ subject }) => ['See why', `/admin/webhooks/${subject}`],
    others: ['webhooks fail', '/admin/webhooks'],
  },
  unread: {
    part: 'programs',
    sentence: (row, now) => (
      <>
        {name(row)} has applications that no key has read
        {row.at === null ? ', and was never read at all.' : `: it was last read ${distance(row.at, now)}.`}
      </>
    ),
    link: row => ['Who reads it', pathOf(row)],
    others: ['programs are not read', '/admin/programs'],
  },
  draft: {
    part: 'programs',
    sentence: (row, now) => (
      <>
        A draft of {name(row)} was saved {distance(row.at!, now)} and is not published.
      </>
    ),
    link: row => ['Open the draft', `${pathOf(row)}/questions`],
    others: ['drafts wait', '/admin/programs'],
  },
}

/** Kinds by urgency. */
const order = Object.keys(kinds) as AttentionKind[]

/** How many things need attention in each part of the navigation, and at home all together. */
export function marksOf(rows: readonly Attention[]): ReadonlyMap<NavigationPart, number> {
  const marks = new Map<NavigationPart, number>()
  const add = (part: NavigationPart, count: number) => marks.set(part, (marks.get(part) ?? 0) + count)
  for (const { kind, total } of new Map(rows.map(row => [row.kind, row])).values())
    for (const part of new Set<NavigationPart>(['home', kinds[kind].part])) add(part, total)
  return marks
}

export function AttentionList({ rows }: { rows: readonly Attention[] }) {
  const { now } = usePage()
  if (rows.length === 0) return <p class="soft">Nothing needs attention.</p>
  return (
    <ul class="attention-list">
      {order.map(kind => {
        const shown = rows.filter(row => row.kind === kind)
        const more = (shown[0]?.total ?? 0) - shown.length
        const { sentence, link, others } = kinds[kind]
        return (
          <>
            {shown.map(row => {
              const [text, path] = link(row)
              return (
                <li class="notice attention" data-attention={kind}>
                  <p>{sentence(row, now)}</p>
                  <a href={path}>
                    {text}
                    <span class="unseen"> of {row.name}</span>
                  </a>
                </li>
              )
            })}
            {more > 0 && (
              <li class="notice attention" data-attention={`more-${kind}`}>
                <p>
                  {figures(more)} more {others[0]}.
                </p>
                <a href={others[1]}>See them</a>
              </li>
            )}
          </>
        )
      })}
    </ul>
  )
}
