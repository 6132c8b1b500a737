// Building blocks of pages: notices, tables that become cards on narrow screens, tabs, dates and numbers.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { emailOf } from '../../core/people/roles.ts'
import { formatOffsetTime, type Micros } from '../../domain/values/offset-time.ts'
import { Icon, type IconName } from './icon.tsx'
import { usePage } from './page-context.ts'

export type Tone = 'info' | 'attention' | 'good' | 'bad'

/** A message at the top of a page. `name` is a stable code for tests and scripts. */
export const Notice = ({ name, tone, children }: { name: string; tone: Tone; children: ComponentChildren }) => (
  <div class={`notice ${tone}`} data-notice={name} role={tone === 'bad' ? 'alert' : 'status'}>
    {children}
  </div>
)

/** The reason why a form was not accepted, when its page is shown again: the first thing to read, like the errors of fields. */
export const NotDone = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div class="notice bad" data-notice={name} role="alert" tabIndex={-1} autofocus>
    {children}
  </div>
)

export const Badge = ({ tone, children }: { tone?: Tone; children: ComponentChildren }) => (
  <span class={tone === undefined ? 'badge' : `badge ${tone}`}>{children}</span>
)

/** The confirmation of a completed action, named by `?done=` in the URL. */
export function DoneNotice({ texts }: { texts: Readonly<Record<string, string>> }) {
  const done = usePage().query.get('done')
  return done !== null && Object.hasOwn(texts, done) ? (
    <Notice name={done} tone="good">
      {texts[done]}
    </Notice>
  ) : null
}

/** A link that looks like a button. The icon comes first, except for “next”. */
export function LinkButton(props: {
  /** Whether it is the page's main action. */
  main?: boolean
  rel?: 'next' | 'prev'
  href: string
  id?: string
  download?: string
  newTab?: boolean
  icon?: IconName
  text: string
  /** Additional text for screen readers. */
  unseen?: string
}) {
  const { main, newTab, icon, text, unseen, ...link } = props
  const shown = icon !== undefined && <Icon name={icon} />
  return (
    <a class={main ? 'button' : 'button plain'} {...link} {...(newTab && { target: '_blank', rel: 'noopener' })}>
      {icon !== 'chevron-right' && shown}
      {text}
      {unseen !== undefined && <span class="unseen">{unseen}</span>}
      {icon === 'chevron-right' && shown}
    </a>
  )
}

/** A name in a table, usually a link, with its other identifiers in small print. */
export const Named = ({ href, name, small }: { href?: string; name: string; small: ComponentChildren }) => (
  <>
    {href === undefined ? (
      <span class="strong" dir="auto">
        {name}
      </span>
    ) : (
      <a class="strong" href={href} dir="auto">
        {name}
      </a>
    )}
    <small>{small}</small>
  </>
)

/** Names with their values; those without a value (undefined) are omitted. */
export const Facts = ({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl>
    {facts
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </>
      ))}
  </dl>
)

export type SortNow = 'ascending' | 'descending' | undefined

export interface Column<Row> {
  head: string
  cell: (row: Row) => ComponentChildren
  /** A link that sorts by this column, and the current sort order. */
  order?: { href: string; now: SortNow }
  /** Figures, aligned right. */
  figures?: boolean
  /** Its content is clear without the column's name, which cards omit. */
  evident?: boolean
  /** Only shown on wide screens: from 1,400 px. */
  roomy?: boolean
}

/** A table on a wide screen, cards on a narrow one, where each cell shows its column's name. */
export function Table<Row>(props: {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** Explains what to do if the list is empty. */
  empty: ComponentChildren
}) {
  if (props.rows.length === 0) return <div class="card empty">{props.empty}</div>
  return (
    <div class="card table">
      <table>
        <caption class="unseen">{props.caption}</caption>
        <thead>
          <tr>
            {props.columns.map(({ head, order, ...column }) => (
              <th scope="col" class={classOf(column)} aria-sort={order?.now}>
                {order === undefined ? (
                  head
                ) : (
                  <a href={order.href}>
                    <span class="unseen">Sort by </span>
                    {head}
                  </a>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map(row => (
            <tr>
              {props.columns.map(({ head, cell, ...column }) => (
                <td data-head={head} class={classOf(column)}>
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const classOf = ({
  figures,
  evident,
  roomy,
}: Pick<Column<never>, 'figures' | 'evident' | 'roomy'>): string | undefined =>
  [figures && 'figures', evident && 'evident', roomy && 'roomy'].filter(Boolean).join(' ') || undefined

/** Links that look like tabs, each to its own page. */
export function Tabs(props: {
  label: string
  tabs: readonly { text: string; path: string; count?: number; current: boolean }[]
}) {
  return (
    <nav class="tabs" aria-label={props.label}>
      {props.tabs.map(({ text, path, count, current }) => (
        <a href={path} aria-current={current ? 'page' : undefined}>
          {text} {count !== undefined && <span class="count">{figures(count)}</span>}
        </a>
      ))}
    </nav>
  )
}

/** Pages are in US English, and so are their dates and numbers. */
const locale = 'en-US'

/** 128,440. */
export const figures = (value: number): string => value.toLocaleString(locale)
/** `1 question`, `1,200 questions`. */
export const counted = (count: number, what: string): string => `${figures(count)} ${what}${count === 1 ? '' : 's'}`

const dates = new Map<string, { day: Intl.DateTimeFormat; minute: Intl.DateTimeFormat }>()

function formatsOf(timeZone: string) {
  let found = dates.get(timeZone)
  if (found === undefined) {
    const day = { timeZone, day: 'numeric', month: 'short', year: 'numeric' } as const
    const minute = { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
    found = { day: new Intl.DateTimeFormat(locale, day), minute: new Intl.DateTimeFormat(locale, minute) }
    dates.set(timeZone, found)
  }
  return found
}

/** `New York (America)` for `America/New_York`: people look for the city. */
export function zoneName(timeZone: string): string {
  const [region, ...place] = timeZone.replaceAll('_', ' ').split('/')
  return place.length === 0 ? timeZone : `${place.join(', ')} (${region})`
}

const calendarDays = {
  full: new Intl.DateTimeFormat(locale, { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' }),
  short: new Intl.DateTimeFormat(locale, { timeZone: 'UTC', day: 'numeric', month: 'short' }),
}

/** `Jan 31, 2026` for `2026-01-31`; short: `Jan 31`. */
export const calendarDay = (day: string, length: keyof typeof calendarDays = 'full'): string =>
  calendarDays[length].format(Date.parse(day))

/**
 * A time in the reader's time zone, to the day or minute; hovering shows the exact instant. With `until` it is the end of a period: an end at
 * midnight is shown as the day before, which is the last day of the period.
 */
export function When({ at, day, until, text }: { at: Micros; day?: boolean; until?: boolean; text?: string }) {
  const { timeZone } = usePage()
  const exact = formatOffsetTime(at, timeZone)
  const formats = formatsOf(timeZone)
  return (
    <time dateTime={exact} title={exact}>
      {text ?? (until ? formats.day.format(at / 1000 - 1) : (day ? formats.day : formats.minute).format(at / 1000))}
    </time>
  )
}

/** The person who did something in the console, by name if known. */
export function Who({ actor }: { actor: string | null }) {
  const { nameOf } = usePage()
  const email = emailOf(actor ?? '')
  return (
    <>
      {nameOf?.(email) ?? email}
      {actor?.startsWith('admin-token:') && ' (with a token)'}
    </>
  )
}

/** When and from where something was last used. */
export const LastUse = ({ at, address, text }: { at: Micros | null; address: string | null; text?: string }) => (
  <>
    {at === null ? 'never' : <When at={at} text={text} />}
    {address !== null && (
      <small>
        <code>{address}</code>
      </small>
    )}
  </>
)

/** `in 85 days`, `36 hours ago`: the distance of an instant from now. Days are used from two days on, because one may be nearly two. */
export function distance(at: Micros, now: Micros): string {
  const seconds = Math.round((at - now) / 1_000_000)
  const steps = [
    ['day', 86_400, 2],
    ['hour', 3600, 1],
    ['minute', 60, 1],
    ['second', 1, 0],
  ] as const
  const [unit, length] = steps.find(([, length, least]) => Math.abs(seconds) >= length * least) ?? steps[3]
  return relative.format(Math.trunc(seconds / length), unit)
}
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'always' })

/** A name. An email address can wrap between its parts: `mara@` `example` `.gov`. */
export const InParts = ({ children }: { children: string }) => (
  <>{children.split(/(?<=@)|(?=\.)/).flatMap((part, i) => (i === 0 ? [part] : [<wbr />, part]))}</>
)

/** Text in which backticks enclose code, as in error messages. */
export const Words = ({ children }: { children: string }) => (
  <>
    {children.split(/(`+)([^`]+)\1/).map((part, i) => (i % 3 === 1 ? null : i % 3 === 2 ? <code>{part}</code> : part))}
  </>
)
