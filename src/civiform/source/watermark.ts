// Computes the watermark: the time up to which every submission is certain to have been seen.
//
// CiviForm takes the time of a submission from its server's clock, inside a transaction that has already begun. A submission still in
// progress therefore can't have a time before the start of the oldest open transaction, and transactions that begin later take later
// times. With an allowance for clocks that lag behind the database, everything submitted before that moment can be read, and nothing will
// be added. (Using the newest time seen would lose more than half of the concurrent submissions.)
//
// Only roles that may read statistics see when other sessions' transactions began. Without that privilege, samples of the lock that each
// transaction holds on its own number serve the same purpose: what was open at one sample has ended once none of its numbers is left.

import type { Sql } from '../../db/client.ts'
import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import { maySeeTransactions, readOpenTransactions, readTransactionSample } from '../db/source-watermark.ts'

/** Maximum number of samples; beyond that, every second one is dropped. */
const samplesMax = 256

/** What delays the watermark, for an operator. */
export interface Held {
  by: string
  /** When it began, or was first seen; null if unknown. */
  since: Micros | null
}

export class Watermarks {
  #newest: Micros | undefined
  #samples: { now: Micros; open: Set<string> }[] = []
  #held: Held | undefined
  #settled: Micros | undefined

  /** `writers` are the roles that submit. */
  constructor(
    private readonly source: Sql,
    private readonly writers: readonly string[],
    private readonly mode: 'statistics' | 'locks',
    /** Younger transactions are not reported. */
    private readonly heldMs = 10_000,
  ) {}

  static async open(source: Sql, writers: readonly string[]): Promise<Watermarks> {
    return new Watermarks(source, writers, (await maySeeTransactions(source)) ? 'statistics' : 'locks')
  }

  /** What delayed it at the last check; undefined if nothing did for long. */
  get held(): Held | undefined {
    return this.#held
  }

  /** Every transaction that had begun before this time had ended at the last check; undefined if unknown. */
  get settled(): Micros | undefined {
    return this.#settled
  }

  /** Undefined while nothing is known yet. It never moves back, whatever the slack. */
  async read(slackMs: number): Promise<Micros | undefined> {
    const settled =
      this.mode === 'statistics' ? ((await this.#byStatistics()) ?? (await this.#byLocks())) : await this.#byLocks()
    this.#settled = settled
    if (settled === undefined) return this.#newest
    const watermark = settled - slackMs * 1000
    if (this.#newest === undefined || watermark > this.#newest) this.#newest = watermark
    return this.#newest
  }

  /** Undefined if the state of a session is hidden: its transaction would be missed. */
  async #byStatistics(): Promise<Micros | undefined> {
    const { now, oldest, pid, role, unreported, prepared } = await readOpenTransactions(this.source, this.writers)
    this.#held = oldest === null ? undefined : this.#heldSince(now, oldest, `${pid} of the role ${role}`)
    if (unreported > 0 || prepared > 0) return undefined
    return oldest === null ? now : Math.min(now, oldest)
  }

  async #byLocks(): Promise<Micros | undefined> {
    const { now, open, prepared } = await readTransactionSample(this.source, this.writers)
    this.#held = prepared > 0 ? { by: preparedTransactions(prepared), since: null } : undefined
    // A prepared transaction no longer has a session, and may be of any age. CiviForm uses none.
    if (prepared > 0) return undefined
    const still = new Set(open.map(item => item.virtualxid))
    for (const sample of this.#samples) sample.open = sample.open.intersection(still)
    this.#samples.push({ now, open: still })
    const settled = this.#samples.findLastIndex(sample => sample.open.size === 0)
    const at = this.#samples[settled]?.now
    if (settled > 0) this.#samples.splice(0, settled)
    const oldest = this.#samples.find(sample => sample.open.size > 0)
    const holder = open.find(item => oldest?.open.has(item.virtualxid))
    if (oldest !== undefined && holder !== undefined)
      this.#held = this.#heldSince(now, oldest.now, `${holder.pid} of the role ${holder.role}`)
    if (this.#samples.length > samplesMax) this.#samples = this.#samples.filter((_, i) => i % 2 === 0)
    return at
  }

  #heldSince(now: Micros, since: Micros, session: string): Held | undefined {
    if (now - since < this.heldMs * 1000) return undefined
    const by =
      `process ${session} has had a transaction open since ${formatMicros(since)}; ` +
      'later submissions are copied when it ends'
    return { by, since }
  }
}

/** Prepared transactions that cause the delay, and how to remove them. */
export const preparedTransactions = (prepared: number): string =>
  `${prepared} prepared ${prepared === 1 ? 'transaction' : 'transactions'} in CiviForm's database: commit or roll back what pg_prepared_xacts names`
