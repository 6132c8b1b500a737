// What a client asks of an export: its query, parsed once into values that cannot be wrong, or one 400 that names all that is.
// Which program is meant, and whether the caller may read it, was decided before.

import type { RevisionState } from '../domain/questions/application.ts'
import { formatMicros, type Micros } from '../domain/values/offset-time.ts'
import { Problem, type ProblemItem } from '../problem.ts'
import { parseInstantParameter } from './instant-parameter.ts'
import { type OpenedToken, openPageToken, type TokenOpening } from './page-token.ts'
import type { WalkFilters } from './walk.ts'

/** Most unknown names that a strict refusal lists, and most characters of one that it repeats. */
const unknownNamesMax = 50
const nameLengthMax = 100

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

/** What was sent, before anything is known of what it means. */
interface SentParameters {
  pairs: readonly { name: string; value: string }[]
  /** Names of those whose encoding is broken. */
  malformed: readonly string[]
  /** Whether unknown names are to be refused (contract D10). */
  strict: boolean
}

/**
 * The parameters of an export request. The token is opened too, so that what is wrong with it is named with the rest.
 * Throws one Problem `invalid_request` with an item for everything that is wrong.
 * Source: spec, "List program applications", query parameters; contract D2, D3, D9 to D12.
 */
export function parseExportRequest(
  { pairs, malformed, strict }: SentParameters,
  { timeZone }: { timeZone: string },
  tokens: TokenOpening,
): ExportRequest {
  const faults = new Faults()
  for (const name of new Set(malformed)) {
    faults.add(name, 'malformed_encoding', 'is not percent-encoded UTF-8. Write a percent sign as %25.')
  }
  const unknown = new Set(pairs.map(({ name }) => name).filter(name => !isParameterName(name)))
  if (strict) faults.addUnknown([...unknown])

  const read = <T>(name: ParameterName, parse: (value: string, fault: Fault) => T | undefined): T | undefined => {
    const values = pairs.filter(pair => pair.name === name).map(pair => pair.value)
    if (values[0] === undefined) return undefined
    const fault: Fault = (code, detail) => faults.add(name, code, detail)
    if (values.length > 1) return fault('duplicate_parameter', `is given ${values.length} times; once is right.`)
    if (values[0] === '') return fault('missing_value', 'has no value. Give one, or leave the parameter out.')
    return parse(values[0], fault)
  }
  const instant = (value: string, fault: Fault): Micros | undefined => {
    const parsed = parseInstantParameter(value, timeZone)
    return typeof parsed === 'number' ? parsed : fault('invalid_date', parsed.fault)
  }
  const request: ExportRequest = {
    from: read('fromDate', instant),
    to: read('toDate', instant),
    revisionState: read('revisionState', parseRevisionState),
    pageSize: read('pageSize', parsePageSize),
    token: read('nextPageToken', value => faults.collect(() => openPageToken(value, tokens))),
  }
  if (faults.items.length > 0) {
    if (request.token !== undefined) faults.items.push(...differences(request, request.token))
    throw faults.problem()
  }
  return request
}

/**
 * The filters of the walk that a request begins, or goes on with when it has a token. Parameters sent along with a token must
 * have the effective values of the first page: two spellings of one instant are equal, as are all page sizes from the maximum
 * up and none at all. Throws Problem `invalid_request`, code `differs_from_first_page`, naming each that differs.
 * Source: spec, "Pagination rules" 3 and 4; contract D2, D9.
 */
export function planWalk(request: ExportRequest, limits: { maxPageSize: number }): WalkFilters {
  const { token } = request
  if (token === undefined) {
    const { from, to, revisionState, pageSize = limits.maxPageSize } = request
    const pageSizeMax = limits.maxPageSize
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

type Fault = (code: string, detail: string) => undefined

function parseRevisionState(value: string, fault: Fault): RevisionState | undefined {
  if (value === 'CURRENT' || value === 'OBSOLETE') return value
  return fault('invalid_revision_state', 'must be CURRENT or OBSOLETE, in capitals.')
}

function parsePageSize(value: string, fault: Fault): number | undefined {
  if (/^[0-9]+$/.test(value) && /[1-9]/.test(value)) return Number(value)
  return fault('invalid_page_size', 'must be a whole number of at least 1, in digits alone.')
}

const isParameterName = (name: string): name is ParameterName => (parameterNames as readonly string[]).includes(name)

/** Everything wrong with a request, gathered to be named at once. */
class Faults {
  readonly items: ProblemItem[] = []
  #internal: string | undefined

  add(name: string, code: string, detail: string): undefined {
    const parameter = name.length > nameLengthMax ? `${name.slice(0, nameLengthMax)}…` : name
    this.items.push({ parameter, code, detail })
  }

  addUnknown(names: readonly string[]): void {
    for (const name of names.slice(0, unknownNamesMax)) {
      const meant = parameterNames.find(known => known.toLowerCase() === name.toLowerCase())
      const hint = meant === undefined ? `Known are ${parameterNames.join(', ')}.` : `Did you mean ${meant}?`
      this.add(name, 'unknown_parameter', `is not a parameter here; names are case-sensitive. ${hint}`)
    }
    const more = names.length - unknownNamesMax
    if (more > 0) this.add('…', 'unknown_parameter', `stands for ${more} more names that are not parameters here.`)
  }

  collect<T>(open: () => T): T | undefined {
    try {
      return open()
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'invalid_request') throw error
      this.items.push(...error.errors)
      this.#internal = error.internal
      return undefined
    }
  }

  problem(): Problem {
    return requestProblem(this.items, this.#internal)
  }
}

function requestProblem(errors: readonly ProblemItem[], internal?: string): Problem {
  const detail = errors.length === 1 ? 'A parameter cannot be used.' : `${errors.length} parameters cannot be used.`
  return new Problem('invalid_request', { detail, errors, internal })
}
