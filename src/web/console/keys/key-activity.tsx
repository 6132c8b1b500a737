// A key's activity: requests per day by outcome, recent exports, and its rejected requests with their reasons.

/** @jsxImportSource preact */

import type { Reason } from '../../../core/keys/caller.ts'
import { requestDays } from '../../../core/keys/request-counts.ts'
import { reasonTexts } from '../../../core/keys/test-access.ts'
import type { AuditEventRow } from '../../../db/audit/audit.ts'
import type { KeyExport } from '../../../db/audit/key-exports.ts'
import type { KeyRequestDay } from '../../../db/keys/key-request-days.ts'
import type { Refusal } from '../../../db/keys/refusal-rows.ts'
import { isCalendarDate } from '../../../domain/question-types/date.ts'
import { dayAfter, lastDays, timesOfDay } from '../../../domain/values/calendar-days.ts'
import { formatOffsetTime } from '../../../domain/values/offset-time.ts'
import { DayChart, type SeriesTone } from '../../html/charts/bar-chart.tsx'
import { Badge, calendarDay, counted, figures, Table, When, zoneName } from '../../html/components.tsx'
import { type NamedProgram, programNames } from '../../html/lists.tsx'
import { type PageContext, usePage } from '../../html/page-context.ts'
import { detailPairs } from '../audit/audit-details.ts'
import { DetailValue } from '../audit/audit-entries.tsx'
import { isServiceError, outcomeLabel, pathOfKey } from './key-labels.tsx'

interface Requests {
  apiKeyId: string
  requests: readonly KeyRequestDay[]
}

/** The only day whose rejected requests are shown; undefined for all days. */
export function dayShown(query: URLSearchParams): string | undefined {
  const day = query.get('day') ?? ''
  return isCalendarDate(day) ? day : undefined
}

const isSent = (outcome: string): boolean => outcome === 'complete' || outcome === 'interrupted'
const isRejected = (outcome: string): boolean => !isSent(outcome) && !isServiceError(outcome)

/** The audit log of a key, all of it unless times are given. */
function auditOf(apiKeyId: string, times: { from?: string; to?: string } = {}): string {
  return `/admin/audit?${new URLSearchParams({ actor: `key:${apiKeyId}`, ...times })}`
}

/** A day in the format of the audit log's filters. Days are in the instance's time zone, which may differ from the reader's. */
function filtersOf(day: string, { timeZone, config }: Pick<PageContext, 'timeZone' | 'config'>) {
  if (timeZone === config.timeZone) return { from: day, to: dayAfter(day) }
  const { from, to } = timesOfDay(day, config.timeZone)
  return { from: formatOffsetTime(from, config.timeZone), to: formatOffsetTime(to, config.timeZone) }
}

/** Names the time zone of a chart's days if it isn't the reader's. */
function DaysNote() {
  const { timeZone, config } = usePage()
  return timeZone === config.timeZone ? null : <p class="soft">Days in {zoneName(config.timeZone)}</p>
}

/** Rejected requests of a day on the page of the key. */
const rejectedOn = (apiKeyId: string, day: string): string => `${pathOfKey(apiKeyId)}?day=${day}#rejected`

const parts: readonly { name: string; tone: SeriesTone; has: (outcome: string) => boolean }[] = [
  { name: 'Successful', tone: 'info', has: outcome => outcome === 'complete' },
  { name: 'Interrupted', tone: 'quiet', has: outcome => outcome === 'interrupted' },
  { name: 'Rejected', tone: 'attention', has: isRejected },
  { name: 'Service errors', tone: 'bad', has: isServiceError },
]

const sum = (some: readonly KeyRequestDay[]): number => some.reduce((all, { requests }) => all + requests, 0)

/** Requests of 30 days by outcome. Each day leads to the audit log, or to the rejected requests if there was nothing else. */
export function RequestsByDay({ apiKeyId, requests }: Requests) {
  const page = usePage()
  const days = lastDays(page.now, page.config.timeZone, requestDays)
  const byDay = Map.groupBy(requests, ({ day }) => day)
  const shown = parts.filter(({ has }, i) => i === 0 || requests.some(({ outcome }) => has(outcome)))
  return (
    <section class="card" aria-labelledby="requests">
      <h2 id="requests">{counted(sum(requests), 'request')} in the last 30 days</h2>
      <DayChart
        title="Requests per day"
        series={shown}
        days={days.map(day => {
          const some = byDay.get(day) ?? []
          const hasSent = some.some(({ outcome }) => !isRejected(outcome))
          return {
            day,
            values: shown.map(({ has }) => sum(some.filter(({ outcome }) => has(outcome)))),
            ...(some.length > 0 && {
              href: hasSent ? auditOf(apiKeyId, filtersOf(day, page)) : rejectedOn(apiKeyId, day),
            }),
          }
        })}
      />
      <DaysNote />
    </section>
  )
}

/** The last exports: what was read, how far, and how each ended. */
export function LastExports(props: {
  apiKeyId: string
  exports: readonly KeyExport[]
  programs: readonly NamedProgram[]
}) {
  const { apiKeyId, exports, programs } = props
  return (
    <>
      <h2>Recent exports</h2>
      <Table
        caption="Recent exports with this key"
        rows={exports}
        empty="No exports yet. They appear here once the client has received its first page."
        columns={[
          {
            head: 'Started',
            cell: ({ began_at, audit_event_id }) => (
              <a href={`/admin/audit/events/${audit_event_id}`}>
                <When at={began_at} />
              </a>
            ),
          },
          {
            head: 'Program',
            cell: ({ program_slug, kind, format }) => (
              <>
                <bdi>{programNames([program_slug], programs)}</bdi>
                <small>
                  {kindTexts[kind]}
                  {format}
                </small>
              </>
            ),
          },
          { head: 'Filters', cell: item => <Filters {...item} /> },
          { head: 'Pages', figures: true, cell: ({ pages, is_bounded }) => orMore(pages, is_bounded) },
          { head: 'Applications', figures: true, cell: ({ applications }) => figures(applications) },
          { head: 'Result', cell: item => <Result {...item} /> },
          { head: 'Duration', cell: item => <Duration {...item} /> },
        ]}
      />
      <p class="more">
        <a href={auditOf(apiKeyId)}>View all in the audit log</a>
      </p>
    </>
  )
}

const kindTexts = {
  walk: '',
  changes: 'one day of the change feed, ',
  single: 'one day of single applications, ',
} as const

const orMore = (count: number, isMore: boolean): string => `${figures(count)}${isMore ? ' or more' : ''}`

/** Without the page size, which selects nothing. */
function Filters({ filters, fields }: KeyExport) {
  const { page_size, ...rest } = filters as AuditEventRow['detail']
  const pairs = detailPairs(rest)
  if (pairs.length === 0 && fields === null) return <>none</>
  return (
    <>
      {pairs.map(pair => (
        <span class="line">
          {pair.name}: <DetailValue {...pair} />
        </span>
      ))}
      {fields !== null && <span class="line">{counted(fields, 'question')}</span>}
    </>
  )
}

const resultTexts: Readonly<Record<string, string>> = {
  client_gone: 'Client disconnected',
  stalled: 'Client stopped reading',
  failed: 'Failed',
}

/** While the last page is recent, the client may still request the next one. */
const continuesMicros = 600_000_000

function Result({ outcome, ended_at }: KeyExport) {
  const { now } = usePage()
  if (outcome === 'complete') return <Badge tone="good">Complete</Badge>
  if (outcome !== 'unfinished') return <Badge tone="bad">{resultTexts[outcome] ?? outcome}</Badge>
  if (now - ended_at < continuesMicros) return <Badge tone="info">In progress</Badge>
  return <Badge tone="attention">Next page not requested</Badge>
}

function Duration({ kind, began_at, ended_at, is_bounded }: KeyExport) {
  if (kind !== 'walk') return <>–</>
  return <>{(is_bounded ? 'over ' : '') + lasting(ended_at - began_at)}</>
}

/** `0.4 s`, `12 s`, `3 min`, `2 h 10 min`. */
export function lasting(micros: number): string {
  const seconds = Math.max(0, micros / 1_000_000)
  if (seconds < 9.95) return `${Math.max(0.1, seconds).toFixed(1)} s`
  if (seconds < 99.5) return `${Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const rest = minutes % 60
  return `${figures(Math.floor(minutes / 60))} h${rest === 0 ? '' : ` ${rest} min`}`
}

/** Reasons with a color of their own; the others share one. */
const tones: readonly SeriesTone[] = ['attention', 'bad', 'info']

/** Rejected requests over time by reason, with a table of reasons and the newest requests. */
export function RejectedRequests({ apiKeyId, requests, refusals }: Requests & { refusals: readonly Refusal[] }) {
  const { query } = usePage()
  const rejected = requests.filter(({ outcome }) => isRejected(outcome))
  const day = dayShown(query)
  return (
    <section class="stack" aria-labelledby="rejected">
      <h2 id="rejected">Rejected requests</h2>
      {rejected.length > 0 && <RejectedByDay apiKeyId={apiKeyId} requests={rejected} />}
      {day !== undefined && (
        <p>
          Showing {calendarDay(day)}. <a href={`${pathOfKey(apiKeyId)}#rejected`}>Show all days</a>
        </p>
      )}
      <Table
        caption="Rejected requests with this key"
        rows={refusals}
        empty={
          day !== undefined
            ? 'No requests with status 401 were recorded on this day. Other errors are only counted.'
            : 'No rejected requests in the last 30 days.'
        }
        columns={[
          { head: 'When', cell: refusal => <When at={refusal.happened_at} /> },
          { head: 'Reason', cell: refusal => reasonTexts[refusal.reason as Reason] ?? refusal.reason },
          { head: 'Address', cell: refusal => <code>{refusal.address ?? 'unknown'}</code> },
          { head: 'Request ID', cell: refusal => <code>{refusal.request_id}</code> },
        ]}
      />
    </section>
  )
}

function RejectedByDay({ apiKeyId, requests }: Requests) {
  const { now, config } = usePage()
  const days = lastDays(now, config.timeZone, requestDays)
  const reasons = [...Map.groupBy(requests, ({ outcome }) => outcome)]
    .map(([reason, some]) => ({ reason, some, total: sum(some) }))
    .toSorted((a, b) => b.total - a.total)
  const named = reasons.slice(0, tones.length)
  const others = reasons.slice(tones.length).flatMap(({ some }) => some)
  const series = [
    ...named.map(({ reason, some }, i) => ({ name: outcomeLabel(reason), tone: tones[i]!, some })),
    ...(others.length > 0 ? [{ name: 'Other reasons', tone: 'quiet' as const, some: others }] : []),
  ]
  return (
    <div class="card">
      <DayChart
        title="Rejected requests per day, by reason"
        series={series}
        days={days.map(day => {
          const values = series.map(({ some }) => sum(some.filter(item => item.day === day)))
          return { day, values, ...(values.some(value => value > 0) && { href: rejectedOn(apiKeyId, day) }) }
        })}
      />
      <DaysNote />
      <dl class="tally">
        {reasons.map(({ reason, total }) => (
          <div data-reason={reason}>
            <dt>{outcomeLabel(reason)}</dt>
            <dd>{figures(total)}</dd>
            <dd class="soft">{reasonTexts[reason as Reason]}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
