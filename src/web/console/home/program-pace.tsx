// How soon a program's applications get a status, and how often each client exports them.

/** @jsxImportSource preact */

import { dayMicros } from '../../../core/keys/expiry.ts'
import type { Db } from '../../../db/client.ts'
import {
  type ClientExports,
  type FirstStatusTimes,
  readClientExports,
  readFirstStatusTimes,
} from '../../../db/dashboard/program-figures.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import { TallyBar } from '../../html/charts/tally-bar.tsx'
import { Facts, figures } from '../../html/components.tsx'
import { readingRoles } from '../../html/navigation.ts'
import { usePage } from '../../html/page-context.ts'
import { pathOfKey } from '../keys/key-labels.tsx'

/** Medians are those of at most this many applications, the newest. */
const applicationsMax = 1000
/** Exports are counted in at most this many entries of the audit log, the newest. */
const entriesMax = 2000
const clientsMax = 10

export interface Pace {
  first_status: FirstStatusTimes
  exports: ClientExports[]
}

export async function loadPace(
  db: Db,
  { program_id, slug }: { program_id: number; slug: string },
  now: Micros,
): Promise<Pace> {
  const [month, quarter] = [now - 30 * dayMicros, now - 90 * dayMicros]
  const [first_status, exports] = await Promise.all([
    readFirstStatusTimes(db, program_id, { since: quarter, recentSince: month, most: applicationsMax }),
    readClientExports(db, slug, { since: month, most: entriesMax, rowsMax: clientsMax }),
  ])
  return { first_status, exports }
}

/** Median days until applications of the last 30 and 90 days got their first status. */
export const FirstStatus = ({ first_status: { recent, all } }: Pick<Pace, 'first_status'>) => (
  <>
    <h3>Median time to first status</h3>
    <Facts
      facts={[
        ['Submitted in the last 30 days', days(recent)],
        ['Submitted in the last 90 days', days(all)],
      ]}
    />
    <p class="soft">
      Based on the newest applications, at most {figures(applicationsMax)}. Imported statuses aren’t counted.
    </p>
  </>
)

function days(median: number | null): string {
  if (median === null) return 'no data yet'
  const rounded = Math.round(median * 10) / 10
  return rounded === 1 ? '1 day' : `${rounded} days`
}

/** A bar for each client, by its exports in the last 30 days. */
export function ExportsByClient({ exports }: Pick<Pace, 'exports'>) {
  const { person } = usePage()
  if (exports.length === 0) return null
  const mayOpen = person !== undefined && readingRoles.includes(person.role)
  const most = exports[0]!.exports
  return (
    <>
      <h3>Exports in the last 30 days</h3>
      <dl class="tally" data-exports="">
        {exports.map(({ api_key_id, name, exports }) => (
          <div>
            <dt dir="auto">{mayOpen ? <a href={pathOfKey(api_key_id)}>{name}</a> : name}</dt>
            <dd>{figures(exports)}</dd>
            <TallyBar value={exports} most={most} tone="info" />
          </div>
        ))}
      </dl>
    </>
  )
}
