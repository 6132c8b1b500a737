// What a client asks of an export: its query, parsed once into values that cannot be wrong, or one 400 that names all that is.
// Which program is meant, and whether the caller may read it, was decided before.

import type { RevisionState } from '../domain/questions/application.ts'
import { formatMicros, type Micros } from '../domain/values/offset-time.ts'
import type { ProblemItem } from '../problem.ts'
import { parseInstantParameter } from './instant-parameter.ts'
import { type OpenedToken, openPageToken, type TokenOpening } from './page-token.ts'
import { type Fault, parsePageSize, requestProblem, type SentParameters, SentQuery } from './sent-query.ts'
import type { WalkFilters } from './walk.ts'

const parameterNames = ['fromDate', 'toDate', 'revisionState', 'pageSize', 'nextPageToken'] as const
type ParameterName = (typeof parameterNames)[number]

/** The query as sent: what is absent is undefined, and no default is applied yet. */
export interface ExportRequest {
  from: Micros | undefined
  to: Micros | undefined
  revisionState: RevisionState | undefined
  /** As asked, at least 1; `planWalk` holds it to the maximum. Infinity for a number too long to tell. */
  pageSize: number | undefined
  token: OpenedToken | undefined
}

/**
 * The parameters of an export request. The token is opened too, so that what is wrong with it is named with the rest.
 * Throws one Problem `invalid_request` with an item for everything that is wrong.
 * Source: spec, "List program applications", query parameters; contract D2, D3, D9 to D12.
 */
export function parseExportRequest(
  sent: SentParameters,
  { timeZone }: { timeZone: string },
  tokens: TokenOpening,
): ExportRequest {
  const query = new SentQuery(sent, parameterNames)
  const instant = (value: string, fault: Fault): Micros | undefined => {
    const parsed = parseInstantParameter(value, timeZone)
    return typeof parsed === 'number' ? parsed : fault('invalid_date', parsed.fault)
  }
  const request: ExportRequest = {
    from: query.read('fromDate', instant),
    to: query.read('toDate', instant),
    revisionState: query.read('revisionState', parseRevisionState),
    pageSize: query.read('pageSize', parsePageSize),
    token: query.read('nextPageToken', value => query.collect(() => openPageToken(value, tokens))),
  }
  if (query.faults.length > 0) {
    if (request.token !== undefined) query.faults.push(...differences(request, request.token))
    throw query.problem()
  }
  return request
}

export interface PageLimits {
  maxPageSize: number
  civiformProfile?: 'contract' | 'civiform'
}

/** The code of a CiviForm holds no page to its maximum, and some of its clients ask for all on one page. This is what its number holds. */
const civiformPageSizeMax = 2 ** 31 - 1

/**
 * The filters of the walk that a request begins, or goes on with when it has a token. Parameters sent along with a token must
 * have the effective values of the first page: two spellings of one instant are equal, as are all page sizes from the maximum
 * up and none at all. Throws Problem `invalid_request`, code `differs_from_first_page`, naming each that differs.
 * Source: spec, "Pagination rules" 3 and 4; contract D2, D9.
 */
export function planWalk(request: ExportRequest, limits: PageLimits): WalkFilters {
  const { token } = request
  if (token === undefined) {
    const { from, to, revisionState, pageSize = limits.maxPageSize } = request
    const pageSizeMax = limits.civiformProfile === 'civiform' ? civiformPageSizeMax : limits.maxPageSize
    return { from, to, revisionState, pageSize: Math.min(pageSize, pageSizeMax), pageSizeMax }
  }
  const items = differences(request, token)
  if (items.length > 0) throw requestProblem(items)
  const { from, to, revisionState, pageSize, pageSizeMax } = token
  return { from, to, revisionState, pageSize, pageSizeMax }
}

function differences(request: ExportRequest, token: OpenedToken): ProblemItem[] {
  const items: ProblemItem[] = []
  const compare = <T>(parameter: ParameterName, here: T | undefined, first: T | undefined, show: (v: T) => string) => {
    if (here === undefined || here === first) return
    const was = first === undefined ? 'was not given' : `was ${show(first)}`
    const detail = `is ${show(here)}, but ${was} on the first page. Leave it out, or start again without nextPageToken.`
    items.push({ parameter, code: 'differs_from_first_page', detail })
  }
  // Held to the maximum of the first page: a walk outlives a change of the configuration.
  const size = request.pageSize === undefined ? undefined : Math.min(request.pageSize, token.pageSizeMax)
  compare('fromDate', request.from, token.from, formatMicros)
  compare('toDate', request.to, token.to, formatMicros)
  compare('revisionState', request.revisionState, token.revisionState, String)
  compare('pageSize', size, token.pageSize, String)
  return items
}

function parseRevisionState(value: string, fault: Fault): RevisionState | undefined {
  if (value === 'CURRENT' || value === 'OBSOLETE') return value
  return fault('invalid_revision_state', 'must be CURRENT or OBSOLETE, in capitals.')
}
