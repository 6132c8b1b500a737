// Reads several lists of applications as one, each continuing where the previous list ends.

import type { Sql } from '../client.ts'
import {
  type ListedApplication,
  type ListFilter,
  type ListPlace,
  type ListPosition,
  readListedApplications,
} from './application-lists.ts'

interface PartOfList<Beyond> {
  filter: ListFilter
  /** Whether an application belongs to this list. Each must be in exactly one list and stay there, or pages would repeat or miss it. */
  has: (application: Beyond) => boolean
}

/** At most `rowsMax` applications of these lists, in the direction of the position. */
export async function readInTurn<Beyond extends ListPosition>(
  sql: Sql,
  programId: number,
  lists: readonly PartOfList<Beyond>[],
  { direction, beyond }: { direction: ListPlace['direction']; beyond: Beyond | undefined },
  rowsMax: number,
): Promise<ListedApplication[]> {
  const inOrder = direction === 'older' ? lists : lists.toReversed()
  const rows: ListedApplication[] = []
  for (const { filter, has } of beyond === undefined
    ? inOrder
    : inOrder.slice(inOrder.findIndex(list => list.has(beyond)))) {
    const place = { direction, beyond: beyond && has(beyond) ? beyond : undefined }
    rows.push(...(await readListedApplications(sql, programId, filter, place, rowsMax - rows.length)))
    if (rows.length === rowsMax) break
  }
  return rows
}
