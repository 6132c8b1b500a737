// Webhooks as a worker delivers them, with the queue in each of its stores.

import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { testCertificate } from '../../support/certificate.ts'
import { useFolder } from '../../support/fixtures.ts'
import { needs } from '../../support/needs.ts'
import { endProcesses, startWorker } from '../../support/processes.ts'
import { useQueue } from '../../support/queue.ts'
import { useReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import { keys, TestWebhooks } from '../../support/webhooks.ts'

const certificate = join(await useFolder(), 'certificate.pem')
await Bun.write(certificate, testCertificate.cert)
const environment = {
  WEBHOOK_KEYS: keys[0]!.toString('base64'),
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  NODE_EXTRA_CA_CERTS: certificate,
}

afterEach(endProcesses)

for (const store of ['postgres', 'redis'] as const) {
  const isThere = store === 'postgres' || needs('redis')
  test.skipIf(!isThere)(`silent receivers delay no others, with the queue in ${store}`, async () => {
    const { database, sql, options } = await useQueue(store)
    const hooks = new TestWebhooks(sql)
    hooks.now = 0
    const [receiver, held] = [useReceiver(), Promise.withResolvers<void>()]
    receiver.answer = () => held.promise.then(() => new Response())
    const endpoints = await Promise.all(Array.from({ length: 5 }, () => hooks.endpoint(receiver.url)))
    for (const { program } of endpoints) await hooks.apply(program)
    const outcomes = async () => (await sql`select outcome from webhook_attempt`).map(({ outcome }) => outcome)
    await startWorker(
      database,
      options.redisUrl === undefined ? environment : { ...environment, REDIS_URL: options.redisUrl },
    )
    await until('all to be asked', () => receiver.received.length === endpoints.length)
    // None only once another had been given up.
    expect(await outcomes()).toEqual([])
    held.resolve()
    await until('all to be on record', async () => (await outcomes()).length === endpoints.length)
    expect(new Set(await outcomes())).toEqual(new Set(['delivered']))
  })
}
