// Lists of applications in orders other than newest first. Each order combines lists that an index provides, so its cost doesn't grow with
// the program.

import type { Db, Sql } from '../client.ts'
import {
  type ListedApplication,
  type ListFilter,
  type ListPosition,
  readListedApplications,
} from './application-lists.ts'
import { statusSteps } from './list-lanes.ts'
import { readInTurn } from './lists-in-turn.ts'

export const listOrders = ['newest', 'oldest', 'status'] as const
export type ListOrder = (typeof listOrders)[number]

/** Where a page starts; `older` means towards the end of the list, whatever its order. */
export interface SortedPlace {
  direction: 'older' | 'newer'
  beyond: (ListPosition & { status: string | null }) | undefined
}

/** At most `rowsMax` applications in the direction of the position. `statuses` are in display order, null for none. */
export async function readSortedApplications(
  sql: Sql,
  programId: number,
  filter: ListFilter,
  { order, statuses, place }: { order: ListOrder; statuses: readonly (string | null)[]; place: SortedPlace },
  rowsMax: number,
): Promise<ListedApplication[]> {
  if (order === 'status') {
    const lists = statuses.map(status => ({
      filter: { ...filter, status },
      has: (application: { status: string | null }) => application.status === status,
    }))
    return readInTurn(sql, programId, lists, place, rowsMax)
  }
  const { direction, beyond } = place
  const towards = order === 'newest' ? direction : direction === 'older' ? 'newer' : 'older'
  return readListedApplications(sql, programId, filter, { direction: towards, beyond }, rowsMax)
}

/** The statuses of a program's applications, null for none. */
export async function readStatusesInUse(db: Db, programId: number): Promise<(string | null)[]> {
  const rows = await db<{ status: string }[]>`
    select state.status
    from ${statusSteps(db, programId)} state`
  return rows.map(({ status }) => status || null)
}
