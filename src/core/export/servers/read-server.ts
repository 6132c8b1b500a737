// The server of DATABASE_READ_URL, from which pages are read before the primary is: a standby, a node of a Citus cluster, or a load balancer
// in front of several. Nothing is known of it between two cursors but whether it failed just now. Each cursor asks the primary what it
// has, and the statement that reads the rows refuses where the server behind the address does not have the same, in its own snapshot. What the
// server refuses or fails at is read from the primary.

import type { Log } from '../../../base/log.ts'
import { isLostConnection } from '../../../base/passing-errors.ts'
import { inSession, type Sql } from '../../../db/client.ts'
import { readClusterView, strangenessOfNode } from '../../../db/walks/cluster-view.ts'
import { findPrimaryState, type PrimaryState } from '../../../db/walks/primary-state.ts'

/** How a cursor fared: it was read there, or why the primary was read instead. */
export const readOutcomes = ['read', 'behind', 'other_history', 'failed', 'unreachable'] as const
export type ReadOutcome = (typeof readOutcomes)[number]

/** How long a server that could not be reached is left alone, until one cursor tries it again. */
const pauseMs = 5000
/** How often the log says that pages are read from the primary, for each reason. */
const reportEveryMs = 600_000

/** Reads rows on a connection. The state is what the server must have, where it is one that replays the primary's log. */
export type RowsWork = (sql: Sql, asOn?: PrimaryState) => Promise<void>

export interface ReadServerSettings {
  sql: Sql
  /** Asked what it has. In a cluster it is the coordinator. */
  primary: Sql
  /** Whether applications are distributed over a cluster, and the server is a node of it. */
  isDistributed: boolean
  log: Log
  count(outcome: ReadOutcome): void
}

/** The read server cannot serve a cursor, and the primary is to. */
export class TurnedToPrimary extends Error {}

export class ReadServer {
  readonly sql: Sql
  /** Exports that read from it, or wait for a connection to it. */
  reading = 0
  #isAway = false
  #triedAgainAtMs = 0
  readonly #reportedAtMs = new Map<ReadOutcome, number>()

  constructor(private readonly settings: ReadServerSettings) {
    this.sql = settings.sql
  }

  /** Whether the next cursor tries it. While it is away, one at a time does. */
  mayTry(): boolean {
    const nowMs = performance.now()
    if (this.#isAway) {
      if (nowMs < this.#triedAgainAtMs) {
        this.settings.count('unreachable')
        return false
      }
      this.#triedAgainAtMs = nowMs + pauseMs
    }
    return true
  }

  /** Rejects with TurnedToPrimary where the server is at fault; a failure of the primary, or of handling the rows, stays what it is. */
  async read(programId: number, work: RowsWork): Promise<void> {
    const reading = await (this.settings.isDistributed ? this.#throughNode(work) : this.#onStandby(programId, work))
    try {
      await reading()
    } catch (error) {
      const outcome = outcomeOf(error)
      if (outcome === undefined) throw error
      this.#isAway = outcome === 'unreachable'
      this.#triedAgainAtMs = performance.now() + pauseMs
      this.#turn(outcome, error)
    }
    this.#isAway = false
    this.settings.count('read')
  }

  async #onStandby(programId: number, work: RowsWork): Promise<() => Promise<void>> {
    const state = await findPrimaryState(this.settings.primary, programId)
    if (state === undefined || state.history === null)
      this.#turn('other_history', new Error('it has yet to be noted that another server has taken over'))
    return () => work(this.sql, state)
  }

  /** On one connection, because a load balancer may lead the next one to another node. */
  async #throughNode(work: RowsWork): Promise<() => Promise<void>> {
    const coordinator = await readClusterView(this.settings.primary)
    return () =>
      inSession(this.sql, async session => {
        const strangeness = strangenessOfNode(await readClusterView(session), coordinator)
        if (strangeness !== undefined) throw Object.assign(new Error(strangeness), { code: 'TB005' })
        await work(session)
      })
  }

  #turn(outcome: ReadOutcome, cause: unknown): never {
    const { count, log } = this.settings
    count(outcome)
    const nowMs = performance.now()
    if (nowMs >= (this.#reportedAtMs.get(outcome) ?? Number.NEGATIVE_INFINITY) + reportEveryMs) {
      this.#reportedAtMs.set(outcome, nowMs)
      log.warn({ err: cause, reason: outcome }, 'a page is read from DATABASE_URL instead of DATABASE_READ_URL')
    }
    throw new TurnedToPrimary('the read server cannot serve this cursor', { cause })
  }
}

const outcomesOfCodes: Readonly<Record<string, ReadOutcome>> = {
  TB001: 'behind',
  TB004: 'behind',
  TB002: 'other_history',
  TB005: 'other_history',
  // Recovery withdrew the snapshot, a long statement was ended, or all connections were taken: the next cursor may well do.
  '40001': 'failed',
  '40P01': 'failed',
  '57014': 'failed',
  CONNECTION_BUSY: 'failed',
}

/** Undefined where neither the server nor the way to it is at fault. */
function outcomeOf(error: unknown): ReadOutcome | undefined {
  const code = String((error as { code?: unknown } | null)?.code)
  return outcomesOfCodes[code] ?? (isLostConnection(error) || /^[0-9A-Z]{5}$/.test(code) ? 'unreachable' : undefined)
}
