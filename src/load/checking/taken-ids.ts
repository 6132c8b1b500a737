// Whether the ids of an input are free, and that they stay so: for the intake, which draws its ids from sequences, and for other loads.
//
// Sequences are moved past everything that the input has, so the intake never draws one of these. What a sequence had come to by then was
// drawn by the intake, or is in a span that an earlier load skipped; of such a span only loads have ids, and these are in one table.
// So no id has to be looked for in every program, but for the few that the intake drew: those are taken, or were lost in a crash.

import {
  type IdSequence,
  readLoadedIds,
  readSkippedSpans,
  readTakenApplicationIds,
  type SkippedSpan,
  skipIds,
} from '../../db/bulk-loads.ts'
import type { Sql } from '../../db/client.ts'
import type { Fault } from '../reading/document-faults.ts'

/** Ids drawn by the intake that are looked for in every program, at most; a crash loses some dozen. */
const lookedForMax = 1000

/** Ids of one kind, after the input's own were claimed. */
export class ClaimedIds {
  private constructor(
    private readonly spans: readonly SkippedSpan[],
    /** The last id that was given out, or skipped by an earlier load. */
    readonly reached: number,
  ) {}

  /** Moves the sequence past the largest id of the input. */
  static async claim(sql: Sql, sequence: IdSequence, largest: number): Promise<ClaimedIds> {
    const reached = (await sql.begin(tx => skipIds(tx, sequence, largest))) as number
    return new ClaimedIds(await readSkippedSpans(sql, sequence), reached)
  }

  /** Leaves the sequence as it is, for an input that is not to be stored. */
  static async look(sql: Sql, sequence: IdSequence, reached: number): Promise<ClaimedIds> {
    return new ClaimedIds(await readSkippedSpans(sql, sequence), reached)
  }

  /** Whether the intake was given the id. */
  isDrawn(id: number): boolean {
    return id <= this.reached && !this.#isSkipped(id)
  }

  #isSkipped(id: number): boolean {
    let [from, to] = [0, this.spans.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.spans[middle]!.last_id < id) from = middle + 1
      else to = middle
    }
    return from < this.spans.length && this.spans[from]!.first_id <= id
  }
}

/** Tells which application ids are taken; to be asked after they were claimed. */
export class TakenIds {
  #lookedFor = 0

  constructor(
    private readonly sql: Sql,
    private readonly claimed: ClaimedIds,
  ) {}

  /** Those of the ids that are taken, each with what is wrong with it. */
  async among(ids: readonly number[]): Promise<Map<number, Fault>> {
    const taken = new Map<number, Fault>()
    const loaded: number[] = []
    const drawn: number[] = []
    for (const id of ids) (this.claimed.isDrawn(id) ? drawn : loaded).push(id)
    if (loaded.length > 0) for (const id of await readLoadedIds(this.sql, loaded)) taken.set(id, takenFault(id))
    const looked = drawn.splice(0, lookedForMax - this.#lookedFor)
    this.#lookedFor += looked.length
    if (looked.length > 0)
      for (const id of await readTakenApplicationIds(this.sql, looked)) taken.set(id, takenFault(id))
    for (const id of drawn) taken.set(id, idFault(`is ${id}, which the intake of this installation gave out`))
    return taken
  }
}

const idFault = (detail: string): Fault => ({ path: '/application_id', code: 'taken_id', detail })
const takenFault = (id: number): Fault => idFault(`is ${id}, which an application in the database has or had`)
