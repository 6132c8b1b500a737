// A queue for tests on either store: the store itself, the relay, a worker with throw-away handlers, and versions to have jobs for.

import { createLog, type Log } from '../../src/base/log.ts'
import { connectQueue, type Queue, type QueueOptions } from '../../src/core/queue/connect.ts'
import type { Job } from '../../src/core/queue/jobs.ts'
import { startRelay } from '../../src/core/queue/relay.ts'
import { type Handlers, startWorking } from '../../src/core/queue/work.ts'
import type { Sql } from '../../src/db/client.ts'
import type { DerivedState, DerivedThing } from '../../src/db/derived/derived-status.ts'
import { codeVersions } from '../../workers/handlers.ts'
import type { TestDatabase } from './database.ts'
import { endWithFile, useDatabase } from './fixtures.ts'
import { useRedis } from './redis.ts'

export type StoreName = 'postgres' | 'redis' | 'redis cluster'

/** Short enough for a test to wait until dead runs are noticed; the store gets more time, because the machine may be busy. */
export const testTimings = { retryPauseMs: 10, lockMs: 1000, stalledCheckMs: 300, storeTimeoutMs: 10_000 } as const

export interface TestQueue {
  database: TestDatabase
  sql: Sql
  options: QueueOptions
  /** The parsed log of the relay and the workers. */
  logLines: Record<string, unknown>[]
  connect(changes?: Partial<QueueOptions>): Promise<Queue>
  relay(): Promise<void>
  /** Workers with these handlers; the others do nothing. */
  work(handlers?: Partial<Handlers>, changes?: Partial<QueueOptions>): Promise<{ stop(): Promise<void> }>
  /** Makes the store unreachable until it is brought back. */
  takeAway(): Promise<void>
  bringBack(): Promise<void>
  /** Ends the relays, workers and connections started by the test. */
  reset(): Promise<void>
}

/** Until the file ends; with Redis only if `needs('redis')`. */
export async function useQueue(store: StoreName): Promise<TestQueue> {
  const database = await useDatabase()
  const redis = store === 'postgres' ? undefined : await useRedis({ cluster: store === 'redis cluster' })
  // Two addresses create a cluster client; a cluster of one node has one address.
  const redisUrl = store === 'redis cluster' ? `${redis!.url},${redis!.url}` : redis?.url
  const options: QueueOptions = { databaseUrl: database.url, redisUrl, ...testTimings }
  const logLines: Record<string, unknown>[] = []
  const log: Log = createLog('debug', { write: line => void logLines.push(JSON.parse(line)) })
  const ends: (() => Promise<void>)[] = []
  const { sql } = database

  const connect = async (changes: Partial<QueueOptions> = {}): Promise<Queue> => {
    const queue = await connectQueue({ ...options, ...changes }, error => log.warn({ err: error }, 'queue'))
    ends.unshift(() => queue.close())
    return queue
  }
  const reset = async (): Promise<void> => {
    for (const end of ends.splice(0)) await end()
    logLines.length = 0
  }
  endWithFile(reset)
  return {
    database,
    sql,
    options,
    logLines,
    connect,
    relay: async () => {
      const relay = startRelay(sql, sql, await connect(), log, { pollMs: 100 })
      ends.unshift(() => relay.stop())
    },
    work: async (handlers = {}, changes = {}) => {
      const idle = async (): Promise<void> => {}
      const nothingToSend = async (): Promise<undefined> => {}
      const all = {
        'refresh-key-map': idle,
        'refresh-docs-example': idle,
        'deliver-webhook': nothingToSend,
        ...handlers,
      }
      const working = await startWorking(sql, await connect(changes), all, log, codeVersions)
      ends.unshift(() => working.stop())
      return working
    },
    takeAway: async () => {
      if (redis !== undefined) return redis.takeAway()
      await sql`alter schema bullmq rename to bullmq_away`
    },
    bringBack: async () => {
      if (redis !== undefined) return redis.bringBack()
      await sql`alter schema bullmq_away rename to bullmq`
    },
    reset,
  }
}

/** Drafts without questions, each of its own program. */
export async function someVersions(sql: Sql, count: number): Promise<number[]> {
  const rows = await sql<{ program_version_id: number }[]>`
    with made as (
      insert into program (slug, display_name)
      select 'p-' || md5(random()::text || n), 'Made for a job'
      from generate_series(1, ${count}) as n
      returning program_id
    )
    insert into program_version (program_id, state, screens, created_by, display_name, statuses)
    select program_id, 'DRAFT', '[]', 'operator:test', 'Made for a job', '{}'
    from made
    returning program_version_id`
  return rows.map(row => row.program_version_id).sort((a, b) => a - b)
}

export const aVersion = async (sql: Sql): Promise<number> => (await someVersions(sql, 1))[0]!

export const keyMapJob = (program_version_id: number): Job => ({
  name: 'refresh-key-map',
  payload: { program_version_id },
})

interface DerivedStatus extends DerivedThing {
  state: DerivedState
  requested: number
  fulfilled: number
  attempts: number
  last_error: string | null
  updated_at: number
}

/** Every record of derived data, newest program version first; only of one program version if given. */
export const readDerivedStatus = (sql: Sql, programVersionId: number | null = null) =>
  sql<DerivedStatus[]>`
    select program_version_id, job_name, state, requested, fulfilled, attempts, last_error, updated_at
    from derived_status
    where program_version_id = coalesce(${programVersionId}::bigint, program_version_id)
    order by program_version_id desc, job_name`

export async function statusOf(sql: Sql, programVersionId: number): Promise<DerivedStatus | undefined> {
  return (await readDerivedStatus(sql, programVersionId))[0]
}
