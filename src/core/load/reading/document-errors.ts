// Collects the errors in a document while a load reads it, each with its place.

import { isJsonArray, type Json, JsonNumber, pointerTo } from '../../../domain/values/json-text.ts'

export interface DocumentError {
  /** RFC 6901 JSON Pointer. */
  path: string
  code: string
  detail: string
}

/** Maximum number of errors per document; more would not help. */
const errorsMax = 20

/** The reader's position, kept as a stack so that a document without errors costs nothing. */
export class ErrorFinder {
  readonly errors: DocumentError[] = []
  readonly #place: (string | number)[] = []

  enter(segment: string | number): void {
    this.#place.push(segment)
  }

  leave(): void {
    this.#place.pop()
  }

  /** Notes an error at the current position, at one of its members, or at an item of that. */
  add(code: string, detail: string, ...member: readonly (string | number | undefined)[]): void {
    if (this.full) return
    const place = [...this.#place, ...member.filter(step => step !== undefined)]
    const path = place.reduce<string>(pointerTo, '')
    this.errors.push({ path, code, detail })
  }

  /** Whether the list of errors is full. */
  get full(): boolean {
    return this.errors.length >= errorsMax
  }
}

/** Maximum length of a path in a message: a line may nest hundreds of objects, and its keys may have any length. */
const pathLengthMax = 200

/** A path for a message: a long one is reduced to its beginning and end, with an ellipsis in between. */
export function shortPath(path: string): string {
  const half = pathLengthMax / 2
  return path.length <= pathLengthMax ? path : `${path.slice(0, half)}…${path.slice(-half)}`
}

/** The description of a value for a message: its JSON type, and the value itself if it is short; undefined without a value. */
export function describeValue(value: Json | undefined): string {
  if (value === undefined) return 'absent'
  if (value === null) return 'null'
  if (isJsonArray(value)) return 'an array'
  if (value instanceof JsonNumber) return shorten(value.source)
  if (typeof value === 'object') return 'an object'
  return shorten(JSON.stringify(value))
}

function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`
}
