// Collects the validation errors of a document, to report all of them at once.

import type { ProblemItem } from '../../../base/problem.ts'

/** Most errors that are listed for one document; a body of 2 MB can hold hundreds of thousands. */
export const errorsMax = 200

/** Errors by JSON Pointer, up to `errorsMax`. */
export class ValidationErrors {
  readonly items: ProblemItem[] = []

  /** `detail` says what was wrong and what would be right, and repeats no answer. */
  add(path: string, code: string, detail: string): void {
    if (!this.full) this.items.push({ path, code, detail })
  }

  /** Forgets what was found so far. */
  clear(): void {
    this.items.length = 0
  }

  /** Whether the list is full, so that the search for more can stop. */
  get full(): boolean {
    return this.items.length >= errorsMax
  }
}
