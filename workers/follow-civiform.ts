// The follower process: copies a CiviForm's applications from its database and keeps up with it. Several may run: one follows, and
// another takes over when it ends.

import { follow, followOptionsOf, watchFollowing } from '@tributary/civiform'
import { health } from '@tributary/web/health'
import { failureLines } from '../src/base/failure.ts'
import { createLog } from '../src/base/log.ts'
import { type OtherConfig, otherSettings } from '../src/config/all-settings.ts'
import { healthPorts } from '../src/config/listening-settings.ts'
import { loadConfig } from '../src/config/load-config.ts'
import { withSettingFiles } from '../src/config/setting-files.ts'
import { buildOf } from '../src/core/metrics/build.ts'
import { Meter } from '../src/core/metrics/meter.ts'
import { registerProcessMetrics } from '../src/core/metrics/process-metrics.ts'
import { openDatabase, type Sql } from '../src/db/client.ts'
import { refuseDistributed } from '../src/db/distribution.ts'
import { prepareAtStart } from '../src/db/instance.ts'

/** Not ready after this long without a successful round, for example if CiviForm's database is unreachable. Each step of a first copy is shorter. */
const unreadyMs = 120_000

try {
  await run(loadConfig(withSettingFiles(process.env, otherSettings), otherSettings))
  process.exit(0)
} catch (error) {
  for (const line of failureLines(error)) console.error(line)
  process.exit(1)
}

async function run(config: OtherConfig): Promise<void> {
  const log = createLog(config.logLevel)
  const options = followOptionsOf(config)
  await prepareAtStart(config)
  const { databaseUrl: url, databasePrepare: prepare, silenceTimeoutMs, databaseDirectUrl = url } = config
  const open = (to: string, connectionsMax: number, applicationName: string): Sql =>
    openDatabase({ url: to, prepare, silenceTimeoutMs, connectionsMax, applicationName })
  const sql = open(url, 4, 'tributary-follower')
  const lock = open(databaseDirectUrl, 1, 'tributary-follower-lock')
  await refuseDistributed(sql, 'An installation with distributed applications cannot follow a CiviForm (SCALE.md).')
  const stopping = new AbortController()
  const stop = (signal: string): void => {
    if (stopping.signal.aborted) process.exit(130)
    log.info({ signal }, 'stopping')
    stopping.abort()
  }
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
  const metrics = new Meter()
  registerProcessMetrics(metrics, await buildOf(sql))
  watchFollowing(metrics, sql)
  /** The last successful round, or the last check that another process follows. */
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
    const onWell = (): void => {
      wellAt = performance.now()
    }
    await follow({ sql, lock, url: config.civiformDatabase!.url, options, log, signal: stopping.signal, onWell })
  } finally {
    await platform.stop(true)
    await Promise.all([sql.end({ timeout: 5 }), lock.end({ timeout: 1 })])
  }
  log.info({}, 'stopped')
}
