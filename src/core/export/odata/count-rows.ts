// Counts the rows of the table of applications, for `$count`. Tables of entities aren't counted, because that would read every application.

import { readThroughLoss } from '../../../db/client.ts'
import { countWalk } from '../../../db/walks/walk-count.ts'
import { refusal } from '../pages/serve-page.ts'
import type { Walk } from '../requests/walk.ts'
import { byDeadline, type Exports } from '../servers/exports.ts'
import { unsupported } from './feed-filter.ts'
import type { FeedTable } from './feed-tables.ts'

/** Maximum time of a count in milliseconds. */
const countMsMax = 10_000

/** Throws Problem `unsupported` for a table of entities. */
export function requireCountable({ path }: FeedTable): void {
  if (path.length > 0) throw unsupported('$count', 'is supported for the table Applications only.')
}

/**
 * Number of applications on all pages of a walk that has just begun. Throws a Problem: `unsupported` if the filters take too long to count,
 * `unavailable` if the database doesn't respond by `deadlineMs`.
 */
export function countRows(exports: Exports, walk: Walk, deadlineMs: number): Promise<number> {
  // Half the time, so that the reason is known before the deadline.
  const timeoutMs = Math.min(countMsMax, (deadlineMs - performance.now()) / 2)
  const counting = exports.read('long', sql => readThroughLoss(() => countWalk(sql, walk, timeoutMs)))
  return byDeadline(deadlineMs, counting).catch(error => {
    const isFiltered = Object.values(walk.filters).some(value => value !== undefined)
    throw isFiltered && (error as { code?: unknown }).code === '57014'
      ? unsupported('$count', 'takes too long with this $filter. Count the rows yourself, or narrow the filter.', error)
      : refusal(error, false)
  })
}
