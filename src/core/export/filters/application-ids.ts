// The filter by ID range, `application_id` in `$filter`, which Power Query uses to refresh only part of a table.

import type { FilterValues, IdRange } from '../../../db/walks/walk-filters.ts'
import type { FeedOperator, WalkFilter } from './walk-filter.ts'

export const applicationIds: WalkFilter<IdRange> = {
  report: ids => ids,
  feed: {
    name: 'application_id',
    literal: 'number',
    possible: 'application_id with ge, gt, le, lt or eq and a number',
    narrow: (before, operator, literal) => ({ ...before, ids: narrowRange(before, operator, Number(literal)) }),
  },
  inToken: {
    bit: 5,
    count: 2,
    numbers: ({ from, to }) => [from, to],
    value: ([from, to]) => ({ from: from!, to: to! }),
  },
}

const allIds: IdRange = { from: 0, to: Number.MAX_SAFE_INTEGER }

/** IDs are whole numbers, but can be compared with any number. */
function narrowRange({ ids = allIds }: FilterValues, operator: FeedOperator, bound: number): IdRange {
  const from = operator === 'gt' ? Math.floor(bound) + 1 : Math.ceil(bound)
  const to = operator === 'lt' ? Math.ceil(bound) - 1 : Math.floor(bound)
  return {
    from: operator.startsWith('l') ? ids.from : Math.min(allIds.to, Math.max(ids.from, from)),
    to: operator.startsWith('g') ? ids.to : Math.max(allIds.from, Math.min(ids.to, to)),
  }
}
