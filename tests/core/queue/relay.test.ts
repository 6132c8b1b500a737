// How the relay goes about its work: without pause while there is much to hand over, and without haste while it fails.

import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createLog } from '../../../src/base/log.ts'
import type { OutgoingJob } from '../../../src/core/queue/connect.ts'
import { enqueue } from '../../../src/core/queue/enqueue.ts'
import { joinQueues } from '../../../src/core/queue/joined-queues.ts'
import { type Relay, relayOnce, startRelay } from '../../../src/core/queue/relay.ts'
import { readOverdue } from '../../../src/db/derived/derived-status.ts'
import { insertOutbox, listenToOutbox, measureOutbox } from '../../../src/db/derived/outbox.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { needs } from '../../support/needs.ts'
import { aVersion, keyMapJob, someVersions, statusOf, type TestQueue, useQueue } from '../../support/queue.ts'
import { until } from '../../support/until.ts'

const { sql } = await useDatabase()
const never = 3_600_000
const relays: Relay[] = []
afterEach(async () => {
  for (const relay of relays.splice(0)) await relay.stop()
  await sql`delete from outbox`
})
const job = (n: number) => ({ job_name: 'refresh-key-map', job_id: `job-${n}`, payload: { program_version_id: n } })

test('more than one batch is handed over without waiting for the next poll', async () => {
  await insertOutbox(sql, [1, 2, 3, 4, 5].map(job))
  const taken: string[] = []
  const queue = { add: async (jobs: readonly { id: string }[]) => void taken.push(...jobs.map(({ id }) => id)) }
  const rounds: number[] = []
  const onRound = () => void rounds.push(taken.length)
  relays.push(startRelay(sql, undefined, queue, createLog('silent'), { batchJobs: 2, pollMs: never, onRound }))
  await until('all to be handed over', () => rounds.at(-1) === 5)
  expect([taken, rounds]).toEqual([[1, 2, 3, 4, 5].map(n => `job-${n}`), [2, 4, 5]])
})

test('each outage of a store and its end are logged once', async () => {
  let isAway = true
  let tries = 0
  const queue = {
    add: async () => {
      tries++
      if (isAway) throw new Error('the store is away')
    },
  }
  const lines: string[] = []
  const log = createLog('info', { write: line => void lines.push(JSON.parse(line).msg) })
  let rounds = 0
  relays.push(startRelay(sql, undefined, queue, log, { pollMs: 5, onRound: () => void rounds++ }))
  for (const n of [1, 2]) {
    isAway = true
    await insertOutbox(sql, [job(n)])
    const before = tries
    await until('a try', () => tries > before)
    const through = rounds
    await until('some more', () => tries > before + 3)
    expect(rounds).toBe(through)
    isAway = false
    await until('it to be taken', async () => (await measureOutbox(sql)).waiting === 0)
    await until('it to be logged', () => lines.length === 2 * n)
  }
  const [away, back] = [
    'the relay cannot hand over jobs; they wait in the outbox',
    'the relay can hand over jobs again',
  ]
  expect(lines).toEqual([away, back, away, back])
})

test('a call during a failure does not cause an immediate retry', async () => {
  const heard: number[] = []
  let attempts = 0
  const unlisten = await listenToOutbox(sql, () => heard.push(attempts))
  const queue = {
    add: async () => {
      attempts++
      // Another job is requested in the meantime, and the relay hears of it as this does.
      const before = heard.length
      await insertOutbox(sql, [job(100 + attempts)])
      await until('the call to be heard', () => heard.length > before)
      throw new Error('the store is away')
    },
  }
  const lines: { msg: string }[] = []
  const log = createLog('info', { write: line => void lines.push(JSON.parse(line)) })
  await insertOutbox(sql, [job(1)])
  // Heard late, it would be taken for the call made in the meantime. Listening counts as the first.
  await until('the call for it to be heard', () => heard.length === 2)
  relays.push(startRelay(sql, sql, queue, log, { pollMs: never }))
  await until('the failure to be logged', () => lines.some(line => line.msg.startsWith('the relay cannot')))
  await sql`select pg_sleep(0.3)`
  expect(attempts).toBe(1)
  await unlisten()
})

describe.skipIf(!needs('redis'))('the relay', () => {
  let its: TestQueue
  beforeAll(async () => {
    its = await useQueue('redis')
  })
  afterEach(() => its.reset())

  test('removes jobs from the outbox only when the queue has accepted them, a whole batch or none, oldest first', async () => {
    const ids = await someVersions(its.sql, 3)
    for (const id of ids) await enqueue(its.sql, [keyMapJob(id)])
    const offered: string[][] = []
    const refusing = {
      add: async (jobs: readonly { id: string }[]) => {
        offered.push(jobs.map(job => job.id))
        throw new Error('away')
      },
    }
    const item = { ...(await its.connect()), ...refusing }
    const joined = joinQueues({ 'derived-data': item, webhooks: item })
    await expect(relayOnce(its.sql, joined, 2)).rejects.toThrow('away')
    await relayOnce(its.sql, refusing, 2).catch(() => {})
    expect((await measureOutbox(its.sql)).waiting).toBe(3)
    expect(offered.at(-1)).toEqual(ids.slice(0, 2).map(id => `refresh-key-map-v${id}-1`))
    expect(await relayOnce(its.sql, { add: async () => {} }, 2)).toBe(2)
    expect((await measureOutbox(its.sql)).waiting).toBe(1)
    expect(await relayOnce(its.sql, { add: async () => {} }, 2)).toBe(1)
  })

  test('skips what another relay is handing over', async () => {
    const ids = await someVersions(its.sql, 2)
    for (const id of ids) await enqueue(its.sql, [keyMapJob(id)])
    const inHand = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const taken: string[] = []
    const slow = relayOnce(
      its.sql,
      {
        add: async jobs => {
          taken.push(...jobs.map(job => job.id))
          inHand.resolve()
          await gate.promise
        },
      },
      1,
    )
    await inHand.promise
    await relayOnce(its.sql, { add: async jobs => void taken.push(...jobs.map(job => job.id)) }, 10)
    gate.resolve()
    await slow
    expect(taken).toEqual(ids.map(id => `refresh-key-map-v${id}-1`))
  })

  test('is woken by a commit long before its next poll, also after losing its connection', async () => {
    const listener = (other = 0) =>
      until('the relay to listen', async () => {
        const [row] = await its.sql<{ pid: number }[]>`
          select pid
          from pg_stat_activity
          where query = 'listen "outbox"'
          and datname = current_database()
          and pid <> ${other}`
        return row?.pid
      })
    const taken: string[] = []
    const take = { add: async (jobs: readonly OutgoingJob[]) => void taken.push(...jobs.map(job => job.id)) }
    const relay = startRelay(its.sql, its.sql, take, createLog('silent'), { pollMs: 3_600_000 })
    const [first, second] = (await someVersions(its.sql, 2)) as [number, number]
    const pid = await listener()
    await enqueue(its.sql, [keyMapJob(first)])
    await until('the first to be taken', () => taken.length === 1)

    await its.sql`select pg_terminate_backend(${pid})`
    await listener(pid)
    await enqueue(its.sql, [keyMapJob(second)])
    await until('the second to be taken', () => taken.length === 2)
    await relay.stop()
  })

  test('starts without Redis', async () => {
    const id = await aVersion(its.sql)
    await its.takeAway()
    await its.relay()
    await its.work()
    await enqueue(its.sql, [keyMapJob(id)])
    await until('the relay to notice', () => its.logLines.some(line => String(line.msg).startsWith('the relay cannot')))
    await its.bringBack()
    await until('the job to be done', async () => (await statusOf(its.sql, id))?.state === 'done')
  })

  test('finds jobs overdue that a store has lost', async () => {
    const [lost, done] = (await someVersions(its.sql, 2)) as [number, number]
    await its.relay()
    const working = await its.work()
    await enqueue(its.sql, [keyMapJob(done)])
    await until('the one job to be done', async () => (await statusOf(its.sql, done))?.state === 'done')
    await working.stop()
    await enqueue(its.sql, [keyMapJob(lost)])
    await until('the other to be handed over', async () => (await measureOutbox(its.sql)).waiting === 0)
    await its.takeAway()
    await its.bringBack()
    expect(await readOverdue(its.sql, 60_000)).toEqual([])
    const overdue = (await readOverdue(its.sql, 0)).map(thing => thing.program_version_id)
    expect(overdue).toContain(lost)
    expect(overdue).not.toContain(done)
  })
})
