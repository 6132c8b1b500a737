// Offers the service's filters as command-line options. A filter without a text here is named and described as in OpenAPI.

import { exportFilters } from '@tributary/client/tools'
import { CommandError } from './pull-outcome.ts'
import type { PullFilters } from './pull-request.ts'

type ServiceFilter = keyof typeof exportFilters

interface FilterOption {
  name: ServiceFilter
  /** Without its dashes. */
  option: string
  value: string
  help: string
  values?: readonly string[]
}

const ownWords: { [Name in ServiceFilter]?: Partial<FilterOption> } = {
  fromDate: {
    option: 'from',
    value: '<date>',
    help: 'Submitted at or after this time: 2026-01-31 or 2026-01-31T09:30:00Z',
  },
  toDate: { option: 'before', value: '<date>', help: 'Submitted before this time' },
  revisionState: { option: 'revision', value: '<state>', help: 'CURRENT (the newest of each applicant) or OBSOLETE' },
}

const dashed = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

export const filterOptions: readonly FilterOption[] = (Object.keys(exportFilters) as ServiceFilter[]).map(name => ({
  name,
  option: dashed(name),
  value: '<value>',
  ...exportFilters[name],
  ...ownWords[name],
}))

type LastingFilter = Exclude<ServiceFilter, 'fromDate' | 'toDate'>

/** Filters that apply to an output permanently. Later pulls with other dates can be added to it. */
export const lastingFilters = filterOptions.filter(
  (filter): filter is FilterOption & { name: LastingFilter } => filter.name !== 'fromDate' && filter.name !== 'toDate',
)

export type LastingFilters = { [Name in LastingFilter]?: string | null }

export const lastingFiltersOf = (filters: PullFilters): LastingFilters =>
  Object.fromEntries(lastingFilters.map(({ name }) => [name, filters[name] ?? null]))

/** `--from, --before and --revision` */
export function namesOf(
  options: readonly Pick<FilterOption, 'option'>[],
  lastWord: 'and' | 'or',
  ...more: string[]
): string {
  const names = [...options.map(({ option }) => `--${option}`), ...more]
  return `${names.slice(0, -1).join(', ')} ${lastWord} ${names.at(-1)}`
}

/** The filters in parsed options. Throws CommandError for a value that the service would reject. */
export function filtersIn(given: Readonly<Record<string, unknown>>): PullFilters {
  const filters: Record<string, unknown> = {}
  for (const { name, option, values } of filterOptions) {
    const value = given[option]
    if (value !== undefined && values !== undefined && !values.includes(String(value)))
      throw new CommandError(
        'usage',
        `--${option} must be ${values.join(' or ')}, not "${value}". See tributary pull --help.`,
      )
    filters[name] = value
  }
  return filters
}
