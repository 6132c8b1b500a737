// Makes sure that ids which come from outside are nobody else's: those already given out, and those given out meanwhile.
// It must not know what the ids are of.
//
// Ids of the input that the sequence has not reached are drawn from it, one by one and with all between, as anybody would: what is
// drawn is ours alone, without a lock that others wait for, and the sequence is past it when the load is done. What somebody else
// drew in between is theirs, and the input must not have it.

import { drawIds, type IdSequence, readLastId, settleSequence, skipIds } from '../../db/bulk-rows.ts'
import type { Transaction } from '../../db/client.ts'

/** A wider gap is skipped and not drawn. Nobody draws as many in the moment between looking and skipping. */
const drawnMax = 100_000

export class ClaimedIds {
  /** Up to here every id was drawn, by us or by others. */
  #reached: number
  /** Drawn by others since the load began. */
  readonly #foreign = new Set<number>()

  private constructor(
    private readonly sequence: IdSequence,
    /** The last id given out before the load began: those up to it are in use by now, or never will be. */
    readonly before: number,
  ) {
    this.#reached = before
  }

  static async begin(tx: Transaction, sequence: IdSequence): Promise<ClaimedIds> {
    return new ClaimedIds(sequence, await settleSequence(tx, sequence))
  }

  /** Claims ids, and returns those of them that others were given since the load began. Ids up to `before` are left alone. */
  async claim(tx: Transaction, ids: readonly number[]): Promise<number[]> {
    let highest = 0
    for (const id of ids) if (id > highest) highest = id
    while (this.#reached < highest) await this.#advance(tx, highest)
    return this.#foreign.size === 0 ? [] : ids.filter(id => this.#foreign.has(id))
  }

  async #advance(tx: Transaction, highest: number): Promise<void> {
    if (highest - this.#reached > drawnMax) {
      const last = await readLastId(tx, this.sequence)
      if (highest - last > drawnMax) await skipIds(tx, this.sequence, highest)
      this.#given(last)
      this.#reached = highest - last > drawnMax ? highest : last
      return
    }
    const { first, last, ids } = await drawIds(tx, this.sequence, highest - this.#reached)
    for (const id of ids ?? [first]) {
      this.#given(id - 1)
      this.#reached = id
    }
    this.#reached = last
  }

  /** Everything up to `last` that was not drawn by us was drawn by others. */
  #given(last: number): void {
    for (let id = this.#reached + 1; id <= last; id++) this.#foreign.add(id)
  }
}
