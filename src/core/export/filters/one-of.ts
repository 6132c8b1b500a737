// A filter by a field that has one of a few values in every application.

import { type FilterName, type FilterValues, reportedName } from '../../../db/walks/walk-filters.ts'
import { earliest } from '../../../domain/values/offset-time.ts'
import { RefusedValue, type WalkFilter } from './walk-filter.ts'

interface FewValues<Name extends FilterName> {
  /** Name of the filter and its parameter; with underscores, of the feed's column and the application's member. */
  name: Name
  /** At most three, in the order of their numbers in tokens. Add new values at the end. */
  values: readonly NonNullable<FilterValues[Name]>[] & readonly string[]
  description: string
  bit: number
}

/** An unknown value matches nothing in `$filter`, because later releases can add values; as a parameter it is an error. */
export function oneOf<Name extends FilterName>({ name, values, description, bit }: FewValues<Name>) {
  const property = reportedName(name)
  const find = (text: string) => values.find(value => value === text)
  return {
    parameter: {
      name,
      description,
      schema: { type: 'string', enum: [...values] },
      parse: text => find(text) ?? new RefusedValue(`invalid_${property}`, `must be ${values.join(' or ')}.`),
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
