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
  /** That of derived data unless given. */
  name?: QueueName
  databaseUrl: string
  /** `redis://…` or `rediss://…`; several, comma-separated, are nodes of one cluster. Undefined: the database carries the jobs. */
  redisUrl: string | undefined
  /** Concurrent runs of one process. */
  concurrency?: number
  /** How often a run is tried before the job has failed, and the pause before the second try; it doubles each time. */
  attempts?: number
  retryPauseMs?: number
  /** How long a run may go unheard of, and how often that is looked for. What died with its process runs again after at most both. */
  lockMs?: number
  stalledCheckMs?: number
  /** How long to wait for the store: short, because a transaction is held open while jobs are handed over. */
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
  /** Hands over all jobs or none; those whose id is waiting or running are left as they are. Rejects soon when the store is away. */
  add(jobs: readonly OutgoingJob[]): Promise<void>
  /** Resolves when jobs are being taken; with Redis immediately, even if it is unreachable. */
  work(events: WorkerEvents): Promise<RunningWorker>
  close(): Promise<void>
}

/**
 * The queue, and with PostgreSQL its tables brought up to date. Rejects when that fails; Redis may be away, now or later.
 * `trouble` hears of lost connections, which come back by themselves; once in half a minute for as long as it lasts.
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

/** Creates all that the queues need in the database beforehand, as the owner of the schema: the worker may create nothing. */
export async function prepareQueue(databaseUrl: string): Promise<void> {
  const pool = new pg.Pool({ ...addressOf(databaseUrl), max: 1 })
  // Lost while idle; what uses it next fails with it.
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

/** Brings the queue's tables up to date. Where they are, nothing is written, so that a role which may create nothing can start. */
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
    // BullMQ gives a pool of our own no search path.
    options: '-c search_path=bullmq',
    keepAlive: true,
    connectionTimeoutMillis: settings.storeTimeoutMs,
    // One that listens, one for each run, and some for adding, renewing locks and looking for stalled jobs.
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
    // BullMQ remembers a first connection that failed, and never tries again: better to fail here.
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
 * `sslmode=require` means the same to this driver as to the one that everything else uses: encrypted, the certificate unchecked.
 * Left to itself it checks the certificate, and the queue would fail where the service runs.
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
  // All keys in one slot, without which a cluster refuses commands on several of them.
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
      // A job that has ended must not be in the way of the next with its id; how it ended is on record in the database.
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
