// Parses the query of an export request into valid values, or throws one 400 with every error. The program and the key's permission have
// already been checked.

import type { Problem, ProblemItem } from '../../../base/problem.ts'
import type { FilterValues } from '../../../db/walks/walk-filters.ts'
import type { ExportProfile, KeyMap } from '../../../domain/questions/key-map.ts'
import { fieldNames, findFields, namesOfFields, visiblePart } from '../../../domain/questions/question-view.ts'
import { filterParameters } from '../filters/all-filters.ts'
import { RefusedValue } from '../filters/walk-filter.ts'
import { type ExportFormat, exportFormats } from '../framings/all-framings.ts'
import { openPageToken, type TokenOpening } from './page-token.ts'
import { parseFields, parseQuestions, unknownFields } from './question-choice.ts'
import { parseOneOf, parsePageSize, requestProblem, type SentParameters, SentQuery } from './sent-query.ts'
import type { PageToken, PlannedWalk } from './walk.ts'

export const exportParameterNames = [
  ...filterParameters.map(({ name }) => name),
  'pageSize',
  'fields',
  'questions',
  'format',
  'nextPageToken',
] as const

/** The query as sent: absent parameters are undefined, and no defaults are applied. */
export interface ExportRequest {
  filters: FilterValues
  /** Requested page size, at least 1; `planWalk` applies the maximum. Infinity for a number with too many digits. */
  pageSize: number | undefined
  /** Question keys as sent; `planWalk` checks that they exist. */
  fields?: readonly string[] | undefined
  questions?: 'current' | undefined
  format?: ExportFormat | undefined
  token: PageToken | undefined
  /** Errors in other parameters, kept if `fields` was sent so that all errors are reported together. */
  problem?: Problem
}

/**
 * Parses the parameters of an export request and opens its token.
 * Throws one Problem `invalid_request` with every error, or leaves that to `planWalk`, which reads `fields`.
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
    questions: query.read('questions', parseQuestions),
    format: query.read('format', parseOneOf(exportFormats, 'invalid_format')),
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

/** The followed system has no maximum page size, and some clients request everything on one page. This is its largest possible number. */
const originPageSizeMax = 2 ** 31 - 1

/**
 * The filters of the walk that a request starts, or continues if it has a token. Parameters sent with a token must have the effective
 * values of the first page: different spellings of an instant are equal, and so are all page sizes from the maximum up and none. `seen`, the
 * questions of the walk that the caller can see, and `chosenBefore`, those that the first page chose, are needed for `fields` only.
 * Throws Problem `invalid_request` for each parameter that differs (code `differs_from_first_page`) and each unknown field.
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
    const { filters, format, questions, pageSize = limits.maxPageSize } = request
    const pageSizeMax = limits.exportProfile === 'origin' ? originPageSizeMax : limits.maxPageSize
    return { filters, pageSize: Math.min(pageSize, pageSizeMax), pageSizeMax, fields: chosen, questions, format }
  }
  const { filters, pageSize, pageSizeMax, fields, questions, format } = token
  return { filters, pageSize, pageSizeMax, fields, questions, format }
}

/**
 * The questions in `fields`, which with a token must be those of its walk. Adds errors to `items`. A question hidden from the caller is
 * treated like one that does not exist, but hiding a question during a walk does not end the walk.
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
      const was = token.fields === undefined ? 'were not sent' : `were ${namesOfFields(seen, token.fields).join()}`
      items.push(differs('fields', `are ${namesOfFields(seen, chosen).join()}, but ${was}`))
    }
  }
  return chosen
}

/** Every filter, the page size, the questions and the format, so that changing one during a walk is always an error. */
function differences({ filters, pageSize, questions, format }: ExportRequest, token: PageToken): ProblemItem[] {
  const compared = (name: string, here: unknown, first: unknown, show: (value: unknown) => unknown): ProblemItem[] => {
    if (here === undefined || here === first) return []
    const was = first === undefined ? 'was not sent' : `was ${show(first)}`
    return [differs(name, `is ${show(here)}, but ${was}`)]
  }
  // Uses the maximum of the first page, because a walk can outlive a configuration change.
  const size = pageSize && Math.min(pageSize, token.pageSizeMax)
  return [
    ...filterParameters.flatMap(({ filter, name, report }) =>
      compared(name, filters[filter], token.filters[filter], report),
    ),
    ...compared('pageSize', size, token.pageSize, String),
    ...compared('questions', questions, token.questions, String),
    ...compared('format', format, token.format, String),
  ]
}

function differs(parameter: string, how: string): ProblemItem {
  const detail = `${how} on the first page. Omit it, or start again without nextPageToken.`
  return { parameter, code: 'differs_from_first_page', detail }
}
