// How the relay goes about its work: without pause while there is much to hand over, and without haste while it fails.

import { afterEach, expect, test } from 'bun:test'
import { requestDerived } from '../../src/db/derived-status.ts'
import { insertOutbox, listenToOutbox, measureOutbox } from '../../src/db/outbox.ts'
import { createLog } from '../../src/log.ts'
import { type Relay, startRelay } from '../../src/queue/relay.ts'
import { useDatabase } from '../support/fixtures.ts'
import { aVersion, statusOf } from '../support/queue.ts'
import { until } from '../support/until.ts'

const { sql } = await useDatabase()
const never = 3_600_000
const relays: Relay[] = []
afterEach(async () => {
  for (const relay of relays.splice(0)) await relay.stop()
  await sql`delete from outbox`
})
const job = (n: number) => ({ job_name: 'refresh-key-map', job_id: `job-${n}`, payload: { program_version_id: n } })

test('more than one batch is handed over without waiting for the next look', async () => {
  await insertOutbox(sql, [1, 2, 3, 4, 5].map(job))
  const taken: string[] = []
  const queue = { add: async (jobs: readonly { id: string }[]) => void taken.push(...jobs.map(({ id }) => id)) }
  relays.push(startRelay(sql, undefined, queue, createLog('silent'), { batchJobs: 2, pollMs: never }))
  await until('all to be handed over', async () => (await measureOutbox(sql)).waiting === 0)
  expect(taken).toEqual([1, 2, 3, 4, 5].map(n => `job-${n}`))
})

test('a call that comes while a failure is under way does not make it try again at once', async () => {
  const heard: number[] = []
  let attempts = 0
  const unlisten = await listenToOutbox(sql, () => heard.push(attempts))
  const queue = {
    add: async () => {
      attempts++
      // Somebody asks for another job meanwhile, and the relay hears of it as this does.
      const before = heard.length
      await insertOutbox(sql, [job(100 + attempts)])
      await until('the call to be heard', () => heard.length > before)
      throw new Error('the store is away')
    },
  }
  const lines: { msg: string }[] = []
  const log = createLog('info', { write: line => void lines.push(JSON.parse(line)) })
  await insertOutbox(sql, [job(1)])
  // Heard late, it would be taken for the call made meanwhile. Listening counts as the first.
  await until('the call for it to be heard', () => heard.length === 2)
  relays.push(startRelay(sql, sql, queue, log, { pollMs: never }))
  await until('the failure to be told', () => lines.some(line => line.msg.startsWith('the relay cannot')))
  await sql`select pg_sleep(0.3)`
  expect(attempts).toBe(1)
  await unlisten()
})

test('what is asked for again has all its attempts again', async () => {
  const program_version_id = await aVersion(sql)
  const thing = { program_version_id, job_name: 'refresh-key-map' }
  await requestDerived(sql, [thing])
  await sql`update derived_status set attempts = 4, state = 'failed', last_error = 'it broke' where program_version_id = ${program_version_id}`
  await requestDerived(sql, [thing])
  expect(await statusOf(sql, program_version_id)).toMatchObject({ attempts: 0, state: 'queued', requested: 2 })
})
