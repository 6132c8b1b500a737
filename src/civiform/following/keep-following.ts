// Runs one follower at a time, round after round until stopped. Failures are retried after growing pauses, because CiviForm's database
// may be down for an hour, be upgraded, or fail over. Nothing is lost or duplicated.

import { setTimeout } from 'node:timers/promises'
import { Problem } from '../../base/problem.ts'
import type { Sql } from '../../db/client.ts'
import { FollowedElsewhere } from '../applications/store-applications.ts'
import { moveFollowState, tryFollowLock } from '../db/follow-state.ts'
import type { Follower, Round } from './follower.ts'

export interface KeepFollowingOptions {
  follower: Follower
  /** This service's own database, and a pool with one connection to it, which holds the lock. */
  sql: Sql
  lock: Sql
  pollIntervalMs: number
  signal: AbortSignal
  onRound: (round: Round) => void
  /** Called for each failure; it is retried after `pauseMs`. */
  onFailure: (error: unknown, pauseMs: number) => void
  /** Called once when another process follows, and this one waits. */
  onWaiting: () => void
  /** Called at each check that finds the other still following. */
  onStillWaiting?: () => void
}

const pauseMsMax = 60_000

/** Resolves when stopped. Rejects with a Problem `conflict` that no retry can fix. */
export async function keepFollowing(options: KeepFollowingOptions): Promise<void> {
  const {
    follower,
    sql,
    lock,
    pollIntervalMs,
    signal,
    onRound,
    onFailure,
    onWaiting,
    onStillWaiting = () => {},
  } = options
  let failures = 0
  let waiting = false
  while (!signal.aborted) {
    let pauseMs = pollIntervalMs
    try {
      // Checked each time: a lost connection has lost its lock.
      if (await tryFollowLock(lock)) {
        waiting = false
        const round = await follower.round(signal)
        onRound(round)
        if (round.more) pauseMs = 0
      } else {
        onStillWaiting()
        if (!waiting) onWaiting()
        waiting = true
      }
      failures = 0
    } catch (error) {
      if (error instanceof Problem && error.kind === 'conflict') throw error
      pauseMs = Math.min(pauseMsMax, pollIntervalMs * 2 ** Math.min(failures++, 10))
      onFailure(error, pauseMs)
      if (!(error instanceof FollowedElsewhere)) await noteFailure(sql, error)
    }
    // Rejects when aborted, and then the loop ends.
    await setTimeout(pauseMs, undefined, { signal }).catch(() => {})
  }
}

/** For the console and metrics; a database's message may quote rows, so only its code is stored. */
async function noteFailure(sql: Sql, error: unknown): Promise<void> {
  const { code, name } = error as { code?: unknown; name?: unknown }
  const last_error = error instanceof Problem ? error.detail : String(code ?? name ?? 'unknown')
  await moveFollowState(sql, { last_error }).catch(() => {})
}
