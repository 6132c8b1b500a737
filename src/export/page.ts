// Plans one page: what is asked, joined with what the walk was frozen to on its first page. Pure.
// It must not read or write anything; tokens are opened and sealed by page-token, rows are read by write-page.

import type { WalkStart } from '../db/walks.ts'
import { earliest, formatMicros, latest, type Micros } from '../domain/values/offset-time.ts'
import type { PageTokenContents } from './page-token.ts'
import type { WalkFilters } from './request.ts'
import type { PagePlan } from './write-page.ts'

/** A walk: everything that stays the same from its first page to its last. */
export interface Walk extends WalkFilters {
  program_id: number
  /** Random, to tell walks apart in the log and the audit trail. Hexadecimal. */
  walk_id: string
  /** The submission number the walk is frozen to (S of contract G1 to G6). */
  horizon: number
  /** Applications handed out on earlier pages. */
  applications: number
}

/** A walk at its first page, frozen to the program's state of now. */
export function beginWalk(programId: number, filters: WalkFilters, start: WalkStart, walkId: string): Walk {
  return { ...filters, program_id: programId, walk_id: walkId, horizon: start.horizon, applications: 0 }
}

/** The walk a token belongs to. */
export function resumeWalk(programId: number, filters: WalkFilters, token: PageTokenContents): Walk {
  const { walk_id, horizon, applications } = token
  return { ...filters, program_id: programId, walk_id, horizon, applications }
}

/** What to read for a page that starts behind `after`, or for the first page. */
export function planPage(walk: Walk, after: PagePlan['after']): PagePlan {
  return {
    query: {
      program_id: walk.program_id,
      horizon: walk.horizon,
      from: bound(walk.from),
      to: bound(walk.to),
      revision_state: walk.revision_state,
    },
    after,
    pageSize: walk.page_size,
  }
}

/** The token contents for the page behind `after`, `applications` further into the walk. */
export function nextPage(
  walk: Walk,
  after: NonNullable<PagePlan['after']>,
  applications: number,
  issuedAt: Micros,
): PageTokenContents {
  return { ...walk, after, applications: walk.applications + applications, issued_at: issuedAt }
}

/**
 * `Snapshot-Time` (G6): the earliest instant that no application of this walk's snapshot can have, and no later one can
 * precede. As `toDate` it takes in everything up to the snapshot, as the next `fromDate` everything after it, and the two
 * share nothing. Of a program that nobody has submitted to it is the earliest of all: a first load may bring any past time.
 */
export function snapshotTime(start: WalkStart): string {
  return formatMicros(start.horizon === 0 ? earliest : start.last_submit_time + 1)
}

/** A bound as PostgreSQL reads it; beyond what Micros hold it is no bound, or takes in nothing. */
function bound(instant: Micros | undefined): string | undefined {
  if (instant === undefined) return undefined
  if (instant <= earliest) return '-infinity'
  if (instant >= latest) return 'infinity'
  return formatMicros(instant)
}
