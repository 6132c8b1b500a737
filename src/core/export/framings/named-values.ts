// Finds the values of a row by name, using the outline of its text. Every format with columns reads rows this way.

import { annotationsOutline, outlineSnapshot } from '../../../domain/questions/text-outline.ts'
import type { VersionedRow, WalkQuestions } from './page-framing.ts'
import { findAllValues, notesOfValue, outlineBytes } from './stored-values.ts'

/** How to read the text of a program version: its outline, and for each name the index of its value, or -1. */
interface VersionPlan {
  snapshot: ReturnType<typeof outlineBytes>
  values: Int32Array
}

const annotationBytes = outlineBytes(annotationsOutline)

export class NamedValues {
  /** Positions of the current row's values, written by `findValues`; its annotations come first. */
  notes = new Int32Array(0)
  readonly #plans = new Map<number, VersionPlan>()

  constructor(
    private readonly questions: WalkQuestions,
    private readonly names: readonly string[],
  ) {}

  /** Finds the values of a row. Returns the index of the value of each name, or -1. */
  find(row: VersionedRow): Int32Array {
    const { snapshot, values } = this.#planOf(row)
    const { bytes, snapshotFrom, snapshotTo, annotationsFrom, annotationsTo } = row
    findAllValues(bytes, annotationsFrom, annotationsTo, annotationBytes, this.notes, 0)
    findAllValues(bytes, snapshotFrom, snapshotTo, snapshot, this.notes, annotationBytes.values.length)
    return values
  }

  /** What `find` returns for rows of the same version. */
  valuesOf(row: VersionedRow): Int32Array {
    return this.#planOf(row).values
  }

  #planOf({ programVersionId }: VersionedRow): VersionPlan {
    let plan = this.#plans.get(programVersionId)
    if (plan !== undefined) return plan
    const shape = this.questions.shapes.get(programVersionId)
    if (shape === undefined)
      throw new Error(`an application belongs to program version ${programVersionId}, which the key map does not cover`)
    const outline = outlineSnapshot(shape, this.questions.profile)
    const outlined = [...annotationsOutline.values, ...outline.values].map(({ name }) => name)
    const places = new Map(outlined.map((name, i) => [name, i]))
    plan = {
      snapshot: outlineBytes(outline),
      values: Int32Array.from(this.names, name => places.get(name) ?? -1),
    }
    this.#plans.set(programVersionId, plan)
    const numbers = outlined.length * notesOfValue
    if (this.notes.length < numbers) this.notes = new Int32Array(numbers)
    return plan
  }
}
