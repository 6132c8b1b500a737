// Parses the query options and headers of a request for an entity set. Source: OData 4.0, Protocol, sections 8.2 and 11.2. Unsupported
// options are errors, because ignoring them would change the result.

import { Problem, type ProblemItem } from '../../../base/problem.ts'
import { requireCountable } from '../../../core/export/odata/count-rows.ts'
import { parseFeedFilter, unsupported } from '../../../core/export/odata/feed-filter.ts'
import type { FeedColumn, FeedTable } from '../../../core/export/odata/feed-tables.ts'
import { openPageToken, type TokenOpening } from '../../../core/export/requests/page-token.ts'
import { type FieldError, type SentParameters, SentQuery } from '../../../core/export/requests/sent-query.ts'
import type { PageToken } from '../../../core/export/requests/walk.ts'
import { type FilterValues, noFilters } from '../../../db/walks/walk-filters.ts'
import { feedType } from '../headers/export-formats.ts'
import { acceptableType } from '../headers/negotiation.ts'
import { preferred } from '../headers/preference.ts'

const options = ['$filter', '$select', '$top', '$count', '$orderby', '$skiptoken', '$format'] as const
/** OData options that this feed does not support. */
const unsupportedOptions = [
  '$expand',
  '$search',
  '$apply',
  '$compute',
  '$skip',
  '$levels',
  '$index',
  '$schemaversion',
  '$deltatoken',
  '$id',
]
/** Options that the token already contains; clients must follow links unchanged. */
const ofFirstPages = ['$filter', '$orderby', '$count'] as const

type FeedQuery = SentQuery<(typeof options)[number]>

export interface FeedOptions {
  filters: FilterValues
  columns: readonly FeedColumn[]
  /** As sent, for the link to the next page. */
  select: string | undefined
  top: number | undefined
  count: boolean
}

/** Parses the query of a request for an entity set up to its token. Throws Problem `unsupported`; `readFeedOptions` reports other errors. */
export function openFeedQuery(
  sent: SentParameters,
  tokens: TokenOpening,
): { query: FeedQuery; token: PageToken | undefined } {
  requireSupported(sent, options)
  const query = new SentQuery({ ...sent, strict: true }, options)
  const token = query.read('$skiptoken', value => query.collect(() => openPageToken(value, tokens, '$skiptoken')))
  return { query, token }
}

function requireSupported({ pairs }: SentParameters, supported: readonly string[]): void {
  const other = pairs.find(({ name }) => unsupportedOptions.includes(name))
  if (other !== undefined)
    throw unsupported(other.name, `is not supported. Supported options are ${supported.join(', ')}.`)
}

/** `$top` and `$orderby` don't change a count (section 11.2.9). */
const ofCounts = ['$filter', '$top', '$orderby'] as const

/** The filters of a request for the number of rows. Throws Problem `invalid_request` or `unsupported`. */
export function readCountFilters(sent: SentParameters, { columns }: FeedTable): FilterValues {
  requireSupported(sent, ofCounts)
  const query = new SentQuery({ ...sent, strict: true }, ofCounts)
  const filters = readFilter(query, columns)
  if (query.errors.length > 0) throw query.problem()
  return filters ?? noFilters
}

function readFilter(query: SentQuery<string>, columns: readonly FeedColumn[]): FilterValues | undefined {
  const known = new Set(columns.map(({ name }) => name))
  return query.read('$filter', value => query.collect(() => parseFeedFilter(value, known)))
}

/** Throws Problem `invalid_request` with every error, or `unsupported`. */
export function readFeedOptions(query: FeedQuery, token: PageToken | undefined, table: FeedTable): FeedOptions {
  const { columns } = table
  let select: string | undefined
  const chosen = query.read('$select', (value, error) => {
    select = value
    // A column hidden since the first page is left out, as in every walk, and cannot be told from an unknown one.
    return columnsOf(value, columns, error, token !== undefined)
  })
  const top = query.read('$top', (value, error) =>
    /^[0-9]{1,15}$/.test(value) ? Number(value) : error('invalid_top', 'must be a whole number, such as 100.'),
  )
  const count = query.read('$count', (value, error) =>
    ['true', 'false'].includes(value) ? value === 'true' : error('invalid_count', 'must be true or false.'),
  )
  query.read('$orderby', value => query.collect(() => requireWalkOrder(value)))
  const filters = readFilter(query, columns)
  if (token !== undefined)
    for (const name of ofFirstPages)
      query.read(name, (_, error) =>
        error('not_with_skiptoken', 'cannot be added to @odata.nextLink. Follow the link unchanged.'),
      )
  if (query.errors.length > 0) throw query.problem()
  if (count === true) requireCountable(table)
  return { filters: filters ?? noFilters, columns: chosen ?? columns, select, top, count: count ?? false }
}

/** Always includes the key: otherwise each row would need an ID URL (JSON Format, section 4.5.8). */
function columnsOf(
  select: string,
  columns: readonly FeedColumn[],
  error: FieldError,
  isLater: boolean,
): FeedColumn[] | undefined {
  const names = select.split(',').map(name => name.trim())
  if (names.includes('*')) return [...columns]
  const known = new Set(columns.map(({ name }) => name))
  const unknown = names.filter(name => !known.has(name))
  if (unknown.length === 0 || isLater) return columns.filter(({ name }, i) => i === 0 || names.includes(name))
  const shown = unknown.slice(0, 20).map(name => JSON.stringify(name.slice(0, 100)))
  return error(
    'unknown_property',
    `contains unknown properties: ${shown.join(', ')}. Copy names exactly from $metadata.`,
  )
}

function requireWalkOrder(orderby: string): true {
  if (/^ *submit_time( +asc)? *$/.test(orderby)) return true
  throw unsupported(
    '$orderby',
    'supports only submit_time, ascending, which is the default. Sort by other columns in your own tool.',
  )
}

/** Throws Problem `not_acceptable` or `invalid_request` if the headers, or `$format` instead of them, allow no available format. */
export function requireFeedFormat({ headers }: Request, format: string | undefined, type: 'json' | 'xml'): void {
  const max = headers.get('odata-maxversion')
  if (max !== null && !(Number.parseFloat(max) >= 4))
    throw new Problem('invalid_request', {
      detail: 'This feed is OData 4.0.',
      errors: [{ parameter: 'OData-MaxVersion', code: 'version_not_available', detail: 'must be 4.0 or higher.' }],
    })
  const accept = type === 'xml' ? null : headers.get('accept')
  const wanted = format === undefined ? accept : format.includes('/') ? format : `application/${format}`
  if (acceptableType(wanted?.replaceAll(servedParameters, '') ?? null, [`application/${type}`]) !== undefined) return
  const item: ProblemItem = {
    parameter: format === undefined ? 'Accept' : '$format',
    code: 'not_acceptable',
    detail: `must accept ${type === 'xml' ? 'application/xml' : feedType}.`,
  }
  throw new Problem('not_acceptable', { detail: 'The feed is not available in this format.', errors: [item] })
}

/** Media type parameters that the response satisfies; clients that want less metadata can skip the little there is. */
const servedParameters =
  /; *(?:odata\.)?(?:metadata=(?:minimal|none)|streaming=(?:true|false))|; *IEEE754Compatible=false/gi

/** `odata.maxpagesize` (section 8.2.8.5): maximum applications per page, and the value of `Preference-Applied`. */
export function preferredPageSize(
  prefer: string | null,
  pageSizeMax: number,
): { pageSize: number; applied: string | undefined } {
  for (const name of ['odata.maxpagesize', 'maxpagesize']) {
    const size = preferred(prefer, name) ?? ''
    if (/^[1-9][0-9]*$/.test(size) && Number(size) <= pageSizeMax)
      return { pageSize: Number(size), applied: `${name}=${size}` }
  }
  return { pageSize: pageSizeMax, applied: undefined }
}
