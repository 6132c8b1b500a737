// Collects the errors of a bulk load, with a limit: each application, its place in the input, and the reason.

import { Problem, type ProblemItem } from '../../../base/problem.ts'
import { type DocumentError, shortPath } from '../reading/document-errors.ts'

/** The position of an application in the input: line × 2^20 + its position on a page in that line. A single number, because a load has many. */
export type LinePlace = number

const placesPerLine = 1_048_576

/** `item` starts at 1 within a page and is 0 if the line is the application itself. Lines start at 1. */
export function linePlaceOf(line: number, item: number): LinePlace {
  return line * placesPerLine + Math.min(item, placesPerLine - 1)
}

export function describePlace(place: LinePlace): string {
  const item = place % placesPerLine
  const line = Math.floor(place / placesPerLine)
  return item === 0 ? `line ${line}` : `line ${line}, application ${item}`
}

/** Number of errors that are listed; further ones are only counted. */
const listedMax = 50

export class LoadErrors {
  readonly #listed: { place: LinePlace; item: ProblemItem }[] = []
  readonly #places = new Set<LinePlace>()
  #errors = 0

  get any(): boolean {
    return this.#errors > 0
  }

  add(place: LinePlace, ...errors: readonly DocumentError[]): void {
    this.#places.add(place)
    this.#errors += errors.length
    for (const { path, code, detail } of errors) {
      if (this.#listed.length === listedMax) return
      const where = path === '' ? '' : `${shortPath(path)} `
      const item = { parameter: describePlace(place), code, detail: where + detail }
      this.#listed.push({ place, item })
    }
  }

  /** Adds the errors of another list. */
  addAll(other: LoadErrors): void {
    for (const place of other.#places) this.#places.add(place)
    this.#errors += other.#errors
    this.#listed.push(...other.#listed)
    this.#listed.sort((a, b) => a.place - b.place).splice(listedMax)
  }

  /** The error for the whole load. `read` is the number of applications read. */
  problem(read: number): Problem {
    const listed = this.#listed.toSorted((a, b) => a.place - b.place).map(({ item }) => item)
    const number = (count: number): string => count.toLocaleString('en-US')
    return new Problem('invalid_request', {
      detail:
        `Nothing was loaded: ${number(this.#places.size)} of ${number(read)} applications have errors.` +
        (this.#errors > listed.length ? ` ${number(listed.length)} of ${number(this.#errors)} reasons:` : ''),
      errors: listed,
    })
  }
}
