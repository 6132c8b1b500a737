// Counts the applications of a walk. A count reads as little as possible: without filters, a program's counter knows how many applications it
// has, and the few that came after the horizon are subtracted.

import type { Sql, Transaction } from '../client.ts'
import { readValue } from '../client.ts'
import { type FilterValues, meetsFilters } from './walk-filters.ts'
import { isOfWalk } from './walk-start.ts'
import type { WalkScope } from './walks.ts'

/**
 * Number of applications in a walk that begins now or began a short time ago. Rejects with 57014 if PostgreSQL needs longer than `timeoutMs`, which
 * only happens with filters.
 */
export const countWalk = async (sql: Sql, walk: WalkScope, timeoutMs: number): Promise<number> =>
  (await sql.begin('read only', async tx => {
    await tx`select set_config('statement_timeout', ${String(Math.max(1, Math.ceil(timeoutMs)))}, true)`
    return readValue<number>(tx)`
      select ${countNow(tx, walk, walk.filters)} - (
        select count(*)
        from application
        where program_id = ${walk.programId}
        and submit_seq > ${walk.horizon}
        ${meetsFilters(tx, walk.filters, walk.horizon)}
      )
      from submission_counter c
      where c.program_id = ${walk.programId}
      and ${isOfWalk(tx, walk)}`
  })) as number

/**
 * Number of applications that match the filters, whenever they were submitted. Filters that most applications match are counted by their opposite,
 * which an index contains: counting the matches would read each application.
 */
function countNow(tx: Transaction, walk: WalkScope, filters: FilterValues): ReturnType<typeof meetsFilters> {
  const without = (opposite: FilterValues, rest: FilterValues) =>
    tx`(${countNow(tx, walk, rest)} - ${countNow(tx, walk, opposite)})`
  if (filters.revisionState === 'CURRENT')
    return without({ ...filters, revisionState: 'OBSOLETE' }, { ...filters, revisionState: undefined })
  if (filters.submitterType === 'APPLICANT')
    return without({ ...filters, submitterType: 'TRUSTED_INTERMEDIARY' }, { ...filters, submitterType: undefined })
  if (Object.values(filters).every(value => value === undefined)) return tx`(c.submissions - c.erased)`
  return tx`(
    select count(*)
    from application
    where program_id = ${walk.programId}
    ${meetsFilters(tx, filters, walk.horizon)}
  )`
}
