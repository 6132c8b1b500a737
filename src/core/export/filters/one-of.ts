// A filter by one of a few values that each application has.

import { type FilterName, type FilterValues, reportedName } from '../../../db/walks/walk-filters.ts'
import { earliest } from '../../../domain/values/offset-time.ts'
import { RefusedValue, type WalkFilter } from './walk-filter.ts'

interface FewValues<Name extends FilterName> {
  /** Of the filter and its parameter; with underscores, of its column in the feed and of the member of the application object. */
  name: Name
  /** At most three, in the order in which tokens number them: add new ones at the end. */
  values: readonly NonNullable<FilterValues[Name]>[] & readonly string[]
  description: string
  bit: number
}

/** In `$filter` a value that is none of them finds nothing, since more may come; as a parameter it is refused. */
export function oneOf<Name extends FilterName>({ name, values, description, bit }: FewValues<Name>) {
  const property = reportedName(name)
  const find = (text: string) => values.find(value => value === text)
  return {
    parameter: {
      name,
      description,
      schema: { type: 'string', enum: [...values] },
      parse: text =>
        find(text) ?? new RefusedValue(`invalid_${property}`, `must be ${values.join(' or ')}, in capitals.`),
    },
    report: value => value,
    feed: {
      name: property,
      literal: 'text',
      possible: `${property} eq ${values.map(value => `'${value}'`).join(' or ')}`,
      narrow: (before, operator, text) => {
        if (operator !== 'eq') return undefined
        const value = find(text)
        const agrees = value !== undefined && (before[name] === undefined || before[name] === value)
        return { ...before, ...(agrees ? { [name]: value } : { to: earliest }) }
      },
    },
    inToken: { bit, values },
  } satisfies WalkFilter<NonNullable<FilterValues[Name]>>
}
