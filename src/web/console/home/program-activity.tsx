// A program's activity: submissions in the last 30 days, applications by status, and exports.

/** @jsxImportSource preact */

import { dayMicros } from '../../../core/keys/expiry.ts'
import { readProgramStatuses } from '../../../db/applications/annotations.ts'
import type { Sql } from '../../../db/client.ts'
import {
  type ProgramReader,
  readProgramReaders,
  readStatusCounts,
  readSubmissionDays,
  type StatusCount,
  type SubmissionDay,
} from '../../../db/dashboard/program-figures.ts'
import { readStatusColors, type StatusColors } from '../../../db/programs/status-colors.ts'
import { dayAfter, lastDays } from '../../../domain/values/calendar-days.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import { DayChart } from '../../html/charts/bar-chart.tsx'
import { TallyBar } from '../../html/charts/tally-bar.tsx'
import { distance, figures, When } from '../../html/components.tsx'
import { readingRoles } from '../../html/navigation.ts'
import { usePage } from '../../html/page-context.ts'
import { applicationsPath } from '../applications/list-query.ts'
import { pathOfKey } from '../keys/key-labels.tsx'
import { rankOfStatus, toneOfStatus } from '../statuses/status-badge.tsx'

/** Beyond this the page shows “or more”. */
const submissionsMax = 100_000
/** Applications of a status are counted up to this number. */
const applicationsMax = 1000
const readersMax = 10
const daysShown = 30

export interface Activity {
  /** The last 30 days, ending today. */
  days: SubmissionDay[]
  submissions: number
  /** Submissions in the 30 days before; undefined if not all of them were counted. */
  before: number | undefined
  statuses: StatusCount[]
  status_colors: StatusColors
  readers: ProgramReader[]
}

export async function loadActivity(
  db: Sql,
  { program_id, slug }: { program_id: number; slug: string },
  { now, timeZone }: { now: Micros; timeZone: string },
): Promise<Activity> {
  const since = now - 2 * daysShown * dayMicros
  const [counted, statuses, offered = [], status_colors, readers] = await Promise.all([
    readSubmissionDays(db, program_id, { since, timeZone, most: submissionsMax }),
    readStatusCounts(db, program_id, applicationsMax + 1),
    readProgramStatuses(db, program_id),
    readStatusColors(db, program_id),
    readProgramReaders(db, slug, readersMax),
  ])
  const byDay = new Map(counted.map(({ day, submissions }) => [day, submissions]))
  const days = lastDays(now, timeZone, 2 * daysShown).map(day => ({ day, submissions: byDay.get(day) ?? 0 }))
  const before = days.splice(0, daysShown)
  const sum = (some: readonly SubmissionDay[]) => some.reduce((all, { submissions }) => all + submissions, 0)
  return {
    days,
    submissions: sum(days),
    before: sum(counted) < submissionsMax ? sum(before) : undefined,
    statuses: inOrder(statuses, offered),
    status_colors,
    readers,
  }
}

function inOrder(counts: readonly StatusCount[], statuses: string[]): StatusCount[] {
  const rankOf = ({ status }: StatusCount): number => rankOfStatus(status || null, { statuses })
  return counts.toSorted((a, b) => rankOf(a) - rankOf(b))
}

/** The 30-day total, and a bar for each day. Days with applications lead to them. */
export function Submitted({ slug, days, submissions, before }: Activity & { slug: string }) {
  return (
    <>
      <p>
        <strong class="loud">
          {figures(submissions)}
          {before === undefined && ' or more'}
        </strong>
        <small>submitted in the last 30 days{compared(submissions, before)}</small>
      </p>
      <DayChart
        title="Applications per day"
        series={[{ name: 'submitted' }]}
        days={days.map(({ day, submissions }) => ({
          day,
          values: [submissions],
          ...(submissions > 0 && { href: `${applicationsPath(slug)}?from=${day}&to=${dayAfter(day)}` }),
        }))}
      />
    </>
  )
}

function compared(submissions: number, before: number | undefined): string {
  if (before === undefined || before === 0) return ''
  const percent = Math.round((submissions / before - 1) * 100)
  return percent === 0
    ? ', unchanged from the previous 30 days'
    : `, ${figures(Math.abs(percent))}% ${percent > 0 ? 'more' : 'fewer'} than in the previous 30 days`
}

/** CURRENT applications by status, each with a link to the list. */
export function ByStatus({ slug, ...activity }: Pick<Activity, 'statuses' | 'status_colors'> & { slug: string }) {
  const { statuses } = activity
  const most = Math.max(1, ...statuses.map(({ applications }) => applications))
  if (statuses.length === 0) return <p class="soft">No applications yet.</p>
  return (
    <dl class="tally">
      {statuses.map(({ status, applications }) => (
        <div>
          <dt>
            <a
              dir="auto"
              href={`/admin/programs/${slug}/applications?revision=CURRENT&status=${status === '' ? 'none' : `is:${encodeURIComponent(status)}`}`}
            >
              {status === '' ? 'No status' : status}
            </a>
          </dt>
          <dd>{applications > applicationsMax ? `${figures(applicationsMax)}+` : figures(applications)}</dd>
          <TallyBar
            value={applications}
            most={most}
            tone={status === '' ? 'outline' : toneOfStatus(status, activity)}
          />
        </div>
      ))}
    </dl>
  )
}

/** The keys that have exported the program, and how far. `last` is when the newest application was submitted. */
export function ReadBy({ readers, last }: { readers: readonly ProgramReader[]; last: Micros | null }) {
  const { now, person } = usePage()
  if (readers.length === 0) return <p class="soft">Not exported yet.</p>
  const mayOpen = person !== undefined && readingRoles.includes(person.role)
  return (
    <ul class="readers">
      {readers.map(({ api_key_id, name, read_at, read_to }) => (
        <li data-read={read_to === null ? 'none' : last !== null && read_to >= last ? 'all' : 'some'}>
          {mayOpen ? (
            <a class="strong" dir="auto" href={pathOfKey(api_key_id)}>
              {name}
            </a>
          ) : (
            <strong dir="auto">{name}</strong>
          )}
          <small>
            last exported <When at={read_at} text={distance(Math.min(read_at, now), now)} />,{' '}
            {read_to === null ? (
              'no applications yet'
            ) : last !== null && read_to >= last ? (
              'up to date'
            ) : (
              <>
                up to <When at={read_to} />
              </>
            )}
          </small>
        </li>
      ))}
    </ul>
  )
}
