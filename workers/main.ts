// The worker process: moves jobs from the outbox to the queue, runs them, and performs maintenance at start and on a timer. This file
// only wires the parts together. Any number of workers may run.

import { health } from '@tributary/web/health'
import { failureLines } from '../src/base/failure.ts'
import { createLog, type Log } from '../src/base/log.ts'
import { Problem } from '../src/base/problem.ts'
import { releaseName } from '../src/base/release.ts'
import { openTraces } from '../src/base/tracing/open-traces.ts'
import { type OtherConfig, otherSettings } from '../src/config/all-settings.ts'
import { healthPorts } from '../src/config/listening-settings.ts'
import { loadConfig } from '../src/config/load-config.ts'
import { withSettingFiles } from '../src/config/setting-files.ts'
import { openFileStore } from '../src/core/files/open-file-store.ts'
import { buildOf } from '../src/core/metrics/build.ts'
import { watchMaintenance } from '../src/core/metrics/database-metrics.ts'
import { watchOrigin } from '../src/core/metrics/origin-metrics.ts'
import { registerProcessMetrics } from '../src/core/metrics/process-metrics.ts'
import { watchTraces } from '../src/core/metrics/trace-metrics.ts'
import { connectQueue, type Queue, type QueueOptions } from '../src/core/queue/connect.ts'
import { joinQueues } from '../src/core/queue/joined-queues.ts'
import { startRelay } from '../src/core/queue/relay.ts'
import { startWorking, type WatchedRuns } from '../src/core/queue/work.ts'
import { isReachable, openDatabase, type Sql } from '../src/db/client.ts'
import { DatabaseClock } from '../src/db/database-clock.ts'
import { readMaintenanceState } from '../src/db/derived/maintenance-state.ts'
import { prepareAtStart } from '../src/db/instance.ts'
import { findOrigin } from '../src/db/origin.ts'
import { findWay, noStatementTimeout } from '../src/db/pooler.ts'
import { startAsking } from './deliver-webhook.ts'
import { codeVersions, handlers } from './handlers.ts'
import { startMaintenance } from './maintenance.ts'
import { type MaintenanceTask, WorkerMetrics } from './worker-metrics.ts'

const queueRetryMs = 2000
/** Concurrent webhook delivery attempts, each of at most ten seconds. */
const deliveriesAtATime = 10

try {
  await work(loadConfig(withSettingFiles(process.env, otherSettings), otherSettings))
} catch (error) {
  for (const line of failureLines(error)) console.error(line)
  process.exit(1)
}

async function work(config: OtherConfig): Promise<void> {
  const log = createLog(config.logLevel)
  if (config.exportOnly)
    throw new Problem('conflict', {
      detail: 'EXPORT_ONLY is for the service. A worker must be able to write.',
      internal: 'export_only',
    })
  await prepareAtStart(config)
  const { pooled, statementTimeoutMs } = await findWay(config.databaseUrl)
  if (pooled && statementTimeoutMs === 0) log.warn(noStatementTimeout)
  if (pooled && config.redisUrl === undefined && config.databaseDirectUrl === undefined) throw queueBehindPooler()
  const metrics = new WorkerMetrics(Date.now())
  const { db, notices } = openDatabases(config, pooled, metrics)
  if ((await findOrigin(db)) !== undefined)
    await (await import('@tributary/civiform')).requireFollowedProfile(db, config.exportProfile)

  const clock = await DatabaseClock.open(db)
  const stopping = new AbortController()
  let isWorking = false
  await watchDatabase(metrics, db)
  const traces = openTraces(config, 'tributary-worker', log)
  watchTraces(metrics, traces?.exporter)
  const ready = async (): Promise<boolean> => isWorking && !stopping.signal.aborted && (await isReachable(db))
  const platform = servePlatform(config, ready, metrics)
  process.on('uncaughtException', error => log.error({ err: error }, 'uncaught exception'))
  process.on('unhandledRejection', error => log.error({ err: error }, 'unhandled rejection'))
  const queues = await openQueues(config, log)
  const through = (task: MaintenanceTask): void => metrics.through(task, Date.now())
  const relay = startRelay(db, notices, queues, log, { onRound: () => through('relay') })
  const watched: WatchedRuns = { count: metrics.job.bind(metrics), tracer: traces?.tracer }
  const attempted = (outcome: string): void => metrics.attempted(outcome)
  const run = handlers({ db, config, attempted, now: clock.now })
  const working = await startWorking(db, queues, run, log, codeVersions, watched)
  const stopAsking = startAsking(db, log, clock.now, () => through('webhooks'))
  const fileStore = openFileStore(config)
  const tasks = startMaintenance({ db, log, fileStore, config, through })

  /** Stops taking jobs, finishes running ones, then closes the queue and the database. */
  const finish = async (): Promise<void> => {
    clock.stop()
    await Promise.all([tasks.stop(), stopAsking()])
    await working.stop()
    await relay.stop()
    await queues.close()
    await Promise.all([db.end({ timeout: 5 }), notices?.end({ timeout: 1 })])
  }
  /** A second signal exits immediately. */
  const stop = async (signal: string): Promise<void> => {
    if (stopping.signal.aborted) process.exit(130)
    stopping.abort()
    log.info({ signal }, 'stopping')
    await Promise.race([finish(), Bun.sleep(config.drainTimeoutMs)])
    await platform.stop(true)
    await traces?.exporter.finish(2000)
    log.info('stopped')
    process.exit(0)
  }
  // Before maintenance has run for the first time, since jobs are already being worked on.
  process.on('SIGTERM', () => void stop('SIGTERM'))
  process.on('SIGINT', () => void stop('SIGINT'))

  await tasks.first
  isWorking = true
  log.info({ release: releaseName, store: queues.store, health: platform.url.href }, 'working')
}

/** Health checks and metrics, on a separate port. */
function servePlatform(
  { healthHost: hostname, healthPort: port = healthPorts.worker }: OtherConfig,
  ready: () => Promise<boolean>,
  metrics: WorkerMetrics,
): Bun.Server<undefined> {
  return Bun.serve({ hostname, port, development: false, ...health(ready, metrics) })
}

/** Metrics of the build, of maintenance, and of a followed CiviForm. */
async function watchDatabase(metrics: WorkerMetrics, db: Sql): Promise<void> {
  registerProcessMetrics(metrics, await buildOf(db))
  watchMaintenance(metrics, () => readMaintenanceState(db))
  watchOrigin(metrics, db, async () => (await import('@tributary/civiform')).watchFollowing)
}

/** The connection pool for jobs, and the connection that listens for new jobs; the latter is missing behind a pooler without a direct address. */
function openDatabases(
  config: OtherConfig,
  pooled: boolean,
  metrics: WorkerMetrics,
): { db: Sql; notices: Sql | undefined } {
  const { databaseUrl: url, databaseDirectUrl: directUrl, databasePrepare: prepare } = config
  const db = metrics.pools.watch('worker', onWait =>
    openDatabase({
      url,
      prepare,
      onWait,
      statementTimeoutMs: pooled ? 0 : config.statementTimeoutMs,
      silenceTimeoutMs: config.silenceTimeoutMs,
      connectionsMax: 6,
      applicationName: 'tributary-worker',
    }),
  )
  const listening = pooled ? directUrl : url
  const notices =
    listening === undefined
      ? undefined
      : openDatabase({ url: listening, connectionsMax: 1, applicationName: 'tributary-notices' })
  return { db, notices }
}

/** Combines the worker's queues. */
async function openQueues(config: OtherConfig, log: Log): Promise<Queue> {
  const derived = await connectPatiently(config, log, { name: 'derived-data' })
  const webhooks = await connectPatiently(config, log, { name: 'webhooks', concurrency: deliveriesAtATime })
  return joinQueues({ 'derived-data': derived, webhooks })
}

/** Waits if Redis is down when the worker starts; jobs stay in the outbox meanwhile. */
async function connectPatiently(
  config: OtherConfig,
  log: Log,
  options: Pick<QueueOptions, 'name' | 'concurrency'>,
): Promise<Queue> {
  for (;;) {
    try {
      return await connectQueue(
        { databaseUrl: config.databaseDirectUrl ?? config.databaseUrl, redisUrl: config.redisUrl, ...options },
        error => log.warn({ err: error }, 'the queue has lost its store; reconnecting'),
      )
    } catch (error) {
      log.warn({ err: error }, 'the queue could not be opened; retrying')
      await Bun.sleep(queueRetryMs)
    }
  }
}

function queueBehindPooler(): Problem {
  return new Problem('conflict', {
    detail:
      'DATABASE_URL points to a pooler, which the queue cannot use. Set DATABASE_DIRECT_URL to the address of PostgreSQL, or set REDIS_URL.',
    internal: 'pooled_database',
  })
}
