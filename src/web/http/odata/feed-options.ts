// The query options and headers of a request for an entity set. Source: OData 4.0, Protocol, sections 8.2 and 11.2. Refuses an option that
// the feed does not have: an answer without it would be another one.

import { Problem, type ProblemItem } from '../../../base/problem.ts'
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
/** What OData has and this feed has not. */
const others = [
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
/** What the token has already; a link is to be followed as it is. */
const ofFirstPages = ['$filter', '$orderby', '$count'] as const

type FeedQuery = SentQuery<(typeof options)[number]>

export interface FeedOptions {
  filters: FilterValues
  columns: readonly FeedColumn[]
  /** As it was sent, for the link to the next page. */
  select: string | undefined
  top: number | undefined
  count: boolean
}

/** The query of a request for an entity set, with the token in it. Throws Problem `unsupported`; other errors are kept for `readFeedOptions`. */
export function openFeedQuery(
  sent: SentParameters,
  tokens: TokenOpening,
): { query: FeedQuery; token: PageToken | undefined } {
  const other = sent.pairs.find(({ name }) => others.includes(name))
  if (other !== undefined)
    throw unsupported(other.name, `is not offered. The options of this feed are ${options.join(', ')}.`)
  const query = new SentQuery({ ...sent, strict: true }, options)
  const token = query.read('$skiptoken', value => query.collect(() => openPageToken(value, tokens, '$skiptoken')))
  return { query, token }
}

/** Throws Problem `invalid_request` that names all that is wrong, or `unsupported`. */
export function readFeedOptions(query: FeedQuery, token: PageToken | undefined, table: FeedTable): FeedOptions {
  const { columns } = table
  let select: string | undefined
  const chosen = query.read('$select', (value, error) => {
    select = value
    // A column that was hidden since the first page is left out, as in every walk; others are then not told from it.
    return columnsOf(value, columns, error, token !== undefined)
  })
  const top = query.read('$top', (value, error) =>
    /^[0-9]{1,15}$/.test(value) ? Number(value) : error('invalid_top', 'must be a whole number in digits.'),
  )
  const count = query.read('$count', (value, error) =>
    ['true', 'false'].includes(value) ? value === 'true' : error('invalid_count', 'must be true or false.'),
  )
  query.read('$orderby', value => query.collect(() => requireWalkOrder(value)))
  const known = new Set(columns.map(({ name }) => name))
  const filters = query.read('$filter', value => query.collect(() => parseFeedFilter(value, known)))
  if (token !== undefined)
    for (const name of ofFirstPages)
      query.read(name, (_, error) => error('not_with_skiptoken', 'is in the link already. Follow the link as it is.'))
  if (query.errors.length > 0) throw query.problem()
  if (count === true && table.path.length > 0)
    throw unsupported('$count', 'is offered of applications alone: entities would have to be read to be counted.')
  return { filters: filters ?? noFilters, columns: chosen ?? columns, select, top, count: count ?? false }
}

/** The key is always sent: without it each row would need an address of its own (JSON Format, section 4.5.8). */
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
    `names what is no property here: ${shown.join(', ')}. Names are written exactly, see $metadata.`,
  )
}

function requireWalkOrder(orderby: string): true {
  if (/^ *submit_time( +asc)? *$/.test(orderby)) return true
  throw unsupported(
    '$orderby',
    'can be submit_time alone, ascending. Rows come in that order anyway; sort the rest where they are shown.',
  )
}

/** Throws Problem `not_acceptable` or `invalid_request` where the headers, or `$format` in their place, allow none of its answers. */
export function requireFeedFormat({ headers }: Request, format: string | undefined, type: 'json' | 'xml'): void {
  const max = headers.get('odata-maxversion')
  if (max !== null && !(Number.parseFloat(max) >= 4))
    throw new Problem('invalid_request', {
      detail: 'This feed is OData 4.0.',
      errors: [{ parameter: 'OData-MaxVersion', code: 'version_not_available', detail: 'must be 4.0 or higher.' }],
    })
  const accept = type === 'xml' ? null : headers.get('accept')
  const asked = format === undefined ? accept : format.includes('/') ? format : `application/${format}`
  if (acceptableType(asked?.replaceAll(servedParameters, '') ?? null, [`application/${type}`]) !== undefined) return
  const item: ProblemItem = {
    parameter: format === undefined ? 'Accept' : '$format',
    code: 'not_acceptable',
    detail: `names no available format. Available is ${type === 'xml' ? 'application/xml' : feedType}.`,
  }
  throw new Problem('not_acceptable', { detail: 'The feed has no such format.', errors: [item] })
}

/** Parameters of the media type under which what is sent is right: a client that wants less metadata can skip the little that comes. */
const servedParameters =
  /; *(?:odata\.)?(?:metadata=(?:minimal|none)|streaming=(?:true|false))|; *IEEE754Compatible=false/gi

/** `odata.maxpagesize` (section 8.2.8.5): how many applications a page may have at most, and what confirms it (`Preference-Applied`). */
export function preferredPageSize(
  prefer: string | null,
  pageSizeMax: number,
): { pageSize: number; applied: string | undefined } {
  for (const name of ['odata.maxpagesize', 'maxpagesize']) {
    const wish = preferred(prefer, name) ?? ''
    if (/^[1-9][0-9]*$/.test(wish) && Number(wish) <= pageSizeMax)
      return { pageSize: Number(wish), applied: `${name}=${wish}` }
  }
  return { pageSize: pageSizeMax, applied: undefined }
}
