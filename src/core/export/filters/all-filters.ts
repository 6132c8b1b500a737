// All filters of a walk in documented order, and the values derived from them.

import { type FilterName, type FilterValues, reportedName } from '../../../db/walks/walk-filters.ts'
import { applicationIds } from './application-ids.ts'
import { revisionState } from './revision-state.ts'
import { fromDate, toDate } from './submit-time.ts'
import { submitterType } from './submitter-type.ts'
import type { WalkFilter } from './walk-filter.ts'

const allFilters: { [Name in FilterName]: WalkFilter<NonNullable<FilterValues[Name]>> } = {
  from: fromDate,
  to: toDate,
  ids: applicationIds,
  revisionState,
  submitterType,
}

interface NamedFilter extends WalkFilter<unknown> {
  name: FilterName
}

export const filterList: readonly NamedFilter[] = Object.entries(allFilters).map(
  ([name, filter]) => ({ ...filter, name }) as NamedFilter,
)

/** Filters with a parameter in export requests. */
export const filterParameters = filterList.flatMap(({ name, parameter, report }) =>
  parameter === undefined ? [] : [{ filter: name, report, ...parameter }],
)

/** Columns that `$filter` can compare. */
export const feedProperties = filterList.flatMap(({ feed }) => feed ?? [])

/** Filters as shown in the log, the audit log and receipts. */
export const reportFilters = (filters: FilterValues): Record<string, unknown> =>
  Object.fromEntries(
    filterList.flatMap(({ name, report }) => {
      const value = filters[name]
      return value === undefined ? [] : [[reportedName(name), report(value)]]
    }),
  )
