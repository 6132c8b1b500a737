// Up to when it is certain that every submission has been seen: the watermark.
//
// CiviForm takes the time of a submission from a clock of its own, inside a transaction that has begun before. So no submission that
// is still under way has a time before the beginning of the oldest transaction that is open; and what begins later takes a later time.
// With an allowance for clocks that are behind the database's, everything submitted before that moment is there to be read, and
// nothing will be added. (A plain "newest time seen" loses more than half of what is submitted at the same time.)
//
// The beginnings of others' transactions are told only to roles that may see statistics. Without that right, samples of the locks
// that each transaction has on its own number do as well: what was open at a sample is over when none of its numbers is left.

import { maySeeTransactions, readOpenTransactions, readTransactionSample } from '../db/civiform/source-watermark.ts'
import type { Sql } from '../db/client.ts'
import type { Micros } from '../domain/values/offset-time.ts'

/** Samples kept at most; of more, every second one goes. */
const samplesMax = 256

export class Watermarks {
  #newest: Micros | undefined
  #samples: { now: Micros; open: Set<string> }[] = []
  #heldBy: string | undefined

  /** `writers` are the roles that submit. */
  constructor(
    private readonly source: Sql,
    private readonly writers: readonly string[],
    private readonly mode: 'statistics' | 'locks',
  ) {}

  static async open(source: Sql, writers: readonly string[]): Promise<Watermarks> {
    return new Watermarks(source, writers, (await maySeeTransactions(source)) ? 'statistics' : 'locks')
  }

  /** Why nothing new could be said when it was last asked; undefined when nothing stands in the way. */
  get heldBy(): string | undefined {
    return this.#heldBy
  }

  /** Undefined when nothing can be said yet. It never goes back, whatever the slack. */
  async read(slackMs: number): Promise<Micros | undefined> {
    const settled =
      this.mode === 'statistics' ? ((await this.#byStatistics()) ?? (await this.#byLocks())) : await this.#byLocks()
    if (settled === undefined) return this.#newest
    const watermark = settled - slackMs * 1000
    if (this.#newest === undefined || watermark > this.#newest) this.#newest = watermark
    return this.#newest
  }

  /** Undefined when there is a session of which nothing is told: its transaction would be taken for none. */
  async #byStatistics(): Promise<Micros | undefined> {
    const { now, oldest, untold, prepared } = await readOpenTransactions(this.source, this.writers)
    this.#heldBy = undefined
    if (untold > 0 || prepared > 0) return undefined
    return oldest === null ? now : Math.min(now, oldest)
  }

  async #byLocks(): Promise<Micros | undefined> {
    const { now, open, prepared } = await readTransactionSample(this.source, this.writers)
    this.#heldBy = prepared > 0 ? preparedTransactions(prepared) : undefined
    // A prepared transaction has no session any more, and may be any time old. CiviForm uses none.
    if (prepared > 0) return undefined
    const still = new Set(open)
    for (const sample of this.#samples) sample.open = sample.open.intersection(still)
    this.#samples.push({ now, open: still })
    const settled = this.#samples.findLastIndex(sample => sample.open.size === 0)
    const at = this.#samples[settled]?.now
    if (settled > 0) this.#samples.splice(0, settled)
    if (this.#samples.length > samplesMax) this.#samples = this.#samples.filter((_, i) => i % 2 === 0)
    return at
  }
}

/** What stands in the way, and what takes it away. */
export const preparedTransactions = (prepared: number): string =>
  `${prepared} prepared ${prepared === 1 ? 'transaction' : 'transactions'} in CiviForm's database: commit or roll back what pg_prepared_xacts names`
