// `$filter` of an OData feed, as far as a walk can follow it: bounds of the submission's time and of the id, and the revision state, joined by
// `and`. The refusal names everything else. Source: OData 4.0, URL Conventions, section 5.1.1.

import type { IdRange } from '../../db/walks/walks.ts'
import type { RevisionState } from '../../domain/questions/application.ts'
import { earliest, latest, type Micros } from '../../domain/values/offset-time.ts'
import { Problem } from '../../problem.ts'
import { parseInstantParameter } from '../requests/instant-parameter.ts'
import { requestProblem } from '../requests/sent-query.ts'

/** Which applications, or which applications' entities. */
export interface FeedFilter {
  from: Micros | undefined
  to: Micros | undefined
  revisionState: RevisionState | undefined
  ids: IdRange | undefined
}

export const noFilter: FeedFilter = {
  from: undefined,
  to: undefined,
  revisionState: undefined,
  ids: undefined,
}

/** Whatever its bounds are, no application is before all times. */
const nothing = { to: earliest }

const filterLengthMax = 4096
const nestingMax = 16

interface Piece {
  kind: 'name' | 'time' | 'number' | 'text' | 'sign'
  text: string
  at: number
}

const pattern =
  /(?<time>\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+ -]\d\d:\d\d)?)?)|(?<number>[+-]?\d+(?:\.\d+)?)|(?<text>'(?:[^']|'')*')|(?<name>[\p{L}_$][\p{L}\p{N}_/.]*)|(?<sign>[(),])|\s+/guy

type Operator = 'eq' | 'ge' | 'gt' | 'le' | 'lt'
/** What an operator is when its operands change places. */
const turned: Readonly<Record<Operator, Operator>> = { eq: 'eq', ge: 'le', gt: 'lt', le: 'ge', lt: 'gt' }
const isOperator = (text: string): text is Operator => Object.hasOwn(turned, text)

/** `known` are the names that the table has. Throws Problem `invalid_request` for what is none of the language, `unsupported` for the rest. */
export function parseFeedFilter(filter: string, known: ReadonlySet<string>): FeedFilter {
  if (filter.length > filterLengthMax) throw error(`is longer than ${filterLengthMax} characters.`)
  const pieces = piecesOf(filter)
  for (const [i, { kind, text, at }] of pieces.entries())
    if (kind === 'name' && !known.has(text) && !words.has(text) && pieces[i + 1]?.text !== '(')
      throw error(`has ${text} at ${at + 1}, which is no property here. Names are written exactly, see $metadata.`)
  return new FilterReader(pieces).read()
}

const words = new Set([
  'and',
  'or',
  'not',
  'ne',
  'has',
  'in',
  'add',
  'sub',
  'mul',
  'div',
  'mod',
  'null',
  'true',
  'false',
  ...Object.keys(turned),
])

function piecesOf(filter: string): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const { 0: text, index: at, groups = {} } of filter.matchAll(pattern)) {
    end = at + text.length
    const kind = (['time', 'number', 'text', 'name', 'sign'] as const).find(kind => groups[kind] !== undefined)
    if (kind !== undefined) pieces.push({ kind, text, at })
  }
  if (end < filter.length) throw error(`cannot be read from character ${end + 1} on.`)
  return pieces
}

class FilterReader {
  #at = 0
  #filter = noFilter

  constructor(private readonly pieces: readonly Piece[]) {}

  read(): FeedFilter {
    this.#conditions(0)
    if (this.#at < this.pieces.length) throw this.#refusal()
    return this.#filter
  }

  #conditions(depth: number): void {
    if (depth > nestingMax) throw error(`has more than ${nestingMax} parentheses within one another.`)
    do {
      if (!this.#passes('(')) this.#comparison()
      else {
        this.#conditions(depth + 1)
        if (!this.#passes(')')) throw this.#refusal()
      }
    } while (this.#passes('and'))
  }

  #passes(text: string): boolean {
    if (this.pieces[this.#at]?.text !== text) return false
    this.#at++
    return true
  }

  #comparison(): void {
    const [left, between, right] = this.pieces.slice(this.#at, this.#at + 3)
    if (left === undefined || between === undefined || right === undefined) throw error(endsEarly)
    if (!isOperator(between.text)) throw this.#refusal()
    const [field, operator, literal] =
      left.kind === 'name' ? [left, between.text, right] : [right, turned[between.text], left]
    this.#narrow(field.text, operator, literal)
    this.#at += 3
  }

  #narrow(field: string, operator: Operator, { kind, text }: Piece): void {
    const before = this.#filter
    if (field === 'submit_time' && kind === 'time') this.#filter = { ...before, ...bounds(before, operator, text) }
    else if (field === 'revision_state' && operator === 'eq' && kind === 'text') {
      const revisionState = text.slice(1, -1)
      const known = revisionState === 'CURRENT' || revisionState === 'OBSOLETE'
      const agrees = [undefined, revisionState].includes(before.revisionState)
      this.#filter = { ...before, ...(known && agrees ? { revisionState } : nothing) }
    } else if (field === 'application_id' && kind === 'number')
      this.#filter = { ...before, ids: narrowed(before.ids, operator, Number(text)) }
    else throw this.#refusal()
  }

  /** What cannot be followed; of what is cut off, that. */
  #refusal(): Problem {
    const piece = this.pieces[this.#at]
    if (piece === undefined || (piece.kind === 'sign' && piece.text !== '('))
      return error(piece === undefined ? endsEarly : `has ${piece.text} at ${piece.at + 1}, which fits nothing.`)
    return unsupported(
      '$filter',
      `cannot be followed from character ${piece.at + 1} on, "${piece.text.slice(0, 100)}". ${possible}`,
    )
  }
}

const possible =
  'Possible are submit_time with ge, gt, le, lt or eq and a time such as 2026-01-31T00:00:00Z, application_id with the same and a number, and ' +
  "revision_state eq 'CURRENT' or 'OBSOLETE', joined by and. Fetch more, and filter the rows there."

const endsEarly = 'ends where more should come.'
const second = 1_000_000

/** Times are compared as the feed shows them, in whole seconds. */
function bounds({ from, to }: FeedFilter, operator: Operator, text: string): Partial<FeedFilter> {
  const hasZone = /T.*(?:Z|[+ -]\d\d:\d\d)$/.test(text)
  const instant = hasZone
    ? parseInstantParameter(text, 'UTC')
    : { error: 'must be a time with its zone, such as 2026-01-31T00:00:00Z.' }
  if (typeof instant !== 'number') throw error(`has ${text}: a time here ${instant.error}`)
  const whole = (seconds: number): Micros => Math.max(earliest, Math.min(latest, seconds * second))
  const first = whole(Math.ceil(instant / second))
  const next = whole(Math.floor(instant / second) + 1)
  const later = (bound: number) => Math.max(from ?? bound, bound)
  const earlier = (bound: number) => Math.min(to ?? bound, bound)
  return {
    ...((operator === 'ge' || operator === 'eq') && { from: later(first) }),
    ...(operator === 'gt' && { from: later(next) }),
    ...(operator === 'lt' && { to: earlier(first) }),
    ...((operator === 'le' || operator === 'eq') && { to: earlier(next) }),
  }
}

const allIds: IdRange = { from: 0, to: Number.MAX_SAFE_INTEGER }

/** Ids are whole numbers; what they are compared with need not be. */
function narrowed(ids = allIds, operator: Operator, bound: number): IdRange {
  const from = operator === 'gt' ? Math.floor(bound) + 1 : Math.ceil(bound)
  const to = operator === 'lt' ? Math.ceil(bound) - 1 : Math.floor(bound)
  return {
    from: operator.startsWith('l') ? ids.from : Math.min(allIds.to, Math.max(ids.from, from)),
    to: operator.startsWith('g') ? ids.to : Math.max(allIds.from, Math.min(ids.to, to)),
  }
}

const error = (detail: string): Problem => requestProblem([{ parameter: '$filter', code: 'invalid_filter', detail }])

/** The refusal of what OData has and this feed has not. */
export const unsupported = (parameter: string, detail: string): Problem =>
  new Problem('unsupported', {
    detail: 'This feed cannot do what is asked for.',
    errors: [{ parameter, code: 'not_supported', detail }],
  })
