// How far the clocks of CiviForm's servers may lag behind its database: the usual allowance, or more for a day after an application
// showed a larger lag.

import type { Micros } from '../../domain/values/offset-time.ts'
import type { FollowState } from '../db/follow-state.ts'

/**
 * The maximum allowance. An application that appears further before a watermark was imported or restored, and is not due to a clock: it is copied
 * without increasing the allowance.
 */
export const allowanceMsMax = 120_000
/** How long an increased allowance remains after its cause. */
const widenedMicros = 86_400_000_000

type Allowance = Pick<FollowState, 'slack_ms' | 'slack_widened_at'>

/** The current allowance; `leastMs` is the usual one. */
export function allowanceAt({ slack_ms, slack_widened_at }: Allowance, leastMs: number, now: Micros): Allowance {
  if (slack_widened_at === null || now - slack_widened_at > widenedMicros || slack_ms <= leastMs)
    return { slack_ms: leastMs, slack_widened_at: null }
  return { slack_ms, slack_widened_at }
}

/** The allowance needed after applications appeared this far before a watermark; undefined if none of them is due to a clock. */
export function widenedFor(slackMs: number, latenessMs: readonly number[]): number | undefined {
  const needed = latenessMs.map(ms => slackMs + ms).filter(ms => ms <= allowanceMsMax)
  return needed.length === 0 ? undefined : Math.min(allowanceMsMax, Math.ceil(Math.max(...needed) * 1.5))
}
