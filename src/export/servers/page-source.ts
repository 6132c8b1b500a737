// Chooses the server for the next cursor of one page: the least busy standby, another standby if that one fails, and the primary if
// all have failed. It retries elsewhere what a standby refuses; a refusal by the primary is final.
//
// Every cursor verifies that its server has the walk's submissions (db/walks/walks), so a wrong choice costs a round trip, never a row.

import { isLostConnection } from '../../db/passing-errors.ts'
import { isBehindWalk } from '../../db/walks/walks.ts'
import type { ExportServer, Standby, Standbys } from './standbys.ts'

/** Pauses before retrying a lagging standby: it usually catches up within milliseconds. */
const behindPausesMs = [5, 15, 30]
/** A standby that lags more than this is not waited for. */
const worthWaitingMs = 2500

export class PageSource {
  /** Standbys that have failed this page since it last made progress. */
  readonly #failed = new Set<Standby>()
  #standby: Standby | undefined
  #waits = 0

  constructor(
    private readonly primary: ExportServer,
    private readonly standbys: Pick<Standbys, 'usable'>,
  ) {}

  next(): ExportServer {
    const usable = this.standbys.usable().filter(standby => !this.#failed.has(standby))
    // Retries the standby that was waited for; another might lag as well.
    const same = this.#waits > 0 ? usable.find(standby => standby === this.#standby) : undefined
    this.#standby = same ?? usable[0]
    if (this.#standby === undefined) return this.primary
    this.#standby.reads++
    return this.#standby
  }

  noteProgress(): void {
    this.#failed.clear()
    this.#waits = 0
  }

  /** Takes the failure of the last cursor. How long to pause before the next; undefined when the primary itself failed. */
  turnFrom(error: unknown): number | undefined {
    const standby = this.#standby
    if (standby === undefined) {
      this.#failed.clear()
      return undefined
    }
    if (!isOfTheServer(error)) return undefined
    if (isBehindWalk(error)) {
      const pauseMs = behindPausesMs[this.#waits]
      if (pauseMs !== undefined && standby.lagMs < worthWaitingMs) {
        this.#waits++
        return pauseMs
      }
    } else if (!passes(error)) standby.noteFailure()
    this.#waits = 0
    this.#failed.add(standby)
    return 0
  }
}

/** Whether the server failed, or the way to it; an error in handling its rows is neither. */
const isOfTheServer = (error: unknown): boolean => isLostConnection(error) || /^[0-9A-Z]{5}$/.test(codeOf(error))

/**
 * Recovery withdrew the snapshot, a long statement was ended, or all connections were taken: the server may well do for the next page.
 */
const passes = (error: unknown): boolean => ['40001', '40P01', '57014', 'CONNECTION_BUSY'].includes(codeOf(error))

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code)
