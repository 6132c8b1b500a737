// Filters of walks, taken from their descriptions, so that a test has each that there is.

import fc from 'fast-check'
import { filterList, filterParameters } from '../../src/core/export/filters/all-filters.ts'
import type { FilterValues } from '../../src/db/walks/walk-filters.ts'

/** Filters with any values that a page token can hold. */
export const anyFilters: fc.Arbitrary<FilterValues> = fc.record(
  Object.fromEntries(
    filterList.map(({ name, inToken }) => {
      const value: fc.Arbitrary<unknown> =
        'values' in inToken
          ? fc.constantFrom(...inToken.values)
          : fc.array(fc.maxSafeInteger(), { minLength: inToken.count, maxLength: inToken.count }).map(inToken.value)
      return [name, fc.option(value, { nil: undefined })]
    }),
  ),
) as fc.Arbitrary<FilterValues>

/** Parameters with a fixed set of values, with these values. */
export const choices: readonly { parameter: string; values: readonly string[] }[] = filterParameters.flatMap(
  ({ name, schema }) => (Array.isArray(schema?.enum) ? [{ parameter: name, values: schema.enum as string[] }] : []),
)

/** Each combination of values of these parameters, as query parameters. */
export const everyChoice: readonly Readonly<Record<string, string>>[] = choices.reduce<Record<string, string>[]>(
  (all, { parameter, values }) =>
    all.flatMap(before => [before, ...values.map(value => ({ ...before, [parameter]: value }))]),
  [{}],
)
