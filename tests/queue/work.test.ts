// How a worker stops: what it knows of its jobs is on record by then.

import { expect, test } from 'bun:test'
import { requestDerived } from '../../src/db/derived-status.ts'
import { createLog } from '../../src/log.ts'
import type { WorkerEvents } from '../../src/queue/runs.ts'
import { startWorking } from '../../src/queue/work.ts'
import { useDatabase } from '../support/fixtures.ts'
import { aVersion, keyMapJob, statusOf } from '../support/queue.ts'
import { until } from '../support/until.ts'

const { sql } = await useDatabase()

test('stopping waits until a job that was given up is on record as failed', async () => {
  const version = await aVersion(sql)
  const { name, payload } = keyMapJob(version)
  await requestDerived(sql, [{ job_name: name, ...payload }])
  let events: WorkerEvents | undefined
  const queue = {
    store: 'postgres' as const,
    add: async () => {},
    work: async (told: WorkerEvents) => {
      events = told
      return { close: async () => {} }
    },
    close: async () => {},
  }
  const idle = async (): Promise<void> => {}
  const handlers = { 'refresh-key-map': idle, 'refresh-docs-example': idle }
  const working = await startWorking(sql, queue, handlers, createLog('silent'))
  const release = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = sql.begin(async tx => {
    await tx`select from derived_status where program_version_id = ${version} for update`
    locked.resolve()
    await release.promise
  })
  await locked.promise
  let stopped = false
  let stopping: Promise<void>
  try {
    events!.abandoned({ name, payload, id: 'a-job', lastAttempt: true }, new Error('stalled once too often'))
    stopping = working.stop().then(() => {
      stopped = true
    })
    await until('the note to wait for the lock', async () => {
      const waiting = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return waiting.length === 1
    })
    expect(stopped).toBe(false)
  } finally {
    release.resolve()
    await holding
  }
  await stopping
  expect(await statusOf(sql, version)).toMatchObject({ state: 'failed', last_error: 'Error: stalled once too often' })
})
