// The query of a request as it was sent, read parameter by parameter. Collects all errors and reports them together.
// The reader decides which parameters exist and what they mean.

import { Problem, type ProblemItem } from '../../../base/problem.ts'

/** Most unknown names that a strict refusal lists, and most characters of one that it repeats. */
const unknownNamesMax = 50
const nameLengthMax = 100

/** The parameters as sent, before interpretation. */
export interface SentParameters {
  pairs: readonly { name: string; value: string }[]
  /** Names of those that are not text: their encoding is broken, or they have a U+0000. */
  malformed: readonly string[]
  /** Whether all unknown names are to be refused, and not just misspelt ones (contract D10). */
  strict: boolean
}

export type FieldError = (code: string, detail: string) => undefined

export class SentQuery<Name extends string> {
  /** Everything wrong with the request so far. */
  readonly errors: ProblemItem[] = []
  #internal: string | undefined

  constructor(
    private readonly sent: SentParameters,
    /** The names that mean something here, as a refusal lists them. */
    private readonly names: readonly Name[],
  ) {
    for (const name of new Set(sent.malformed)) {
      this.#add(name, 'malformed_encoding', 'is not percent-encoded UTF-8 without U+0000. Write a percent sign as %25.')
    }
    const counts = new Map<string, number>()
    for (const { name } of sent.pairs) counts.set(name, (counts.get(name) ?? 0) + 1)
    for (const name of names) {
      const times = counts.get(name) ?? 0
      if (times > 1) this.#add(name, 'duplicate_parameter', `is given ${times} times; once is right.`)
      counts.delete(name)
    }
    this.#addUnknown([...counts.keys()])
  }

  /** What `parse` makes of a parameter's one value; undefined when it was not sent, or is at fault. */
  read<T>(name: Name, parse: (value: string, error: FieldError) => T | undefined): T | undefined {
    const values = this.sent.pairs.filter(pair => pair.name === name).map(pair => pair.value)
    if (values[0] === undefined) return undefined
    if (values.length > 1) return undefined
    const error: FieldError = (code, detail) => this.#add(name, code, detail)
    if (values[0] === '') return error('missing_value', 'has no value. Give one, or leave the parameter out.')
    // Letters as names of questions have them: a file system or keyboard may have taken them apart.
    return parse(values[0].normalize('NFC'), error)
  }

  /** What `open` returns; undefined when it throws a Problem `invalid_request`, whose errors are then among these. */
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

  /** A name that may stand for another is always refused: without the parameter that was meant, the response would be another one. */
  #addUnknown(unknown: readonly string[]): void {
    if (unknown.length === 0) return
    const known = new Map(this.names.map(name => [foldedName(name), name]))
    const meant = (name: string): Name | undefined =>
      known.get(foldedName(name)) ??
      ofElsewhere
        .get(foldedName(name))
        ?.map(foldedName)
        .map(one => known.get(one))
        .find(Boolean)
    const isSuspect = (name: string): boolean => known.has(foldedName(name)) || ofElsewhere.has(foldedName(name))
    const refused = unknown.filter(name => this.sent.strict || isSuspect(name))
    for (const name of refused.slice(0, unknownNamesMax)) {
      const right = meant(name)
      const list = this.names.length === 0 ? 'There are none.' : `Known are ${this.names.join(', ')}.`
      const hint = right === undefined ? list : `Did you mean ${right}?`
      this.#add(name, 'unknown_parameter', `is not a parameter here; names are written exactly. ${hint}`)
    }
    const more = refused.length - unknownNamesMax
    if (more > 0) this.#add('…', 'unknown_parameter', `stands for ${more} more names that are not parameters here.`)
  }
}

/**
 * What is left of a name without case, without everything that is no letter, without a leading `amp` (of a link that was copied from HTML) and without a
 * plural `s`: `from_date`, `fields[0]`, `amp;fromDate` and `field` are then what they stand for.
 */
const foldedName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/^amp/, '')
    .replace(/s$/, '')

/** Members and headers of ours, and what other services call their paging, each with the parameters that it may stand for. */
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

/** `pageSize`: at least 1, Infinity for a number with too many digits. The caller applies the maximum (contract D2). */
export function parsePageSize(value: string, error: FieldError): number | undefined {
  if (/^[0-9]+$/.test(value) && /[1-9]/.test(value)) return Number(value)
  return error('invalid_page_size', 'must be a whole number of at least 1, in digits alone.')
}

export function requestProblem(errors: readonly ProblemItem[], internal?: string, cause?: unknown): Problem {
  const detail = errors.length === 1 ? 'A parameter cannot be used.' : `${errors.length} parameters cannot be used.`
  return new Problem('invalid_request', { detail, errors, internal, cause })
}
