// Lists of applications in orders other than newest first. Each is composed of lists that an index has, so no order costs more as a
// program grows.

import type { Db, Sql } from '../client.ts'
import {
  type ListedApplication,
  type ListFilter,
  type ListPosition,
  readListedApplications,
} from './application-lists.ts'
import { statusSteps } from './list-lanes.ts'

export const listOrders = ['newest', 'oldest', 'status'] as const
export type ListOrder = (typeof listOrders)[number]

/** Where a page begins; `older` goes towards the end of the list, whatever its order. */
export interface SortedPlace {
  direction: 'older' | 'newer'
  beyond: (ListPosition & { status: string | null }) | undefined
}

/** At most `rowsMax` applications in the direction of the place. `statuses` are in the order to show, null for none. */
export async function readSortedApplications(
  sql: Sql,
  programId: number,
  filter: ListFilter,
  { order, statuses, place }: { order: ListOrder; statuses: readonly (string | null)[]; place: SortedPlace },
  rowsMax: number,
): Promise<ListedApplication[]> {
  const { beyond } = place
  const read = (filter: ListFilter, direction: SortedPlace['direction'], beyond: SortedPlace['beyond'], most: number) =>
    readListedApplications(sql, programId, filter, { direction, beyond }, most)
  if (order === 'oldest') return read(filter, place.direction === 'older' ? 'newer' : 'older', beyond, rowsMax)
  if (order === 'newest') return read(filter, place.direction, beyond, rowsMax)
  const lists = place.direction === 'older' ? statuses : statuses.toReversed()
  const rows: ListedApplication[] = []
  for (const status of beyond === undefined ? lists : lists.slice(lists.indexOf(beyond.status))) {
    const within = status === beyond?.status ? beyond : undefined
    rows.push(...(await read({ ...filter, status }, place.direction, within, rowsMax - rows.length)))
    if (rows.length === rowsMax) break
  }
  return rows
}

/** The statuses that a program's applications have, null for none. */
export async function readStatusesInUse(db: Db, programId: number): Promise<(string | null)[]> {
  const rows = await db<{ status: string }[]>`
    select state.status
    from ${statusSteps(db, programId)} state`
  return rows.map(({ status }) => status || null)
}
