import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { OutgoingJob, Queue } from '../../../src/core/queue/connect.ts'
import { enqueue } from '../../../src/core/queue/enqueue.ts'
import { webhookJobId } from '../../../src/core/queue/jobs.ts'
import { inTransaction } from '../../../src/db/client.ts'
import { readJobRuns } from '../../../src/db/derived/job-runs.ts'
import { measureOutbox } from '../../../src/db/derived/outbox.ts'
import { needs } from '../../support/needs.ts'
import {
  aVersion,
  keyMapJob,
  readDerivedStatus,
  type StoreName,
  someVersions,
  statusOf,
  type TestQueue,
  useQueue,
} from '../../support/queue.ts'
import { succeeds } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'

const stores: StoreName[] = needs('redis') ? ['postgres', 'redis'] : ['postgres']
const queues = await Promise.all(stores.map(async store => ({ store, its: await useQueue(store) })))

/** A handler that notes which versions it ran for. */
const notingIn = (ran: number[]) => ({
  'refresh-key-map': async (payload: { program_version_id: number }) => void ran.push(payload.program_version_id),
})

describe.each(queues)('jobs carried by $store', ({ store, its }) => {
  afterEach(() => its.reset())

  const settled = (id: number, state: string) =>
    until(`version ${id} to be ${state}`, async () => {
      const status = await statusOf(its.sql, id)
      return status?.state === state && status
    })

  test('a job requested in a transaction runs once after it commits, and is recorded', async () => {
    const id = await aVersion(its.sql)
    const ran: unknown[] = []
    await its.relay()
    await its.work({
      'refresh-key-map': async payload => {
        expect(await statusOf(its.sql, id)).toMatchObject({ state: 'running', attempts: 1 })
        ran.push(payload)
      },
    })
    await inTransaction(its.sql, async tx => {
      await enqueue(tx, [keyMapJob(id)])
      expect(await statusOf(its.sql, id)).toBeUndefined()
    })
    expect(await settled(id, 'done')).toMatchObject({ requested: 1, fulfilled: 1, attempts: 1, last_error: null })
    expect(ran).toEqual([{ program_version_id: id }])
    // The relay takes it out once the queue has it, which may have run it by then.
    await until('the outbox to be empty', async () => (await measureOutbox(its.sql)).waiting === 0)
  })

  test('another worker runs the job of a killed worker', async () => {
    const id = await aVersion(its.sql)
    await its.relay()
    await its.connect()
    const doomed = await killedWorker(its, () => enqueue(its.sql, [keyMapJob(id)]))
    expect(doomed).toBe('begun\n')
    expect(await statusOf(its.sql, id)).toMatchObject({ state: 'running' })
    const ran: number[] = []
    await its.work(notingIn(ran))
    expect(await settled(id, 'done')).toMatchObject({ attempts: 2 })
    expect(ran).toEqual([id])
  })

  test('a job that kills every worker is recorded as failed, and the next one runs', async () => {
    const [deadly, next] = (await someVersions(its.sql, 2)) as [number, number]
    await its.relay()
    for (let i = 0; i < 2; i++) {
      await killedWorker(its, () => (i === 0 ? enqueue(its.sql, [keyMapJob(deadly)]) : Promise.resolve()))
    }
    const ran: number[] = []
    await its.work(notingIn(ran))
    expect((await settled(deadly, 'failed')).last_error).toMatch(/stalled more than allowable/)
    const [abandoned] = (await readJobRuns(its.sql)).filter(run => run.program_version_id === deadly)
    expect(abandoned).toMatchObject({ job_name: 'refresh-key-map', outcome: 'given_up', duration_ms: null })
    expect(abandoned!.detail).toMatch(/stalled more than allowable/)
    await enqueue(its.sql, [keyMapJob(next)])
    await settled(next, 'done')
    expect(ran).toEqual([next])
  })

  test('a job that always fails is tried as often as allowed and recorded with its error in PostgreSQL, and the next one runs', async () => {
    const [poisoned, next] = (await someVersions(its.sql, 2)) as [number, number]
    let runs = 0
    await its.relay()
    await its.work({
      'refresh-key-map': async ({ program_version_id }) => {
        if (program_version_id !== poisoned) return
        runs++
        throw new TypeError(`unknown question ${'x'.repeat(5000)}`)
      },
    })
    await enqueue(its.sql, [keyMapJob(poisoned), keyMapJob(next)])
    const failed = await settled(poisoned, 'failed')
    expect(failed).toMatchObject({ requested: 1, fulfilled: 0, attempts: 5 })
    expect(failed.last_error).toStartWith('TypeError: unknown question xxx')
    expect(failed.last_error!.length).toBe(2000)
    await settled(next, 'done')
    expect(runs).toBe(5)
    const history = (await readJobRuns(its.sql)).filter(run => run.program_version_id === poisoned)
    expect(history.map(({ outcome }) => outcome)).toEqual(['failed', ...Array(4).fill('retrying')])
    expect(history[0]!.detail).toBe(failed.last_error)
    expect(history[0]!.duration_ms).toBeGreaterThanOrEqual(0)
  })

  test('a failed job runs again when requested again, also a delivery attempt with the same ID', async () => {
    const id = await aVersion(its.sql)
    let broken = true
    let attempts = 0
    await its.relay()
    await its.work({
      'refresh-key-map': async () => {
        if (broken) throw new Error('broken')
      },
      'deliver-webhook': async () => {
        if (++attempts <= 5) throw new Error('broken')
        return 'delivered'
      },
    })
    const queue = await its.connect()
    const payload = { webhook_endpoint_id: 1, attempts: 0 }
    const attempt = { name: 'deliver-webhook', id: webhookJobId(payload), payload }
    // While the last run ends, the job is taken for the one that is there.
    await until('the attempt to begin again after its failure, and after its end', async () => {
      await handedOver(queue, [attempt])
      return attempts > 6
    })
    await enqueue(its.sql, [keyMapJob(id)])
    await settled(id, 'failed')
    broken = false
    await enqueue(its.sql, [keyMapJob(id)])
    expect(await settled(id, 'done')).toMatchObject({ requested: 2, fulfilled: 2, last_error: null })
  })

  test('jobs handed over twice with one ID are merged', async () => {
    const id = await aVersion(its.sql)
    const queue = await its.connect()
    await enqueue(its.sql, [keyMapJob(id)])
    const jobs = await its.sql<{ job_name: string; job_id: string; payload: object }[]>`
      select job_name, job_id, payload
      from outbox`
    const outgoing = jobs.map(({ job_name, job_id, payload }) => ({ name: job_name, id: job_id, payload }))
    await handedOver(queue, outgoing)
    await queue.add([...outgoing, ...outgoing])
    let runs = 0
    await its.work({ 'refresh-key-map': async () => void runs++ })
    await its.relay()
    await settled(id, 'done')
    const last = await aVersion(its.sql)
    await enqueue(its.sql, [keyMapJob(last)])
    await settled(last, 'done')
    expect(runs).toBe(2)
  })

  test('a job requested several times before it begins runs once', async () => {
    const id = await aVersion(its.sql)
    for (let i = 0; i < 3; i++) await enqueue(its.sql, [keyMapJob(id), keyMapJob(id)])
    let runs = 0
    await its.relay()
    await until('the jobs to be handed over', async () => (await measureOutbox(its.sql)).waiting === 0)
    await its.work({ 'refresh-key-map': async () => void runs++ })
    expect(await settled(id, 'done')).toMatchObject({ requested: 3, fulfilled: 3 })
    await until(
      'the other two to be found met',
      () => its.logLines.filter(line => line.msg === 'job had nothing left to do').length === 2,
    )
    expect(runs).toBe(1)
  })

  test('a forced regeneration is merged neither with a job that has ended nor with one that runs', async () => {
    const id = await aVersion(its.sql)
    let runs = 0
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await its.relay()
    await its.work({
      'refresh-key-map': async () => {
        await gates[runs++]?.promise
      },
    })
    await enqueue(its.sql, [keyMapJob(id)])
    await until('the first run', () => runs === 1)
    gates[0]!.resolve()
    await settled(id, 'done')

    await enqueue(its.sql, [keyMapJob(id)])
    await until('the second run, of an ended job', () => runs === 2)
    await enqueue(its.sql, [keyMapJob(id)])
    await until('the third to be handed over', async () => (await measureOutbox(its.sql)).waiting === 0)
    gates[1]!.resolve()
    expect(await settled(id, 'done')).toMatchObject({ requested: 3, fulfilled: 3 })
    expect(runs).toBe(3)
    expect(its.logLines.map(line => line.msg)).not.toContain('job failed')
  })

  test('an unknown or invalid job is refused, and the next one runs', async () => {
    const id = await aVersion(its.sql)
    const queue = await its.connect()
    await handedOver(queue, [
      { name: 'no-such-job', id: 'no-such-job-1', payload: {} },
      { name: 'refresh-key-map', id: 'bad-1', payload: { program_version_id: 'one' } },
    ])
    await its.relay()
    await its.work()
    await enqueue(its.sql, [keyMapJob(id)])
    await settled(id, 'done')
    const given = (text: string) =>
      its.logLines.some(
        line => line.last_attempt === true && String((line.err as { message: string }).message).includes(text),
      )
    await until('both to be given up', () => given('"no-such-job"') && given(' refresh-key-map '))
  })

  test('stopping waits for the current job and begins no other', async () => {
    const [first, second] = (await someVersions(its.sql, 2)) as [number, number]
    const gate = Promise.withResolvers<void>()
    const ran: number[] = []
    await its.relay()
    const working = await its.work({
      'refresh-key-map': async ({ program_version_id }) => {
        ran.push(program_version_id)
        await gate.promise
      },
    })
    await enqueue(its.sql, [keyMapJob(first), keyMapJob(second)])
    await until('a job to begin', () => ran.length === 1)
    let stopped = false
    const stopping = working.stop().then(() => {
      stopped = true
    })
    await until('both to be handed over', async () => (await measureOutbox(its.sql)).waiting === 0)
    expect(stopped).toBe(false)
    gate.resolve()
    await stopping
    expect(ran).toHaveLength(1)
    const states = await Promise.all([first, second].map(async id => (await statusOf(its.sql, id))!.state))
    expect(states.sort()).toEqual(['done', 'queued'])
    await its.work()
    for (const id of [first, second]) await settled(id, 'done')
  })

  test('stopping does not wait for a store that is down, and finished jobs stay finished', async () => {
    const id = await aVersion(its.sql)
    const gate = Promise.withResolvers<void>()
    let runs = 0
    await its.relay()
    const working = await its.work({
      'refresh-key-map': async () => {
        runs++
        await gate.promise
      },
    })
    await enqueue(its.sql, [keyMapJob(id)])
    await until('the job to begin', () => runs === 1)
    await its.takeAway()
    const stopping = working.stop()
    gate.resolve()
    await stopping
    expect(await statusOf(its.sql, id)).toMatchObject({ state: 'done' })
    await its.bringBack()
    await its.work({ 'refresh-key-map': async () => void runs++ })
    const next = await aVersion(its.sql)
    await enqueue(its.sql, [keyMapJob(next)])
    await settled(next, 'done')
    expect(runs).toBe(2)
  })

  test('several relays and workers together run each of hundreds of jobs once', async () => {
    const ids = await someVersions(its.sql, 250)
    await enqueue(its.sql, ids.map(keyMapJob))
    const ran: number[] = []
    const handlers = notingIn(ran)
    await Promise.all([
      its.relay(),
      its.relay(),
      its.work(handlers, { concurrency: 4 }),
      its.work(handlers, { concurrency: 4 }),
    ])
    await until('all to have run', () => ran.length >= 250)
    expect(ran.sort((a, b) => a - b)).toEqual(ids)
    for (const id of ids) await settled(id, 'done')
  })

  test('a worker continues after the store went down and came back', async () => {
    const [before, after] = (await someVersions(its.sql, 2)) as [number, number]
    await its.relay()
    await its.work()
    await enqueue(its.sql, [keyMapJob(before)])
    await settled(before, 'done')
    if (store === 'postgres') {
      await its.sql`
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where datname = current_database()
        and pid <> pg_backend_pid()`
    } else {
      await its.takeAway()
      await its.bringBack()
    }
    await until('the database to answer', () => succeeds(enqueue(its.sql, [keyMapJob(after)])))
    await settled(after, 'done')
  })
})

describe.skipIf(!needs('redis'))('jobs carried by a Redis cluster', () => {
  let its: TestQueue
  beforeAll(async () => {
    its = await useQueue('redis cluster')
  })

  test('run once each, also those requested while it was down, and no command spans several slots', async () => {
    const ids = await someVersions(its.sql, 20)
    const ran: number[] = []
    await its.relay()
    await its.work(notingIn(ran))
    await enqueue(its.sql, ids.slice(0, 10).map(keyMapJob))
    await until('half to have run', () => ran.length === 10)
    await its.takeAway()
    await enqueue(its.sql, ids.slice(10).map(keyMapJob))
    await its.bringBack()
    await until('all to be done', async () =>
      (await readDerivedStatus(its.sql)).every(status => status.state === 'done'),
    )
    expect(ran.sort((a, b) => a - b)).toEqual(ids)
    expect(its.logLines.map(line => JSON.stringify(line.err)).filter(text => text?.includes('CROSSSLOT'))).toEqual([])
  })
})

/** Adds jobs as soon as the connection, which is made in the background, is there. */
async function handedOver(queue: Queue, jobs: readonly OutgoingJob[]): Promise<void> {
  await until('the queue to take jobs', () => succeeds(queue.add(jobs)))
}

/** Starts a worker process, has it begin a job, kills it outright, and returns what it printed. */
async function killedWorker(its: TestQueue, before: () => Promise<void>): Promise<string> {
  const script = join(import.meta.dir, '../../support/doomed-worker.ts')
  const child = Bun.spawn([process.execPath, script, JSON.stringify(its.options)], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  try {
    await before()
    const { value } = await child.stdout.getReader().read()
    return Buffer.from(value ?? []).toString()
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
}
