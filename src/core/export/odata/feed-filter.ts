// Parses `$filter` of an OData feed: comparisons of filterable properties joined by `and`. Everything else is an error. Source: OData 4.0, URL Conventions, section 5.1.1.

import { Problem } from '../../../base/problem.ts'
import { type FilterValues, noFilters } from '../../../db/walks/walk-filters.ts'
import { feedProperties } from '../filters/all-filters.ts'
import { type FeedOperator, RefusedValue } from '../filters/walk-filter.ts'
import { requestProblem } from '../requests/sent-query.ts'

const filterLengthMax = 4096
const nestingMax = 16

interface Piece {
  kind: 'name' | 'time' | 'number' | 'text' | 'sign'
  text: string
  at: number
}

const pattern =
  /(?<time>\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+ -]\d\d:\d\d)?)?)|(?<number>[+-]?\d+(?:\.\d+)?)|(?<text>'(?:[^']|'')*')|(?<name>[\p{L}_$][\p{L}\p{N}_/.]*)|(?<sign>[(),])|\s+/guy

/** Operators with their operands swapped. */
const turned: Readonly<Record<FeedOperator, FeedOperator>> = { eq: 'eq', ge: 'le', gt: 'lt', le: 'ge', lt: 'gt' }
const isOperator = (text: string): text is FeedOperator => Object.hasOwn(turned, text)

/** `known` are the column names. Throws Problem `invalid_request` for invalid OData, `unsupported` for valid OData that is not supported. */
export function parseFeedFilter(filter: string, known: ReadonlySet<string>): FilterValues {
  if (filter.length > filterLengthMax) throw error(`is longer than ${filterLengthMax} characters; shorten it.`)
  const pieces = piecesOf(filter)
  for (const [i, { kind, text, at }] of pieces.entries())
    if (kind === 'name' && !known.has(text) && !words.has(text) && pieces[i + 1]?.text !== '(')
      throw error(`has an unknown property ${text} at ${at + 1}. Copy names exactly from $metadata.`)
  return new FilterReader(pieces, known).read()
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
  if (end < filter.length) throw error(`is invalid from character ${end + 1} on.`)
  return pieces
}

class FilterReader {
  #at = 0
  #filter = noFilters

  constructor(
    private readonly pieces: readonly Piece[],
    private readonly known: ReadonlySet<string>,
  ) {}

  read(): FilterValues {
    this.#conditions(0)
    if (this.#at < this.pieces.length) throw this.#refusal()
    return this.#filter
  }

  #conditions(depth: number): void {
    if (depth > nestingMax) throw error(`has parentheses nested more than ${nestingMax} deep.`)
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

  #narrow(field: string, operator: FeedOperator, { kind, text }: Piece): void {
    const property = feedProperties.find(({ name, literal }) => name === field && literal === kind)
    const narrowed = property?.narrow(this.#filter, operator, kind === 'text' ? text.slice(1, -1) : text)
    if (narrowed === undefined) throw this.#refusal()
    if (narrowed instanceof RefusedValue) throw error(narrowed.detail)
    this.#filter = narrowed
  }

  /** Error for a piece that is not supported, or for an incomplete filter. */
  #refusal(): Problem {
    const piece = this.pieces[this.#at]
    if (piece === undefined || (piece.kind === 'sign' && piece.text !== '('))
      return error(piece === undefined ? endsEarly : `has an unexpected ${piece.text} at ${piece.at + 1}.`)
    return unsupported(
      '$filter',
      `is not supported from character ${piece.at + 1} on, "${piece.text.slice(0, 100)}". ${possibleOf(this.known)}`,
    )
  }
}

/** Describes the supported filters of a table. */
function possibleOf(known: ReadonlySet<string>): string {
  const properties = feedProperties.filter(({ name }) => known.has(name)).map(({ possible }) => possible)
  return `Supported filters are ${properties.join('; ')}. Join conditions with and, and filter by other columns in your own tool.`
}

const endsEarly = 'is incomplete.'

const error = (detail: string): Problem => requestProblem([{ parameter: '$filter', code: 'invalid_filter', detail }])

/** Error for OData features that this feed does not support. */
export const unsupported = (parameter: string, detail: string, cause?: unknown): Problem =>
  new Problem('unsupported', {
    detail: 'This feed does not support part of the request.',
    errors: [{ parameter, code: 'not_supported', detail }],
    cause,
  })
