// The worker process: carries jobs from the outbox to the queue, runs them, and sweeps at start and on a timer.
// It composes and decides nothing else. Any number of these may run.

import { type Config, loadConfig } from '../src/config.ts'
import { openDatabase } from '../src/db/client.ts'
import { prepareAtStart } from '../src/db/instance.ts'
import { findWay, noStatementTimeout } from '../src/db/pooler.ts'
import { sweepDerived } from '../src/derived/sweep.ts'
import { failureLines } from '../src/failure.ts'
import { createLog, type Log } from '../src/log.ts'
import { Problem } from '../src/problem.ts'
import { connectQueue, type Queue } from '../src/queue/connect.ts'
import { startRelay } from '../src/queue/relay.ts'
import { startWorking } from '../src/queue/work.ts'
import { eraseExpired } from '../src/upkeep/erase.ts'
import { codeVersions, handlers } from './handlers.ts'

const queueRetryMs = 2000

try {
  await work(loadConfig(process.env))
} catch (error) {
  for (const line of failureLines(error)) console.error(line)
  process.exit(1)
}

async function work(config: Config): Promise<void> {
  const log = createLog(config.logLevel)
  const { databaseUrl: url, databaseDirectUrl: directUrl, databasePrepare: prepare, redisUrl } = config
  await prepareAtStart(config)
  const { pooled, statementTimeoutMs } = await findWay(url)
  if (pooled && statementTimeoutMs === 0) log.warn(noStatementTimeout)
  if (pooled && redisUrl === undefined && directUrl === undefined) throw queueBehindPooler()
  const db = openDatabase({
    url,
    prepare,
    statementTimeoutMs: pooled ? 0 : config.statementTimeoutMs,
    silenceTimeoutMs: config.silenceTimeoutMs,
    connectionsMax: 6,
    applicationName: 'tributary-worker',
  })
  const listening = pooled ? directUrl : url
  const notices =
    listening === undefined
      ? undefined
      : openDatabase({ url: listening, connectionsMax: 1, applicationName: 'tributary-notices' })

  let stopping = false
  process.on('uncaughtException', error => log.error({ err: error }, 'uncaught exception'))
  process.on('unhandledRejection', error => log.error({ err: error }, 'unhandled rejection'))
  const queue = await connectPatiently(config, log)
  const relay = startRelay(db, notices, queue, log)
  const working = await startWorking(db, queue, handlers({ db, config }), log, codeVersions)
  const sweep = async (): Promise<void> => {
    try {
      const asked = await sweepDerived(db)
      if (asked.length > 0) log.info({ asked: asked.length }, 'the sweep asked for derived data')
    } catch (error) {
      log.warn({ err: error }, 'the sweep failed; the next one is on its timer')
    }
  }
  const erase = async (): Promise<void> => {
    try {
      for (const { slug, applications, inProgress } of await eraseExpired(db))
        log.info({ program: slug, applications, in_progress: inProgress }, 'erased what the program keeps no longer')
    } catch (error) {
      log.warn({ err: error }, 'what has expired could not be erased; the next sweep tries again')
    }
  }
  await sweep().then(erase)
  const timer = setInterval(() => void sweep().then(erase), config.sweepIntervalMs)
  log.info({ store: queue.store }, 'working')

  /** Stops taking, finishes what runs, closes queue and database, in that order. A second signal exits at once. */
  const stop = async (signal: string): Promise<void> => {
    if (stopping) process.exit(130)
    stopping = true
    log.info({ signal }, 'stopping')
    clearInterval(timer)
    await Promise.race([
      (async () => {
        await working.stop()
        await relay.stop()
        await queue.close()
        await Promise.all([db.end({ timeout: 5 }), notices?.end({ timeout: 1 })])
      })(),
      Bun.sleep(config.drainTimeoutMs),
    ])
    log.info('stopped')
    process.exit(0)
  }
  process.on('SIGTERM', () => void stop('SIGTERM'))
  process.on('SIGINT', () => void stop('SIGINT'))
}

/** The queue's store may be away when the worker starts; nothing is lost meanwhile, so it waits. */
async function connectPatiently(config: Config, log: Log): Promise<Queue> {
  for (;;) {
    try {
      return await connectQueue(
        { databaseUrl: config.databaseDirectUrl ?? config.databaseUrl, redisUrl: config.redisUrl },
        error => log.warn({ err: error }, 'the queue has lost its store for now'),
      )
    } catch (error) {
      log.warn({ err: error }, 'the queue cannot be opened yet')
      await Bun.sleep(queueRetryMs)
    }
  }
}

function queueBehindPooler(): Problem {
  return new Problem('conflict', {
    detail:
      'DATABASE_URL leads through a pooler, which cannot carry the queue. Set DATABASE_DIRECT_URL to the address of PostgreSQL itself, or REDIS_URL.',
  })
}
