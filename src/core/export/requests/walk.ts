// A walk: its start, the filters that stay the same on all its pages, and the token that connects them.
// page-token opens and seals tokens, write-page reads rows.
//
// A walk is frozen to the counter of the primary, whichever servers its pages are read from: everything that was committed before its
// first page was served is then in it (G1), and its Snapshot-Time can be the next fromDate (G6). A standby's counter would leave out
// what the standby has yet to replay. So a server in recovery begins no walk; it serves pages, if it has come as far as they need. Where
// an operator has a service that only exports on a standby (EXPORT_ONLY), a walk is frozen to what the standby has replayed.

import { Problem } from '../../../base/problem.ts'
import { traced } from '../../../base/tracing/span.ts'
import { readThroughLoss } from '../../../db/client.ts'
import {
  holdsWalkStart,
  type Position,
  readWalkStart,
  type WalkScope,
  type WalkStart,
} from '../../../db/walks/walks.ts'
import { beforeAllSubmissions, earliest, formatMicros, type Micros } from '../../../domain/values/offset-time.ts'
import { reportFilters } from '../filters/all-filters.ts'
import { byDeadline, type Exports } from '../servers/exports.ts'

/** What the request for the first page decides. */
export interface PlannedWalk extends Pick<WalkScope, 'filters'> {
  pageSize: number
  /** The maximum page size in force on the first page. */
  pageSizeMax: number
  /** Ids of the questions that were chosen by `fields`; undefined when none were, and all are sent. */
  fields?: readonly number[] | undefined
}

export interface Walk extends WalkScope, PlannedWalk {
  /** 16 hexadecimal digits, random: identifies the walk in the log and the audit log. */
  walkId: string
  /** The publication up to which versions count for the questions of its applications (D34); `earliest` before the first one. */
  questionsAsOf: Micros
  /** Applications handed out on earlier pages. */
  applications: number
}

/** Contents of a page token: the walk, and the start of its next page. */
export interface PageToken extends Walk {
  after: Position
  issuedAt: Micros
}

/** Throws Problem `unavailable` where the answer is not there by `deadlineMs`, and while no primary is. */
export async function readStartOfWalk(
  exports: Exports,
  programId: number,
  { exportOnly }: { exportOnly: boolean },
  deadlineMs: number,
): Promise<WalkStart> {
  const reading = traced('start of walk', () =>
    exports.read(sql => readThroughLoss(() => readWalkStart(sql, programId))),
  )
  const start = await byDeadline(deadlineMs, reading)
  if (start.in_recovery && !exportOnly) throw primaryMissing()
  return start
}

/** Whether a start that was read earlier, by whichever process, is still one of this database's history. */
export const holdsStartOfWalk = (
  exports: Exports,
  programId: number,
  start: WalkStart,
  deadlineMs: number,
): Promise<boolean> =>
  byDeadline(
    deadlineMs,
    exports.read(sql => readThroughLoss(() => holdsWalkStart(sql, programId, start))),
  )

/** During a failover the primary's address may resolve to a server that is not the primary yet. */
const primaryMissing = (): Problem =>
  new Problem('unavailable', {
    detail:
      'The database that takes submissions is being replaced by another one just now. Try again in a few seconds.',
    retryAfterSeconds: 5,
    internal: 'start_in_recovery',
  })

/** A walk at its first page, frozen to the program's state of now. */
export function beginWalk(programId: number, planned: PlannedWalk, start: WalkStart): Walk {
  const walkId = Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex')
  return {
    ...planned,
    programId,
    walkId,
    horizon: start.horizon,
    lastChange: start.last_change.mark,
    questionsAsOf: start.last_published_at ?? earliest,
    applications: 0,
  }
}

/** The token for the page that starts after a place, `applications` further into the walk. */
export function nextPage(walk: Walk, after: Position, applications: number, issuedAt: Micros): PageToken {
  return { ...walk, after, applications: walk.applications + applications, issuedAt }
}

/** Which applications a walk is limited to, as the log, the audit log and receipts show it. */
export const reportedFilters = ({ filters, pageSize }: Pick<Walk, 'filters' | 'pageSize'>) => ({
  ...reportFilters(filters),
  page_size: pageSize,
})

/**
 * `Snapshot-Time` (G6): every later application has this time or a later one. As `toDate` of one export and `fromDate` of the next
 * it divides the applications: each is in exactly one of the two. It is the first instant after the snapshot of the walk or, while a
 * load is under way in the program, the time that the load has reached. For a program without submissions it is before all times
 * (D35), because a first load may bring any.
 */
export function snapshotTime(start: Pick<WalkStart, 'horizon' | 'last_submit_time'>): string {
  return start.horizon === 0 ? beforeAllSubmissions : formatMicros(start.last_submit_time + 1)
}

/** `Questions-As-Of`: when the newest version was published whose questions are on every page of the walk (D34); null before the first. */
export const questionsAsOf = ({ last_published_at: at }: Pick<WalkStart, 'last_published_at'>): string | null =>
  at === null ? null : formatMicros(at)
