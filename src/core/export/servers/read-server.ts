// The server of DATABASE_READ_URL, which is preferred to the primary for reading pages: a standby, a node of a Citus cluster, or a load
// balancer in front of several. Each cursor asks the primary for its state, and the statement that reads the rows fails if the server's
// snapshot does not have the same state. Whatever the server rejects or fails at is read from the primary.

import type { Log } from '../../../base/log.ts'
import { isLostConnection } from '../../../base/passing-errors.ts'
import { inSession, type Sql } from '../../../db/client.ts'
import { readClusterView, strangenessOfNode } from '../../../db/walks/cluster-view.ts'
import { findPrimaryState, type PrimaryState } from '../../../db/walks/primary-state.ts'
import type { ReadConnections, ReadLength } from './read-connections.ts'

/** Outcome of a cursor: read from this server, or why the primary was read instead. */
export const readOutcomes = ['read', 'behind', 'other_history', 'failed', 'unreachable'] as const
export type ReadOutcome = (typeof readOutcomes)[number]

/** How long an unreachable server is not used, until one cursor tries it again. */
const pauseMs = 5000
/** Interval of logging that pages are read from the primary, per reason. */
const reportEveryMs = 600_000

/** Reads rows on a connection. The state is what a server that replays the primary's log must have. */
export type RowsWork = (sql: Sql, asOn?: PrimaryState) => Promise<void>

export interface ReadServerSettings {
  connections: ReadConnections
  /** Server that is asked for its state; in a cluster, the coordinator. */
  primary: Sql
  /** Whether applications are distributed over a Citus cluster of which the server is a node. */
  isDistributed: boolean
  log: Log
  count(outcome: ReadOutcome): void
}

/** The read server cannot serve a cursor, so the primary must. */
export class TurnedToPrimary extends Error {}

export class ReadServer {
  readonly connections: ReadConnections
  #isAway = false
  #triedAgainAtMs = 0
  readonly #reportedAtMs = new Map<ReadOutcome, number>()

  constructor(private readonly settings: ReadServerSettings) {
    this.connections = settings.connections
  }

  /** Whether the next cursor tries it. While it is unreachable, one cursor at a time does. */
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

  /** Rejects with TurnedToPrimary if the server is at fault; errors of the primary and of handling rows are passed on. */
  async read(length: ReadLength, programId: number, work: RowsWork): Promise<void> {
    const reading = await (this.settings.isDistributed ? this.#throughNode(work) : this.#onStandby(programId, work))
    try {
      await this.connections.read(length, reading)
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

  async #onStandby(programId: number, work: RowsWork): Promise<(sql: Sql) => Promise<void>> {
    const state = await findPrimaryState(this.settings.primary, programId)
    if (state === undefined || state.history === null)
      this.#turn('other_history', new Error('the takeover by another server has not been recorded yet'))
    return sql => work(sql, state)
  }

  /** On one connection, because a load balancer may lead the next one to another node. */
  async #throughNode(work: RowsWork): Promise<(sql: Sql) => Promise<void>> {
    const coordinator = await readClusterView(this.settings.primary)
    return sql =>
      inSession(sql, async session => {
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
  // Recovery cancelled the query, a long statement timed out, or all connections were in use; the next cursor may succeed.
  '40001': 'failed',
  '40P01': 'failed',
  '57014': 'failed',
  CONNECTION_BUSY: 'failed',
}

/** Undefined if neither the server nor the connection to it is at fault. */
function outcomeOf(error: unknown): ReadOutcome | undefined {
  const code = String((error as { code?: unknown } | null)?.code)
  return outcomesOfCodes[code] ?? (isLostConnection(error) || /^[0-9A-Z]{5}$/.test(code) ? 'unreachable' : undefined)
}
