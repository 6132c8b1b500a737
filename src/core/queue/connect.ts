// Opens the queue on the configured store: PostgreSQL, or Redis (or Valkey, or a cluster of either). No other file depends on the choice.

import {
  assertSchemaCompatibility,
  createPostgresBackend,
  createRedisBackend,
  type JobsOptions,
  LATEST_SCHEMA_VERSION,
  runMigrations,
  SchemaMigrationRequiredError,
  withBackend,
} from 'bullmq'
import pg from 'pg'
import { connectionName } from '../../base/release.ts'
import { openDatabase } from '../../db/client.ts'
import { createQueueCounters } from '../../db/object-owners.ts'
import { type QueueName, queueNames } from './jobs.ts'
import { openRedis } from './open-redis.ts'
import { atMostEvery, type RunningWorker, Runs, type WorkerEvents, within } from './runs.ts'

export interface QueueOptions {
  /** The queue for derived data by default. */
  name?: QueueName
  databaseUrl: string
  /** `redis://…` or `rediss://…`; several, comma-separated, are nodes of one cluster. Undefined: the jobs are in PostgreSQL. */
  redisUrl: string | undefined
  /** Concurrent runs per process. */
  concurrency?: number
  /** Number of attempts before the job has failed, and the pause before the second one, which doubles each time. */
  attempts?: number
  retryPauseMs?: number
  /** How long a run may stay silent, and how often that is checked. If its process died, it runs again after at most the sum. */
  lockMs?: number
  stalledCheckMs?: number
  /** How long to wait for the store. Short, because a transaction is open while jobs are added. */
  storeTimeoutMs?: number
}

export interface OutgoingJob {
  name: string
  id: string
  payload: unknown
  /** The trace of the request for it (W3C Trace Context). */
  traceparent?: string | null | undefined
}

export interface Queue {
  readonly store: 'postgres' | 'redis'
  /** Adds all jobs or none; those whose ID is waiting or running are left unchanged. Rejects soon if the store is unreachable. */
  add(jobs: readonly OutgoingJob[]): Promise<void>
  /** Resolves when the worker accepts jobs; with Redis immediately, even if it is unreachable. */
  work(events: WorkerEvents): Promise<RunningWorker>
  close(): Promise<void>
}

/**
 * Opens the queue, and with PostgreSQL migrates its tables. Rejects if that fails; Redis may be unreachable, now or later. `trouble` is called about
 * lost connections, which are restored automatically, at most every half minute while it lasts.
 */
export async function connectQueue(options: QueueOptions, trouble: (error: Error) => void): Promise<Queue> {
  const settings: Settings = {
    name: 'derived-data',
    concurrency: 1,
    attempts: 5,
    retryPauseMs: 1000,
    lockMs: 30_000,
    stalledCheckMs: 30_000,
    storeTimeoutMs: 5000,
    ...options,
    trouble: atMostEvery(30_000, trouble),
  }
  return settings.redisUrl === undefined ? connectPostgres(settings) : connectRedis(settings, settings.redisUrl)
}

/** Creates everything that the queues need in the database in advance, as the schema owner, because the worker may not create anything. */
export async function prepareQueue(databaseUrl: string): Promise<void> {
  const pool = new pg.Pool({ ...addressOf(databaseUrl), max: 1 })
  // Lost while idle; the next use fails.
  pool.on('error', () => {})
  try {
    const client = await pool.connect()
    await prepareStore(client).finally(() => client.release())
  } finally {
    await pool.end()
  }
  const sql = openDatabase({ url: databaseUrl, connectionsMax: 1, applicationName: 'tributary-queue' })
  await createQueueCounters(sql, queueNames).finally(() => sql.end({ timeout: 1 }))
}

/** Migrates the queue's tables. If they are up to date, nothing is written, so that a role without the right to create anything can start. */
async function prepareStore(client: pg.PoolClient): Promise<void> {
  try {
    if ((await assertSchemaCompatibility(client)) >= LATEST_SCHEMA_VERSION) return
  } catch (error) {
    if (!(error instanceof SchemaMigrationRequiredError)) throw error
  }
  await runMigrations(client)
}

type Settings = Required<QueueOptions> & { trouble: (error: Error) => void }

async function connectPostgres(settings: Settings): Promise<Queue> {
  const pool = new pg.Pool({
    ...addressOf(settings.databaseUrl),
    application_name: connectionName('tributary-queue'),
    // BullMQ doesn't set a search path for a pool of ours.
    options: '-c search_path=bullmq',
    keepAlive: true,
    connectionTimeoutMillis: settings.storeTimeoutMs,
    // One to listen, one per run, and some for adding jobs, renewing locks and finding stalled jobs.
    max: settings.concurrency + 5,
  })
  pool.on('error', settings.trouble)
  const bull = withBackend(createPostgresBackend)
  try {
    const client = await pool.connect()
    try {
      await prepareStore(client)
    } finally {
      client.release()
    }
    const queue = new bull.Queue(settings.name, { connection: pool })
    queue.on('error', settings.trouble)
    // BullMQ remembers that the first connection failed and never tries again, so it is better to fail here.
    await queue.waitUntilReady()
    return {
      store: 'postgres',
      add: jobs => within(settings.storeTimeoutMs, queue.addBulk(jobs.map(job => bulkJob(job, settings)))),
      work: async events => {
        const runs = new Runs(events, settings.trouble)
        const worker = new bull.Worker(settings.name, runs.run, { connection: pool, ...workerOptions(settings) })
        try {
          await worker.waitUntilReady()
        } catch (error) {
          void worker.close(true)
          throw error
        }
        return runs.of(worker, settings.storeTimeoutMs)
      },
      close: async () => {
        await queue.close()
        await pool.end()
      },
    }
  } catch (error) {
    await pool.end()
    throw error
  }
}

/**
 * `sslmode=require` means the same as for the driver used everywhere else: encrypted, with the certificate unchecked. By default this driver checks
 * the certificate, and the queue would fail where the service runs.
 */
function addressOf(databaseUrl: string): pg.PoolConfig {
  const url = new URL(databaseUrl)
  const mode = url.searchParams.get('sslmode') ?? url.searchParams.get('ssl')
  if (mode === null || !['allow', 'prefer', 'require'].includes(mode)) return { connectionString: databaseUrl }
  url.searchParams.delete('sslmode')
  url.searchParams.delete('ssl')
  return { connectionString: url.href, ssl: { rejectUnauthorized: false } }
}

async function connectRedis(settings: Settings, redisUrl: string): Promise<Queue> {
  // Without a connection, producers fail immediately and workers wait.
  const connectTimeout = settings.storeTimeoutMs
  const producer = openRedis(redisUrl, { connectTimeout, enableOfflineQueue: false, maxRetriesPerRequest: 1 })
  const consumer = openRedis(redisUrl, { connectTimeout, enableOfflineQueue: true, maxRetriesPerRequest: null })
  for (const client of [producer, consumer]) client.on('error', settings.trouble)
  // All keys in one slot; otherwise a cluster rejects commands on several of them.
  const prefix = '{tributary}'
  const bull = withBackend(createRedisBackend)
  const queue = new bull.Queue(settings.name, { connection: producer, prefix })
  queue.on('error', settings.trouble)
  return {
    store: 'redis',
    add: async jobs => {
      if (producer.status !== 'ready') throw new Error(`there is no connection to Redis (${producer.status})`)
      await within(settings.storeTimeoutMs, queue.addBulk(jobs.map(job => bulkJob(job, settings))))
    },
    work: async events => {
      const runs = new Runs(events, settings.trouble)
      const worker = new bull.Worker(settings.name, runs.run, {
        connection: consumer,
        prefix,
        ...workerOptions(settings),
      })
      return runs.of(worker, settings.storeTimeoutMs)
    },
    close: async () => {
      await queue.close()
      producer.disconnect()
      consumer.disconnect()
    },
  }
}

function bulkJob(job: OutgoingJob, settings: Settings): { name: string; data: unknown; opts: JobsOptions } {
  return {
    name: job.name,
    data: job.traceparent == null ? job.payload : { ...(job.payload as object), traceparent: job.traceparent },
    opts: {
      jobId: job.id,
      attempts: settings.attempts,
      backoff: { type: 'exponential', delay: settings.retryPauseMs, jitter: 0.5 },
      // An ended job must not block the next one with its ID. Its outcome is recorded in the database.
      removeOnComplete: true,
      removeOnFail: true,
    },
  }
}

function workerOptions(settings: Settings) {
  return {
    concurrency: settings.concurrency,
    lockDuration: settings.lockMs,
    stalledInterval: settings.stalledCheckMs,
    // Pause before a worker tries again after the store has failed.
    runRetryDelay: Math.min(5000, settings.lockMs),
  }
}
