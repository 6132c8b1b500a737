// A walk: its start, its constant filters, and the token that connects its pages.
// page-token opens and seals tokens; write-page reads rows.
//
// A walk is frozen to the counter of the primary, whichever servers its pages are read from: so it contains everything committed before its
// first page (G1), and its Snapshot-Time can be the next fromDate (G6). A standby's counter would leave out what it has yet to replay, so a
// server in recovery starts no walk but serves pages once it has replayed enough. In an export-only service on a standby (EXPORT_ONLY), a
// walk is frozen to what the standby has replayed.

import { Problem } from '../../../base/problem.ts'
import { traced } from '../../../base/tracing/span.ts'
import { readThroughLoss } from '../../../db/client.ts'
import { holdsWalkStart, readWalkStart, type WalkStart } from '../../../db/walks/walk-start.ts'
import type { Position, WalkScope } from '../../../db/walks/walks.ts'
import { beforeAllSubmissions, earliest, formatMicros, type Micros } from '../../../domain/values/offset-time.ts'
import { reportFilters } from '../filters/all-filters.ts'
import type { ExportFormat } from '../framings/all-framings.ts'
import { byDeadline, type Exports } from '../servers/exports.ts'

/** Facts decided by the request for the first page. */
export interface PlannedWalk extends Pick<WalkScope, 'filters'> {
  pageSize: number
  /** The maximum page size in force on the first page. */
  pageSizeMax: number
  /** IDs of the questions chosen by `fields`; undefined if all are sent. */
  fields?: readonly number[] | undefined
  /** Value of `questions`; undefined if all questions that the program ever had are sent (contract D58). */
  questions?: 'current' | undefined
  /** Value of `format`; undefined if the Accept header of each page decides (contract D49). */
  format?: ExportFormat | undefined
}

export interface Walk extends WalkScope, PlannedWalk {
  /** 16 hexadecimal digits, random: identifies the walk in the log and the audit log. */
  walkId: string
  /** The publication up to which versions count for the questions of its applications (D34); `earliest` before the first one. */
  questionsAsOf: Micros
  /** Number of applications on earlier pages. */
  applications: number
}

/** Contents of a page token: the walk and the start of its next page. */
export interface PageToken extends Walk {
  after: Position
  issuedAt: Micros
}

/** Throws Problem `unavailable` if the start cannot be read by `deadlineMs` or there is no primary. */
export async function readStartOfWalk(
  exports: Exports,
  programId: number,
  { exportOnly }: { exportOnly: boolean },
  deadlineMs: number,
): Promise<WalkStart> {
  const reading = traced('start of walk', () =>
    exports.read('short', sql => readThroughLoss(() => readWalkStart(sql, programId))),
  )
  const start = await byDeadline(deadlineMs, reading)
  if (start.in_recovery && !exportOnly) throw primaryMissing()
  return start
}

/** Whether a start that any process read earlier is still part of this database's history. */
export const holdsStartOfWalk = (
  exports: Exports,
  programId: number,
  start: WalkStart,
  deadlineMs: number,
): Promise<boolean> =>
  byDeadline(
    deadlineMs,
    exports.read('short', sql => readThroughLoss(() => holdsWalkStart(sql, programId, start))),
  )

/** During a failover, the primary's address can resolve to a server that is not yet the primary. */
const primaryMissing = (): Problem =>
  new Problem('unavailable', {
    detail: 'A database failover is in progress. Try again in a few seconds.',
    retryAfterSeconds: 5,
    internal: 'start_in_recovery',
  })

/** A new walk, frozen to the program's current state. */
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

/** Token of the page that starts after a position, `applications` further into the walk. */
export function nextPage(walk: Walk, after: Position, applications: number, issuedAt: Micros): PageToken {
  return { ...walk, after, applications: walk.applications + applications, issuedAt }
}

/** Filters of a walk as shown in the log, the audit log and receipts. */
export const reportedFilters = ({ filters, pageSize }: Pick<Walk, 'filters' | 'pageSize'>) => ({
  ...reportFilters(filters),
  page_size: pageSize,
})

/**
 * `Snapshot-Time` (G6): every later application has this time or a later one. Used as `toDate` of one export and `fromDate` of the next, it
 * puts each application into exactly one of them. It is the first instant after the walk's snapshot or, while a bulk load is running in the
 * program, the time that the load has reached. For a program without submissions it is before all times (D35), because a first load can
 * contain any time.
 */
export function snapshotTime(start: Pick<WalkStart, 'horizon' | 'last_submit_time'>): string {
  return start.horizon === 0 ? beforeAllSubmissions : formatMicros(start.last_submit_time + 1)
}

/** `Questions-As-Of`: publication time of the newest version whose questions are on the pages (D34); null before the first. */
export const questionsAsOf = ({ last_published_at: at }: Pick<WalkStart, 'last_published_at'>): string | null =>
  at === null ? null : formatMicros(at)
