// The follower's process: copies a CiviForm's applications from its database, and keeps up with it. Several may be started: one of them
// follows, and another takes over when it ends.

import { readFollowFigures } from '../src/civiform/db/follow-state.ts'
import { openSource } from '../src/civiform/db/source.ts'
import { watchFollowing } from '../src/civiform/following/follow-metrics.ts'
import { Follower } from '../src/civiform/following/follower.ts'
import { keepFollowing } from '../src/civiform/following/keep-following.ts'
import { followOptionsOf } from '../src/civiform/source/followed-source.ts'
import { type OtherConfig, otherSettings } from '../src/config/all-settings.ts'
import { healthPorts } from '../src/config/listening-settings.ts'
import { loadConfig } from '../src/config/load-config.ts'
import { withSettingFiles } from '../src/config/setting-files.ts'
import { openDatabase, type Sql } from '../src/db/client.ts'
import { prepareAtStart } from '../src/db/instance.ts'
import { refuseDistributed } from '../src/db/migrate.ts'
import { formatMicros } from '../src/domain/values/offset-time.ts'
import { failureLines } from '../src/failure.ts'
import { health } from '../src/http/server/health.ts'
import { createLog } from '../src/log.ts'
import { buildOf } from '../src/metrics/build.ts'
import { Meter } from '../src/metrics/meter.ts'
import { registerProcessMetrics } from '../src/metrics/process-metrics.ts'

/** How often the first copy says how far it is. */
const progressMs = 5000

/** Without a round that ended well for as long, it is not ready: CiviForm's database is away, say. A long step of a first copy is shorter. */
const unreadyMs = 120_000

try {
  await follow(loadConfig(withSettingFiles(process.env, otherSettings), otherSettings))
  process.exit(0)
} catch (error) {
  for (const line of failureLines(error)) console.error(line)
  process.exit(1)
}

async function follow(config: OtherConfig): Promise<void> {
  const log = createLog(config.logLevel)
  const options = followOptionsOf(config)
  await prepareAtStart(config)
  const { databaseUrl: url, databasePrepare: prepare, silenceTimeoutMs, databaseDirectUrl = url } = config
  const open = (to: string, connectionsMax: number, applicationName: string): Sql =>
    openDatabase({ url: to, prepare, silenceTimeoutMs, connectionsMax, applicationName })
  const sql = open(url, 4, 'tributary-follower')
  const lock = open(databaseDirectUrl, 1, 'tributary-follower-lock')
  const source = openSource(config.civiformDatabase!.url)
  await refuseDistributed(sql, 'An installation follows no CiviForm')
  const stopping = new AbortController()
  const stop = (signal: string): void => {
    if (stopping.signal.aborted) process.exit(130)
    log.info({ signal }, 'stopping')
    stopping.abort()
  }
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
  let reportedAt = 0
  let reportedHeldBy: string | undefined
  const follower = new Follower({ sql, source, options, log }, (applications, upTo) => {
    if (performance.now() - reportedAt < progressMs) return
    reportedAt = performance.now()
    log.info({ applications, up_to: upTo === null ? null : formatMicros(upTo) }, 'copying')
  })
  const metrics = new Meter()
  registerProcessMetrics(metrics, await buildOf(sql))
  watchFollowing(metrics, () => readFollowFigures(sql))
  /** The last round that ended well, or look whether another process still follows. */
  let wellAt = Number.NEGATIVE_INFINITY
  const platform = Bun.serve({
    hostname: config.healthHost,
    port: config.healthPort ?? healthPorts.follower,
    development: false,
    ...health(
      async () => !stopping.signal.aborted && performance.now() - wellAt < unreadyMs + config.civiformClockSlackMs,
      metrics,
    ),
  })
  log.info({ profile: options.profile, health: platform.url.href }, 'following CiviForm')
  try {
    await keepFollowing({
      follower,
      sql,
      lock,
      pollIntervalMs: config.civiformClockSlackMs,
      signal: stopping.signal,
      onRound: ({ stored, changed, watermark, heldBy }) => {
        wellAt = performance.now()
        if (heldBy !== reportedHeldBy && heldBy !== undefined)
          log.warn({ held_by: heldBy }, 'nothing newer can be copied from CiviForm')
        reportedHeldBy = heldBy
        if (stored + changed > 0)
          log.info({ stored, changed, watermark: watermark === undefined ? null : formatMicros(watermark) }, 'followed')
      },
      onFailure: (error, pauseMs) =>
        log.warn({ err: error, again_in_ms: pauseMs }, 'CiviForm could not be followed for now'),
      onStillWaiting: () => {
        wellAt = performance.now()
      },
      onWaiting: () => log.info({}, 'another process follows; this one takes over when it ends'),
    })
  } finally {
    await platform.stop(true)
    await Promise.all([sql.end({ timeout: 5 }), lock.end({ timeout: 1 }), source.end({ timeout: 1 })])
  }
  log.info({}, 'stopped')
}
