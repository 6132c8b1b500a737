// Webhooks through the outbox, the relay and the queue, on each of its stores.

import { afterEach, describe, expect, test } from 'bun:test'
import { createLog } from '../../src/log.ts'
import { joinQueues } from '../../src/queue/joined-queues.ts'
import { startRelay } from '../../src/queue/relay.ts'
import { startWorking } from '../../src/queue/work.ts'
import { deliver } from '../../src/webhooks/deliveries.ts'
import { startAsking } from '../../workers/deliver-webhook.ts'
import { needs } from '../support/needs.ts'
import { type StoreName, useQueue } from '../support/queue.ts'
import { useReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { TestWebhooks } from '../support/webhooks.ts'

const stores: StoreName[] = needs('redis') ? ['postgres', 'redis'] : ['postgres']

for (const store of stores) {
  const queue = await useQueue(store)
  describe(`webhooks, with the queue in ${store}`, () => {
    const ends: (() => Promise<void>)[] = []
    afterEach(async () => {
      for (const end of ends.splice(0)) await end()
      await queue.reset()
    })

    test('a receiver that says nothing delays no other endpoint, and no derived data', async () => {
      const hooks = new TestWebhooks(queue.sql)
      Object.assign(hooks.delivering, { now: () => Date.now() * 1000 })
      hooks.now = 0
      const silent = useReceiver()
      const held = Promise.withResolvers<Response>()
      silent.answer = () => held.promise
      const others = [useReceiver(), useReceiver()]
      const endpoints = [silent, ...others].map(({ url }) => hooks.endpoint(url))
      for (const { program } of await Promise.all(endpoints)) await hooks.apply(program)
      const done: string[] = []
      const log = createLog('silent')
      const joined = joinQueues({
        'derived-data': await queue.connect(),
        webhooks: await queue.connect({ name: 'webhooks', concurrency: 2 }),
      })
      const relay = startRelay(queue.sql, queue.sql, joined, log, { pollMs: 100 })
      const idle = async (): Promise<void> => {}
      const working = await startWorking(
        queue.sql,
        joined,
        {
          'refresh-key-map': idle,
          'refresh-docs-example': idle,
          'deliver-webhook': async job => void done.push(String(await deliver(hooks.delivering, job))),
        },
        log,
      )
      const stopAsking = startAsking(queue.sql, log, () => {})
      ends.unshift(async () => {
        held.resolve(new Response())
        await stopAsking()
        await working.stop()
        await relay.stop()
      })
      await until('the silent one to be asked', () => silent.received.length === 1)
      await until('the others to be done', () => done.length === 2)
      expect(others.map(({ received }) => received.length)).toEqual([1, 1])
      held.resolve(new Response())
      await until('the silent one to be done', () => done.length === 3)
    })
  })
}
