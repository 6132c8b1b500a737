// The list of things that need attention, each with a link to the page where it can be fixed.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { dayMicros, expiringSoonDays } from '../../../core/keys/expiry.ts'
import { type Person, programsAmong } from '../../../core/people/roles.ts'
import { type Attention, type AttentionKind, readAttention } from '../../../db/dashboard/attention.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import { counted, distance, figures } from '../../html/components.tsx'
import { type NavigationPart, readingRoles } from '../../html/navigation.ts'
import { usePage } from '../../html/page-context.ts'
import type { Deps } from '../../http/server/deps.ts'
import { pathOfKey } from '../keys/key-labels.tsx'

const rowsMax = 5

/** The attention items a person may see. */
export async function loadAttention(
  { consoleDb, fileSpace }: AttentionDeps,
  person: Person,
  now: Micros,
): Promise<Attention[]> {
  const reads = readingRoles.includes(person.role)
  const among = programsAmong(person)
  const expiresUntil = now + expiringSoonDays * dayMicros
  const rows = await readAttention(consoleDb, { among, reads, now, expiresUntil, rowsMax })
  if (!reads || !(await fileSpace.isScarce())) return rows
  const count = Math.floor(((await fileSpace.read()) / Math.max(fileSpace.bytesMax, 1)) * 100)
  return [...rows, { kind: 'space', subject: 'files', name: 'FILES_MAX_BYTES', at: null, count, total: 1 }]
}

export type AttentionDeps = Pick<Deps, 'consoleDb' | 'fileSpace'>

interface Kind {
  /** The part of the navigation where it is counted. */
  part: NavigationPart
  sentence: (row: Attention, now: Micros) => ComponentChildren
  link: (row: Attention) => [text: string, path: string]
  /** Words and link for the items that aren't shown. */
  others: [what: string, path: string]
}

const name = ({ name }: Attention) => <strong dir="auto">{name}</strong>
const pathOf = ({ subject }: Attention): string => `/admin/programs/${subject}`

const kinds: Readonly<Record<AttentionKind, Kind>> = {
  lagging: {
    part: 'home',
    sentence: (row, now) => (
      <>
        Applications from {name(row)} are behind: the latest copied ones were submitted {distance(row.at!, now)}.
      </>
    ),
    link: ({ name }) => ['View settings', `/admin/settings?q=${encodeURIComponent(name)}`],
    others: ['systems are behind', '/admin/settings'],
  },
  space: {
    part: 'home',
    sentence: ({ count }) => (
      <>
        Uploaded files take up <strong>{count}%</strong> of <code>FILES_MAX_BYTES</code>. At 100%, applicants can’t
        upload files.
      </>
    ),
    link: ({ name }) => ['View settings', `/admin/settings?q=${name}`],
    others: ['spaces are full', '/admin/settings'],
  },
  failed: {
    part: 'jobs',
    sentence: ({ count }) => (
      <>
        <strong>{counted(count!, 'job')}</strong> failed. Exports aren’t affected, but docs may be out of date.
      </>
    ),
    link: () => ['View jobs', '/admin/jobs'],
    others: ['jobs failed', '/admin/jobs'],
  },
  refused: {
    part: 'keys',
    sentence: (row, now) => (
      <>
        {name(row)}: {counted(row.count!, 'rejected request')} in the last 24 hours, most recently{' '}
        {distance(row.at!, now)}.
      </>
    ),
    link: ({ subject }) => ['View reasons', pathOfKey(subject)],
    others: ['keys had rejected requests', '/admin/keys'],
  },
  expiring: {
    part: 'keys',
    sentence: (row, now) => (
      <>
        {name(row)} expires {distance(row.at!, now)}.
      </>
    ),
    link: ({ subject }) => ['Open key', pathOfKey(subject)],
    others: ['keys expire soon', '/admin/keys?state=expiring'],
  },
  undelivered: {
    part: 'webhooks',
    sentence: (row, now) =>
      row.count === null ? (
        <>
          {name(row)} was disabled after repeated failures {distance(row.at!, now)}. It gets no messages until you
          enable it.
        </>
      ) : (
        <>
          {counted(row.count, 'message')} to {name(row)} could not be delivered, the first {distance(row.at!, now)}.
        </>
      ),
    link: ({ subject }) => ['View attempts', `/admin/webhooks/${subject}`],
    others: ['webhooks are failing', '/admin/webhooks'],
  },
  unread: {
    part: 'programs',
    sentence: (row, now) => (
      <>
        {name(row)}{' '}
        {row.at === null
          ? 'has applications but has never been exported.'
          : `has applications submitted since its last export, ${distance(row.at, now)}.`}
      </>
    ),
    link: row => ['View program', pathOf(row)],
    others: ['programs haven’t been exported', '/admin/programs'],
  },
  draft: {
    part: 'programs',
    sentence: (row, now) => (
      <>
        A draft of {name(row)}, saved {distance(row.at!, now)}, hasn’t been published.
      </>
    ),
    link: row => ['Open draft', `${pathOf(row)}/questions`],
    others: ['drafts haven’t been published', '/admin/programs'],
  },
}

/** Kinds by urgency. */
const order = Object.keys(kinds) as AttentionKind[]

/** The number of items that need attention in each part of the navigation. Home counts all of them. */
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
                    <span class="unseen"> for {row.name}</span>
                  </a>
                </li>
              )
            })}
            {more > 0 && (
              <li class="notice attention" data-attention={`more-${kind}`}>
                <p>
                  {figures(more)} more {others[0]}.
                </p>
                <a href={others[1]}>View all</a>
              </li>
            )}
          </>
        )
      })}
    </ul>
  )
}
