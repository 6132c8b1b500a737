// This package's interface for the follower's process, the service and the worker.

import type { Log } from '../base/log.ts'
import type { Sql } from '../db/client.ts'
import { formatMicros } from '../domain/values/offset-time.ts'
import { openSource } from './db/source.ts'
import { Follower } from './following/follower.ts'
import { keepFollowing } from './following/keep-following.ts'
import type { FollowOptions } from './source/followed-source.ts'

export { watchFollowing } from './following/follow-metrics.ts'
export { countKeysWithoutSalt, requireFollowedProfile } from './following/settings-of-others.ts'
export { followOptionsOf } from './source/followed-source.ts'

/** How often the first copy reports its progress. */
const progressMs = 5000

interface FollowDeps {
  /** Connections to this installation's database. */
  sql: Sql
  /** A single connection without a pooler: it holds the lock that lets one process follow at a time. */
  lock: Sql
  /** Address of CiviForm's database. */
  url: string
  options: FollowOptions
  log: Log
  signal: AbortSignal
  /** Called after each successful round, and while another process follows. */
  onWell: () => void
}

/**
 * Copies a CiviForm's applications and keeps up with it until `signal`. Failures of a round are logged and the round is repeated; it rejects if no
 * later round can succeed, for example because the database belongs to another CiviForm.
 */
export async function follow({ sql, lock, url, options, log, signal, onWell }: FollowDeps): Promise<void> {
  const source = openSource(url)
  let reportedAt = 0
  let reportedHeldBy: string | undefined
  const follower = new Follower({ sql, source, options, log }, (applications, upTo) => {
    if (performance.now() - reportedAt < progressMs) return
    reportedAt = performance.now()
    log.info({ applications, up_to: upTo === null ? null : formatMicros(upTo) }, 'copying')
  })
  try {
    await keepFollowing({
      follower,
      sql,
      lock,
      pollIntervalMs: options.slackMs,
      signal,
      onRound: ({ stored, changed, watermark, heldBy }) => {
        onWell()
        if (heldBy !== reportedHeldBy && heldBy !== undefined)
          log.warn({ held_by: heldBy }, 'copying from CiviForm is blocked')
        reportedHeldBy = heldBy
        if (stored + changed > 0)
          log.info({ stored, changed, watermark: watermark === undefined ? null : formatMicros(watermark) }, 'followed')
      },
      onFailure: (error, pauseMs) =>
        log.warn({ err: error, again_in_ms: pauseMs }, 'following CiviForm failed and will be retried'),
      onStillWaiting: onWell,
      onWaiting: () => log.info({}, 'another process follows; this one takes over when it ends'),
    })
  } finally {
    await source.end({ timeout: 1 })
  }
}
