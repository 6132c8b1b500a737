// An export request: its query, parsed once into valid values, or one 400 that names everything wrong. Program and permission are
// decided before.

import type { Problem, ProblemItem } from '../../../base/problem.ts'
import type { FilterValues } from '../../../db/walks/walk-filters.ts'
import type { ExportProfile, KeyMap } from '../../../domain/questions/key-map.ts'
import { fieldNames, findFields, namesOfFields, visiblePart } from '../../../domain/questions/question-view.ts'
import { filterParameters } from '../filters/all-filters.ts'
import { RefusedValue } from '../filters/walk-filter.ts'
import { fieldsMax, openPageToken, type TokenOpening } from './page-token.ts'
import { type FieldError, parsePageSize, requestProblem, type SentParameters, SentQuery } from './sent-query.ts'
import type { PageToken, PlannedWalk } from './walk.ts'

export const exportParameterNames = [
  ...filterParameters.map(({ name }) => name),
  'pageSize',
  'fields',
  'nextPageToken',
] as const

/** The query as sent: what is absent is undefined, and no default is applied yet. */
export interface ExportRequest {
  filters: FilterValues
  /** As asked, at least 1; `planWalk` holds it to the maximum. Infinity for a number with too many digits. */
  pageSize: number | undefined
  /** Names of questions, as sent; only `planWalk` knows whether they exist. */
  fields?: readonly string[] | undefined
  token: PageToken | undefined
  /** Set only where `fields` was sent: errors of the other parameters, reported together with its own. */
  problem?: Problem
}

/**
 * The parameters of an export request. The token is opened too, so that what is wrong with it is named with the rest.
 * Throws one Problem `invalid_request` with an item for everything that is wrong; or leaves that to `planWalk`, which reads `fields`.
 * Source: spec, "List program applications", query parameters; contract D2, D3, D9 to D12.
 */
export function parseExportRequest(
  sent: SentParameters,
  { timeZone }: { timeZone: string },
  tokens: TokenOpening,
): ExportRequest {
  const query = new SentQuery(sent, exportParameterNames)
  const request: ExportRequest = {
    filters: readFilters(query, timeZone),
    pageSize: query.read('pageSize', parsePageSize),
    fields: query.read('fields', parseFields),
    token: query.read('nextPageToken', value => query.collect(() => openPageToken(value, tokens))),
  }
  if (query.errors.length > 0) {
    if (request.token !== undefined) query.errors.push(...differences(request, request.token))
    if (request.fields === undefined) throw query.problem()
    request.problem = query.problem()
  }
  return request
}

function readFilters(query: SentQuery<string>, timeZone: string): FilterValues {
  const read = filterParameters.map(({ filter, name, parse }) => {
    const value = query.read(name, (text, error) => {
      const parsed = parse(text, { timeZone })
      return parsed instanceof RefusedValue ? error(parsed.code, parsed.detail) : parsed
    })
    return [filter, value]
  })
  return Object.fromEntries(read)
}

export interface RequestLimits {
  maxPageSize: number
  exportProfile?: ExportProfile
}

/** The origin's code has no maximum page size, and some of its clients ask for everything on one page. This is the most its number holds. */
const originPageSizeMax = 2 ** 31 - 1

/**
 * The filters of the walk that a request begins, or continues when it has a token. Parameters sent along with a token must
 * have the effective values of the first page: two spellings of one instant are equal, as are all page sizes from the maximum
 * up and none at all. For `fields` alone are needed `seen`, the questions of the walk that the caller may see, and `chosenBefore`, those that
 * its first page chose, seen or not.
 * Throws Problem `invalid_request`, naming each that differs (code `differs_from_first_page`), and each field that does not exist.
 * Source: spec, "Pagination rules" 3 and 4; contract D2, D9.
 */
export function planWalk(
  request: ExportRequest,
  limits: RequestLimits,
  seen: KeyMap = [],
  chosenBefore: KeyMap = [],
): PlannedWalk {
  const { token, problem } = request
  const items = [...(problem?.errors ?? (token === undefined ? [] : differences(request, token)))]
  const chosen = request.fields && chooseFields(request.fields, { seen, chosenBefore }, token, items)
  if (items.length > 0) throw requestProblem(items, problem?.internal)
  if (token === undefined) {
    const { filters, pageSize = limits.maxPageSize } = request
    const pageSizeMax = limits.exportProfile === 'origin' ? originPageSizeMax : limits.maxPageSize
    return { filters, pageSize: Math.min(pageSize, pageSizeMax), pageSizeMax, fields: chosen }
  }
  const { filters, pageSize, pageSizeMax, fields } = token
  return { filters, pageSize, pageSizeMax, fields }
}

/**
 * The questions that `fields` names; with a token they must be those of its walk. What is wrong is added to `items`. A question that is
 * hidden from the caller is not among `seen`, and is treated like one that does not exist; but hiding one in mid-walk ends no walk.
 */
function chooseFields(
  names: readonly string[],
  { seen, chosenBefore }: { seen: KeyMap; chosenBefore: KeyMap },
  token: PageToken | undefined,
  items: ProblemItem[],
): readonly number[] {
  const before = findFields(chosenBefore, names)
  if (token?.fields !== undefined && before.unknown.length === 0 && before.chosen.join() === token.fields.join())
    return token.fields
  const { chosen, unknown } = findFields(seen, names)
  if (unknown.length > 0) items.push(unknownFields(unknown, seen))
  else if (token !== undefined) {
    const shown = (fields: readonly number[] | undefined): string =>
      fieldNames(visiblePart(seen, { hidden: new Set(), chosen: fields })).join()
    if (shown(chosen) !== shown(token.fields)) {
      const was = token.fields === undefined ? 'were not given' : `were ${namesOfFields(seen, token.fields).join()}`
      items.push(differs('fields', `are ${namesOfFields(seen, chosen).join()}, but ${was}`))
    }
  }
  return chosen
}

/** Names that a refusal lists at most. */
const namesListed = 100

export function unknownFields(unknown: readonly string[], seen: KeyMap): ProblemItem {
  const known = fieldNames(seen)
  const more = known.length - namesListed
  const list = (names: readonly string[]): string => names.slice(0, namesListed).join(', ')
  const detail =
    `names what is no question of this program: ${list(unknown.map(name => JSON.stringify(name.slice(0, 100))))}. ` +
    `${known.length === 0 ? 'It has none that can be named' : `Known are ${list(known)}`}${more > 0 ? `, and ${more} more, which its docs list` : ''}. Whatever is alongside application is always sent.`
  return { parameter: 'fields', code: 'unknown_field', detail }
}

/**
 * `fields`: keys of questions with commas between, those of repeated questions after their enumerators' and a dot. No key has spaces, so
 * those alongside commas are not meant.
 */
export function parseFields(value: string, error: FieldError): string[] | undefined {
  const names = [...new Set(value.split(',').map(name => name.trim()))]
  if (names.includes('')) return error('empty_field', 'has a comma with no question alongside it.')
  if (names.length <= fieldsMax) return names
  return error(
    'too_many_fields',
    `names ${names.length} questions; at most ${fieldsMax} can be. An enumerator that is named brings all that is repeated under it.`,
  )
}

/** Every filter and the page size, so that none can be changed in mid-walk without a word. */
function differences({ filters, pageSize }: ExportRequest, token: PageToken): ProblemItem[] {
  const compared = (name: string, here: unknown, first: unknown, show: (value: unknown) => unknown): ProblemItem[] => {
    if (here === undefined || here === first) return []
    const was = first === undefined ? 'was not given' : `was ${show(first)}`
    return [differs(name, `is ${show(here)}, but ${was}`)]
  }
  // Held to the maximum of the first page: a walk outlives a change of the configuration.
  const size = pageSize && Math.min(pageSize, token.pageSizeMax)
  return [
    ...filterParameters.flatMap(({ filter, name, report }) =>
      compared(name, filters[filter], token.filters[filter], report),
    ),
    ...compared('pageSize', size, token.pageSize, String),
  ]
}

function differs(parameter: string, how: string): ProblemItem {
  const detail = `${how} on the first page. Leave it out, or start again without nextPageToken.`
  return { parameter, code: 'differs_from_first_page', detail }
}
