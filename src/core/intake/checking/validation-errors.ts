// Collects the validation errors of a document so that all of them are reported together.

import type { ProblemItem } from '../../../base/problem.ts'

/** Maximum errors listed for a document; a body of 2 MB can contain hundreds of thousands. */
export const errorsMax = 200

/** Errors by JSON Pointer, up to `errorsMax`. */
export class ValidationErrors {
  readonly items: ProblemItem[] = []

  /** `detail` explains how to fix the value and does not contain it. */
  add(path: string, code: string, detail: string): void {
    if (!this.full) this.items.push({ path, code, detail })
  }

  /** Discards the errors found so far. */
  clear(): void {
    this.items.length = 0
  }

  /** Whether the list is full, so that checking can stop. */
  get full(): boolean {
    return this.items.length >= errorsMax
  }
}
