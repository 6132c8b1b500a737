// Makes sure that ids which come from outside belong to no other application: none given out before, none given out meanwhile.
//
// Ids that the sequence has not reached are drawn from it, with all between them, as a submission would: what is drawn is ours alone, without
// a lock that the intake of every program would wait for, and the sequence is past it when the load is done. What another session drew
// in between is that session's, and the input must not have it.

import { drawIds, type IdSequence, moveSequence, settleSequence } from '../../db/bulk-rows.ts'
import type { Transaction } from '../../db/client.ts'

/** A wider gap between ids is skipped and not drawn. So many are never drawn in the moment between the last draw and the skip. */
const gapMax = 1000

export class ClaimedIds {
  /** Up to here every id was drawn, by us or by others, or skipped. */
  #reached: number
  /** Ids, each range with its ends, that were or may have been drawn by others since the load began. */
  readonly #foreign: { first: number; last: number }[] = []

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

  /** Claims ids, and returns those of them that others may have been given since the load began. Ids up to `before` are left alone. */
  async claim(tx: Transaction, ids: readonly number[]): Promise<number[]> {
    const ahead = ids.filter(id => id > this.#reached).sort((a, b) => a - b)
    for (const [i, id] of ahead.entries()) {
      if (id <= this.#reached) continue
      if (id - this.#reached > gapMax) await this.#skipTo(tx, id - 1)
      // Together with those that follow closely.
      let last = i
      while (last + 1 < ahead.length && ahead[last + 1]! - ahead[last]! <= gapMax) last++
      await this.#draw(tx, ahead[last]! - this.#reached)
    }
    return this.#foreign.length === 0 ? [] : ids.filter(id => this.#isForeign(id))
  }

  /** Draws so many ids. What lies between them was drawn by others. */
  async #draw(tx: Transaction, count: number): Promise<void> {
    for (const { first, last } of await drawIds(tx, this.sequence, count)) {
      if (first > this.#reached + 1) this.#foreign.push({ first: this.#reached + 1, last: first - 1 })
      this.#reached = last
    }
  }

  async #skipTo(tx: Transaction, id: number): Promise<void> {
    await this.#draw(tx, 1)
    if (id - this.#reached <= gapMax) return
    await moveSequence(tx, this.sequence, id)
    // Drawn by others in this moment, if anything was.
    this.#foreign.push({ first: this.#reached + 1, last: this.#reached + gapMax })
    this.#reached = id
  }

  #isForeign(id: number): boolean {
    return this.#foreign.some(({ first, last }) => id >= first && id <= last)
  }
}
