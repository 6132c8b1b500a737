// The service: opens the database, builds the routes, listens and drains. It decides nothing else.

import { bySentPath, health, Metrics, readTlsFiles, type TlsTexts } from '@tributary/web/server'
import { createApp } from './app.ts'
import { createLog, type Log } from './base/log.ts'
import { releaseName } from './base/release.ts'
import { openTraces } from './base/tracing/open-traces.ts'
import type { Config } from './config/all-settings.ts'
import { healthPorts } from './config/listening-settings.ts'
import type { ShownSetting } from './config/shown-settings.ts'
import { buildOf } from './core/metrics/build.ts'
import { watchMaintenance } from './core/metrics/database-metrics.ts'
import { watchOrigin } from './core/metrics/origin-metrics.ts'
import { registerProcessMetrics } from './core/metrics/process-metrics.ts'
import { watchTraces } from './core/metrics/trace-metrics.ts'
import { resumePublications } from './core/programs/publications.ts'
import type { CountingRedis } from './core/queue/counting-redis.ts'
import { isReachable, openDatabase, type Sql } from './db/client.ts'
import { DatabaseClock } from './db/database-clock.ts'
import { readMaintenanceState } from './db/derived/maintenance-state.ts'
import { prepareAtStart } from './db/instance.ts'
import { readKeyExpiries } from './db/keys/api-key-rows.ts'
import { findOrigin } from './db/origin.ts'
import { findWay, noStatementTimeout, type Way } from './db/pooler.ts'

/** Maximum time for closing, however long draining took. */
const closeMs = 5000
/** How long the read server may take to say how it is reached. */
const readAnswerMs = 3000

/** Runs the service until the process ends. */
export async function serve(config: Config, settings: readonly ShownSetting[]): Promise<void> {
  const log = createLog(config.logLevel)
  const tls = config.tlsCert === undefined ? undefined : await readTlsFiles(config.tlsCert, config.tlsKey!)
  await prepareAtStart(config)
  const way = await findWay(config.databaseUrl)
  if (way.pooled && way.statementTimeoutMs === 0) log.warn(noStatementTimeout)
  const metrics = new Metrics()
  const openPool = poolOpener(config, way, metrics)
  const db = openPool('general', 'tributary', config.databaseConnections)
  await checkFollowing(config, db, log)
  const exportDb = openPool('export', exportName, config.exportConnections)
  const intakeDb = openPool('intake', 'tributary-intake', config.intakeConnections)
  const consoleDb = openPool('console', 'tributary-console', config.consoleConnections, config.consoleDatabaseUrl)
  const readDb = await openReadServer(config, way, metrics)

  const stopping = new AbortController()
  registerProcessMetrics(metrics, await buildOf(db))
  metrics.watchKeys(() => readKeyExpiries(db))
  watchMaintenance(metrics, () => readMaintenanceState(db))
  watchOrigin(metrics, db, async () => (await import('@tributary/civiform')).watchFollowing)
  const traces = openTraces(config, 'tributary', log)
  watchTraces(metrics, traces?.exporter)
  const countingRedis = await openCountingRedis(config, log)
  const clock = await DatabaseClock.open(db)
  metrics.watchCounts(countingRedis)
  const app = createApp({
    config,
    settings,
    log,
    db,
    exportDb,
    readDb,
    isDistributed: way.isDistributed,
    intakeDb,
    consoleDb,
    metrics,
    tracer: traces?.tracer,
    countingRedis,
    now: clock.now,
  })
  watchPublications(config, consoleDb, log, stopping.signal)
  const server = listen(config, tls, app)
  const readiness = async () => !stopping.signal.aborted && (await isReachable(db))
  const platform = servePlatform(config, health(readiness, metrics))

  const running = { config, log, server, platform, app, clock, countingRedis, traces, db, stopping }
  const readers = [exportDb, intakeDb, consoleDb, ...(readDb === undefined ? [] : [readDb])]
  logListening(running)
  process.on('SIGTERM', () => void drain('SIGTERM', running, readers))
  process.on('SIGINT', () => void drain('SIGINT', running, readers))
  keepRunning(log)
}

/** Alongside a CiviForm, some settings have to be as the follower's and as CiviForm's own. */
async function checkFollowing({ exportProfile, originApiSalt }: Config, db: Sql, log: Log): Promise<void> {
  if ((await findOrigin(db)) === undefined) return
  const { countKeysWithoutSalt, requireFollowedProfile } = await import('@tributary/civiform')
  await requireFollowedProfile(db, exportProfile)
  const keys = await countKeysWithoutSalt(db, originApiSalt)
  if (keys > 0)
    log.warn(
      { keys },
      'CiviForm’s API keys are rejected: CIVIFORM_API_SECRET_SALT is not set, so their secrets cannot be checked',
    )
}

const logListening = ({ config, log, server, platform }: Running): void => {
  const [url, health] = [server.url.href, platform.url.href]
  log.info({ release: releaseName, url, health, time_zone: config.timeZone }, 'listening')
}

/** Clients are answered from here on. */
function listen(config: Config, tls: TlsTexts | undefined, app: ReturnType<typeof createApp>): Bun.Server<undefined> {
  return Bun.serve({
    hostname: config.host,
    port: config.port,
    // Bun would end a connection whose reader or database is slow. Here it is idle only when its answer is complete (web/http/server/client-connection).
    idleTimeout: 0,
    reusePort: config.reusePort,
    development: false,
    ...(tls === undefined ? {} : { tls }),
    ...bySentPath<Bun.Server<undefined>>(app.fetch),
  })
}

interface Running {
  config: Config
  log: Log
  server: Bun.Server<undefined>
  platform: Bun.Server<undefined>
  app: ReturnType<typeof createApp>
  clock: DatabaseClock
  countingRedis: CountingRedis | undefined
  traces: ReturnType<typeof openTraces>
  db: Sql
  /** Aborted by the first signal. */
  stopping: AbortController
}

/** Stops listening, finishes streams, writes counts and what the audit log waits for, closes `readers` and the rest. A second signal exits immediately. */
async function drain(why: string, running: Running, readers: readonly Sql[]): Promise<void> {
  const { config, log, server, platform, app, countingRedis, traces, db, stopping } = running
  if (stopping.signal.aborted) process.exit(130)
  stopping.abort()
  log.info({ signal: why }, 'draining')
  app.watch.close()
  const endMs = performance.now() + config.drainTimeoutMs
  const drained = await Promise.race([
    server.stop(false).then(() => true),
    Bun.sleep(config.drainTimeoutMs).then(() => false),
  ])
  if (!drained) {
    log.warn({ drain_timeout_ms: config.drainTimeoutMs }, 'exports that are still running are interrupted')
    await server.stop(true)
  }
  await platform.stop(true)
  running.clock.stop()
  await app.keyRequests?.finish()
  await closePools(readers)
  const { auditLog } = app
  if (auditLog.waiting > 0) log.info({ lines: auditLog.waiting }, 'the audit log is still being written')
  await auditLog.finish(Math.max(endMs - performance.now(), closeMs))
  countingRedis?.close()
  await closePools([db])
  await traces?.exporter.finish(closeMs)
  log.info('stopped')
  process.exit(0)
}

/** How long a publication in the background waits at most for a process, where the one that had it has ended. */
const publicationsEveryMs = 5000

/** Makes publications that were asked for of a process that has ended since. */
function watchPublications(
  { enumeratorDepthMax, exportOnly }: Config,
  consoleDb: Sql,
  log: Log,
  stopping: AbortSignal,
): void {
  if (exportOnly) return
  let underWay = false
  const timer = setInterval(() => {
    if (underWay) return
    underWay = true
    void resumePublications(consoleDb, { enumeratorDepthMax, log })
      .catch(err => log.debug({ err }, 'interrupted publications could not be looked up'))
      .finally(() => {
        underWay = false
      })
  }, publicationsEveryMs)
  stopping.addEventListener('abort', () => clearInterval(timer))
}

/** Serves the platform's health checks and metrics on a separate port. */
function servePlatform({ healthHost, healthPort }: Config, answers: ReturnType<typeof health>): Bun.Server<undefined> {
  return Bun.serve({
    hostname: healthHost,
    port: healthPort ?? healthPorts.service,
    development: false,
    ...answers,
  })
}

/** An uncaught error is a fault of ours or of a library: it is logged, and the other requests continue. */
function keepRunning(log: Log): void {
  process.on('uncaughtException', error => log.error({ err: error }, 'uncaught exception'))
  process.on('unhandledRejection', error => log.error({ err: error }, 'unhandled rejection'))
}

/** With a Redis, it counts limits there, for all processes on all machines together. It may be down, now or later. */
async function openCountingRedis({ redisUrl }: Config, log: Log): Promise<CountingRedis | undefined> {
  if (redisUrl === undefined) return undefined
  const { CountingRedis } = await import('./core/queue/counting-redis.ts')
  return new CountingRedis(redisUrl, log)
}

/** How PostgreSQL shows connections that read pages. */
const exportName = 'tributary-export'

/** Opens pools, each with a name for metrics and one that PostgreSQL shows in `pg_stat_activity`. */
function poolOpener(config: Config, way: Way, { pools }: Metrics, silenceTimeoutMs = config.silenceTimeoutMs) {
  return (name: string, applicationName: string, connectionsMax: number, url = config.databaseUrl): Sql => {
    return pools.watch(name, onWait =>
      openDatabase({
        url,
        applicationName,
        connectionsMax,
        onWait,
        prepare: config.databasePrepare,
        statementTimeoutMs: way.pooled ? 0 : config.statementTimeoutMs,
        silenceTimeoutMs,
        // A request that has waited longer was refused already.
        queueTimeoutMs: config.responseTimeoutMs,
      }),
    )
  }
}

/** A server that does not answer now is assumed to be reached in the way the primary is. */
async function openReadServer(config: Config, primaryWay: Way, metrics: Metrics): Promise<Sql | undefined> {
  const { databaseReadUrl: url, exportConnections, readSilenceTimeoutMs } = config
  if (url === undefined) return undefined
  const way = await findWay(url, readAnswerMs).catch(() => primaryWay)
  return poolOpener(config, way, metrics, readSilenceTimeoutMs)('read', exportName, exportConnections, url)
}

async function closePools(pools: readonly Sql[]): Promise<void> {
  await Promise.all(pools.map(pool => pool.end({ timeout: closeMs / 1000 })))
}
