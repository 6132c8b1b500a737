// Reads the query of a request parameter by parameter, and reports all errors together.
// The caller decides which parameters exist and what they mean.

import { Problem, type ProblemItem } from '../../../base/problem.ts'

/** Maximum number of unknown names in an error, and maximum length of a quoted name. */
const unknownNamesMax = 50
const nameLengthMax = 100

/** The parameters as sent, before interpretation. */
export interface SentParameters {
  pairs: readonly { name: string; value: string }[]
  /** Names of parameters that are not text: their encoding is broken, or they contain U+0000. */
  malformed: readonly string[]
  /** Whether to reject all unknown names instead of only misspelt ones (contract D10). */
  strict: boolean
}

export type FieldError = (code: string, detail: string) => undefined

export class SentQuery<Name extends string> {
  /** Errors found so far. */
  readonly errors: ProblemItem[] = []
  #internal: string | undefined

  constructor(
    private readonly sent: SentParameters,
    /** Known names, as listed in errors. */
    private readonly names: readonly Name[],
  ) {
    for (const name of new Set(sent.malformed)) {
      this.#add(
        name,
        'malformed_encoding',
        'must be percent-encoded UTF-8 without U+0000. Write a percent sign as %25.',
      )
    }
    const counts = new Map<string, number>()
    for (const { name } of sent.pairs) counts.set(name, (counts.get(name) ?? 0) + 1)
    for (const name of names) {
      const times = counts.get(name) ?? 0
      if (times > 1) this.#add(name, 'duplicate_parameter', `is sent ${times} times; send it once.`)
      counts.delete(name)
    }
    this.#addUnknown([...counts.keys()])
  }

  /** Parses a parameter's value; undefined if it was not sent or is invalid. */
  read<T>(name: Name, parse: (value: string, error: FieldError) => T | undefined): T | undefined {
    const values = this.sent.pairs.filter(pair => pair.name === name).map(pair => pair.value)
    if (values[0] === undefined) return undefined
    if (values.length > 1) return undefined
    const error: FieldError = (code, detail) => this.#add(name, code, detail)
    if (values[0] === '') return error('missing_value', 'has no value. Add one, or omit the parameter.')
    // Normalized like question keys, because a file system or keyboard may have decomposed letters.
    return parse(values[0].normalize('NFC'), error)
  }

  /** The result of `open`; undefined if it throws Problem `invalid_request`, whose errors are then collected. */
  collect<T>(open: () => T): T | undefined {
    try {
      return open()
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'invalid_request') throw error
      this.errors.push(...error.errors)
      this.#internal = error.internal
      return undefined
    }
  }

  problem(): Problem {
    return requestProblem(this.errors, this.#internal)
  }

  #add(name: string, code: string, detail: string): undefined {
    const parameter = name.length > nameLengthMax ? `${name.slice(0, nameLengthMax)}…` : name
    this.errors.push({ parameter, code, detail })
  }

  /** A name that resembles a known one is always an error, because ignoring it would change the response. */
  #addUnknown(unknown: readonly string[]): void {
    if (unknown.length === 0) return
    const known = new Map(this.names.map(name => [foldedName(name), name]))
    const meant = (name: string): Name | undefined =>
      known.get(foldedName(name)) ??
      ofElsewhere
        .get(foldedName(name))
        ?.map(foldedName)
        .map(value => known.get(value))
        .find(Boolean)
    const isSuspect = (name: string): boolean => known.has(foldedName(name)) || ofElsewhere.has(foldedName(name))
    const refused = unknown.filter(name => this.sent.strict || isSuspect(name))
    for (const name of refused.slice(0, unknownNamesMax)) {
      const right = meant(name)
      const list = this.names.length === 0 ? 'This request takes none.' : `Use ${this.names.join(', ')}.`
      const hint = right === undefined ? list : `Did you mean ${right}?`
      this.#add(name, 'unknown_parameter', `is not a known parameter. ${hint}`)
    }
    const more = refused.length - unknownNamesMax
    if (more > 0) this.#add('…', 'unknown_parameter', `stands for ${more} more unknown parameters.`)
  }
}

/**
 * Reduces a name to its letters in lower case, without a leading `amp` (from a link copied from HTML) and without a plural `s`, so that
 * `from_date`, `fields[0]`, `amp;fromDate` and `field` match the intended parameter.
 */
const foldedName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/^amp/, '')
    .replace(/s$/, '')

/** Our members and headers, and other services' names for paging, each with the parameters it may stand for. */
const ofElsewhere: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    nextPageToken: ['after', '$skiptoken'],
    nextCursor: ['after', 'nextPageToken'],
    changeCursor: ['after'],
    after: ['nextPageToken'],
    snapshotTime: ['fromDate'],
    walkToken: ['walk', 'nextPageToken'],
    cursor: ['nextPageToken', 'after', '$skiptoken'],
    pageToken: ['nextPageToken', 'after', '$skiptoken'],
    page: ['nextPageToken', 'after', '$skiptoken'],
    offset: ['nextPageToken', 'after', '$skiptoken'],
    skip: ['nextPageToken', 'after', '$skiptoken'],
    limit: ['pageSize', '$top'],
  }).map(([name, right]) => [foldedName(name), right]),
)

/** Parser of a parameter that has one of these values. */
export const parseOneOf =
  <Value extends string>(values: readonly Value[], code: string) =>
  (text: string, error: FieldError): Value | undefined =>
    values.find(value => value === text) ?? error(code, `must be one of ${values.join(', ')}.`)

/** `pageSize`: at least 1, Infinity for a number with too many digits. The caller applies the maximum (contract D2). */
export function parsePageSize(value: string, error: FieldError): number | undefined {
  if (/^[0-9]+$/.test(value) && /[1-9]/.test(value)) return Number(value)
  return error('invalid_page_size', 'must be a whole number of at least 1.')
}

export function requestProblem(errors: readonly ProblemItem[], internal?: string, cause?: unknown): Problem {
  const detail = errors.length === 1 ? 'A parameter is invalid.' : `${errors.length} parameters are invalid.`
  return new Problem('invalid_request', { detail, errors, internal, cause })
}
