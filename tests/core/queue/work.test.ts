// How a worker stops: what it knows of its jobs is on record by then.

import { expect, test } from 'bun:test'
import type { Job } from 'bullmq'
import { createLog } from '../../../src/base/log.ts'
import { atMostEvery, Runs, type WorkerEvents } from '../../../src/core/queue/runs.ts'
import { startWorking } from '../../../src/core/queue/work.ts'
import { requestDerived } from '../../../src/db/derived/derived-status.ts'
import { readJobRuns } from '../../../src/db/derived/job-runs.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../../support/held-transaction.ts'
import { aVersion, keyMapJob, statusOf } from '../../support/queue.ts'
import { until } from '../../support/until.ts'

const { sql } = await useDatabase()

test('a failed run does not fail later requests, and stopping waits until a job that was given up is recorded as failed', async () => {
  const version = await aVersion(sql)
  const { name, payload } = keyMapJob(version)
  await requestDerived(sql, [{ job_name: name, ...payload }])
  let events: WorkerEvents | undefined
  const queue = {
    store: 'postgres' as const,
    add: async () => {},
    work: async (reported: WorkerEvents) => {
      events = reported
      return { close: async () => {} }
    },
    close: async () => {},
  }
  const idle = async (): Promise<undefined> => {}
  const failing = async (): Promise<void> => {
    await requestDerived(sql, [{ job_name: name, ...payload }])
    throw new Error('asked for once more in the meantime')
  }
  const handlers = { 'refresh-key-map': failing, 'refresh-docs-example': idle, 'deliver-webhook': idle }
  const counted: string[][] = []
  const count = (...[job, outcome]: [string, string, number]): void => void counted.push([job, outcome])
  const working = await startWorking(sql, queue, handlers, createLog('silent'), {}, { count })
  await expect(events!.run({ name, payload, id: 'a-job', lastAttempt: true })).rejects.toThrow('asked for once more')
  expect(await statusOf(sql, version)).toMatchObject({ state: 'queued' })
  // A name that no job has is no label of a metric.
  await expect(events!.run({ name: 'made-up', payload, id: 'another', lastAttempt: true })).rejects.toThrow('no job')
  expect(counted).toEqual([
    [name, 'failed'],
    ['unknown', 'failed'],
  ])
  const release = await holdTransaction(
    sql,
    tx => tx`select from derived_status where program_version_id = ${version} for update`,
  )
  let stopped = false
  events!.abandoned({ name, payload, id: 'a-job', lastAttempt: true }, new Error('stalled once too often'))
  const stopping = working.stop().then(() => {
    stopped = true
  })
  await until('the note to wait for the lock', async () => (await waitingForLocks(sql)) === 1)
  expect(stopped).toBe(false)
  await release()
  await stopping
  expect(await statusOf(sql, version)).toMatchObject({ state: 'failed', last_error: 'Error: stalled once too often' })
})

test('each kind of job keeps its last 20 runs, even if several end at once, and its history never makes a run fail', async () => {
  let events: WorkerEvents | undefined
  const queue = {
    store: 'postgres' as const,
    add: async () => {},
    work: async (reported: WorkerEvents) => {
      events = reported
      return { close: async () => {} }
    },
    close: async () => {},
  }
  const idle = async (): Promise<undefined> => {}
  const outcomeOf = new Map([
    [1, 'delivered'],
    [2, 'refused'],
  ])
  const handlers = {
    'refresh-key-map': idle,
    'refresh-docs-example': idle,
    'deliver-webhook': async (asked: { webhook_endpoint_id: number }) => outcomeOf.get(asked.webhook_endpoint_id),
  }
  await sql`delete from job_run`
  await startWorking(sql, queue, handlers, createLog('silent'), {})
  const deliver = (webhook_endpoint_id: number) =>
    events!.run({
      name: 'deliver-webhook',
      payload: { webhook_endpoint_id, attempts: 0 },
      id: 'a',
      lastAttempt: false,
    })
  const program_version_id = await aVersion(sql)
  await events!.run({ name: 'refresh-key-map', payload: { program_version_id }, id: 'b', lastAttempt: false })
  for (let i = 0; i < 30; i++) await deliver(1)
  await Promise.all(Array.from({ length: 10 }, () => deliver(1)))
  await deliver(2)
  await deliver(3)
  const runs = await readJobRuns(sql)
  const deliveries = runs.filter(({ job_name }) => job_name === 'deliver-webhook')
  expect(deliveries).toHaveLength(20)
  expect(deliveries.slice(0, 3).map(({ outcome, detail }) => [outcome, detail])).toEqual([
    ['nothing', null],
    ['failed', 'refused'],
    ['done', 'delivered'],
  ])
  // No request is open for the version.
  expect(runs.filter(({ job_name }) => job_name === 'refresh-key-map')).toMatchObject([
    { program_version_id, outcome: 'nothing', version_number: null },
  ])
  // A payload of another form names nothing, and a kind that doesn't exist is not kept.
  await expect(events!.run({ name: 'refresh-key-map', payload: 'x', id: 'c', lastAttempt: true })).rejects.toThrow()
  await expect(events!.run({ name: 'made-up', payload: {}, id: 'd', lastAttempt: true })).rejects.toThrow()
  const [newest] = (await readJobRuns(sql)).filter(({ job_name }) => job_name === 'refresh-key-map')
  expect(newest).toMatchObject({ outcome: 'failed', program_version_id: null })
  expect(await sql`select from job_run where job_name not in ('refresh-key-map', 'deliver-webhook')`).toHaveLength(0)
  await sql`alter table job_run rename to job_run_away`
  await deliver(1)
  await sql`alter table job_run_away rename to job_run`
})

test('closing waits for a job that arrived as the store fell silent, and not for the store', async () => {
  const ended = Promise.withResolvers<void>()
  const troubles: string[] = []
  const runs = new Runs({ run: () => ended.promise, abandoned: () => {} }, ({ message }) => void troubles.push(message))
  const silent = { on: () => {}, close: () => new Promise<void>(() => {}) }
  let closed = false
  const close = runs
    .of(silent, 50)
    .close()
    .then(() => {
      closed = true
    })
  const run = runs.run({ name: 'late', opts: {}, data: {}, attemptsMade: 0 } as Job)
  // Longer than the store is waited for.
  await Bun.sleep(150)
  expect([closed, troubles]).toEqual([false, []])
  ended.resolve()
  await Promise.all([run, close])
  expect(troubles).toEqual([expect.stringMatching(/\b50 ms\b/)])
})

test('a lasting problem is reported again after each pause, and not more often', async () => {
  let reports = 0
  const report = atMostEvery(300, () => void reports++)
  const begunMs = performance.now()
  await until('three reports', () => {
    report(undefined)
    return reports === 3
  })
  expect(performance.now() - begunMs).toBeGreaterThanOrEqual(600)
})
