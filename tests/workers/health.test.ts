// The worker's health port, and what worker and service report of the work behind the requests. Real processes, real events.

import { afterEach, describe, expect, test } from 'bun:test'
import { freePort } from '../../scripts/processes/free-port.ts'
import { requestDerived } from '../../src/db/derived/derived-status.ts'
import { useDatabase } from '../support/fixtures.ts'
import { readMetrics } from '../support/metrics.ts'
import { endProcesses, logged, spawnProcess, startMain, startWorker } from '../support/processes.ts'
import { aComputedProgram as aProgram } from '../support/programs.ts'
import { until } from '../support/until.ts'

const database = await useDatabase()
const { sql } = database
afterEach(async () => {
  await endProcesses()
  // Those that were killed could not say so.
  await sql`delete from worker_heartbeat`
})

const unreachable = 'postgres://127.0.0.1:1/x'

test('livez and readyz: a worker is alive while it waits for its queue and ready when it works, and neither reports anything else', async () => {
  const port = String(await freePort())
  const worker = spawnProcess('workers/main.ts', database, {
    HEALTH_PORT: port,
    DATABASE_DIRECT_URL: unreachable,
  })
  await logged(worker, 'the queue could not be opened; retrying')
  const health = `http://127.0.0.1:${port}`
  expect((await fetch(`${health}/livez`)).status).toBe(200)
  expect((await fetch(`${health}/readyz`)).status).toBe(503)
  const ready = await startWorker(database)
  expect((await fetch(`${ready.health}/readyz`)).status).toBe(200)
  expect((await fetch(`${ready.health}/other`)).status).toBe(404)
})

test('jobs are counted by kind and outcome, and recurring tasks by the time of their last success', async () => {
  const began = Date.now() / 1000
  const { health } = await startWorker(database)
  const before = await readMetrics(health)
  for (const task of ['sweep', 'retention', 'audit_seal'])
    expect(before.of(`tributary_maintenance_timestamp_seconds{task="${task}"}`)).toBeGreaterThanOrEqual(
      Math.floor(began),
    )
  await aProgram(sql)
  await aProgram(sql)
  const ran = (job: string, outcome: string) => `tributary_job_seconds_count{job="${job}",outcome="${outcome}"}`
  await until('both docs', async () => {
    const reading = await readMetrics(health)
    return (
      reading.since(before, /^tributary_job_seconds_count/)[ran('refresh-docs-example', 'done')] === 2 &&
      reading.since(before, /^tributary_job_seconds_count/)[ran('refresh-key-map', 'done')] === 2
    )
  })
  await until('the relay', async () => {
    const relay = 'tributary_maintenance_timestamp_seconds{task="relay"}'
    return (await readMetrics(health)).of(relay) > before.of(relay)
  })
  const after = await readMetrics(health)
  expect(after.of('tributary_outbox_jobs')).toBe(0)
  expect(after.of('tributary_derived_oldest_seconds')).toBe(0)
  expect(Object.keys(after.since(before, /^tributary_derived_unfinished/))).toEqual([])
  expect(after.of('tributary_workers')).toBe(1)
})

describe('the service reports the same without a worker', () => {
  test('reports the backlog of the outbox and derived data, its age, and that there is no worker', async () => {
    const { health } = await startMain(database)
    const idle = await readMetrics(health)
    expect(idle.of('tributary_workers')).toBe(0)
    expect(idle.of('tributary_outbox_jobs')).toBe(0)
    const { program_version_id } = await aProgram(sql)
    await sql`update outbox set created_at = created_at - interval '100 seconds'`
    await sql`
      update derived_status set asked_at = asked_at - interval '200 seconds' where program_version_id = ${program_version_id}`
    await sql`
      update derived_status set state = 'failed', last_error = 'x'
      where program_version_id = ${program_version_id} and job_name = 'refresh-key-map'`
    const waiting = await readMetrics(health)
    expect(waiting.of('tributary_outbox_jobs')).toBe(2)
    expect(waiting.of('tributary_outbox_oldest_seconds')).toBeWithin(100, 130)
    expect(waiting.of('tributary_derived_oldest_seconds')).toBeWithin(200, 230)
    expect(waiting.since(idle, /^tributary_derived_unfinished/)).toEqual({
      'tributary_derived_unfinished{job="refresh-docs-example",state="queued"}': 1,
      'tributary_derived_unfinished{job="refresh-key-map",state="failed"}': 1,
    })
    // Being asked for again does not make it younger, nor does a run that failed.
    await requestDerived(sql, [{ program_version_id, job_name: 'refresh-docs-example' }])
    expect((await readMetrics(health)).of('tributary_derived_oldest_seconds')).toBeGreaterThanOrEqual(200)

    const worker = await startWorker(database)
    expect((await readMetrics(health)).of('tributary_workers')).toBe(1)
    worker.child.kill('SIGTERM')
    await worker.child.exited
    expect((await readMetrics(health)).of('tributary_workers')).toBe(0)
  })

  test('counts a killed worker as dead after a minute without a heartbeat', async () => {
    const { health } = await startMain(database)
    const worker = await startWorker(database)
    worker.child.kill('SIGKILL')
    await worker.child.exited
    expect((await readMetrics(health)).of('tributary_workers')).toBe(1)
    await sql`update worker_heartbeat set heartbeat_at = heartbeat_at - interval '60 seconds'`
    expect((await readMetrics(health)).of('tributary_workers')).toBe(0)
  })
})
