import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { createLog } from '../../../../src/base/log.ts'
import type { Sink } from '../../../../src/core/export/pages/page-outlet.ts'
import { byDeadline } from '../../../../src/core/export/servers/exports.ts'
import { originOf } from '../../../../src/core/keys/client-address.ts'
import { streamResponse } from '../../../../src/web/http/export/stream-response.ts'
import { ClientConnection, type Server } from '../../../../src/web/http/server/client-connection.ts'
import { Metrics } from '../../../../src/web/http/server/metrics.ts'
import { type RequestOutcome, RequestRecord } from '../../../../src/web/http/server/request-record.ts'
import { testConfig } from '../../../support/config.ts'
import { endWithTest } from '../../../support/fixtures.ts'
import { failureOf, rejection } from '../../../support/refusal.ts'
import { until } from '../../../support/until.ts'

const log = createLog('silent')
const server: Server = { requestIP: () => ({ address: '127.0.0.1' }), timeout: () => {} }

function aRecord(signal?: AbortSignal): RequestRecord {
  const request = new Request('http://127.0.0.1/', signal === undefined ? {} : { signal })
  const origin = originOf({ peer: '127.0.0.1', tls: false, fields: request.headers }, testConfig())
  return new RequestRecord(request, new ClientConnection(server, request, 60), origin, log, new Metrics())
}

test('a client that disconnected before the first write is reported, and nothing is written', async () => {
  let taken: boolean | undefined
  await streamResponse(
    aRecord(AbortSignal.abort()),
    { headers: new Headers() },
    performance.now() + 60_000,
    async sink => {
      taken = await sink.write(Buffer.from('first'), false)
      return 'client_gone'
    },
  )
  expect(taken).toBe(false)
})

test.each(['goes', 'was answered otherwise'])(
  'a client that %s while its first write waits for the response is reported as disconnected',
  async how => {
    const leaving = new AbortController()
    let taken: Promise<boolean> | undefined
    const response = await streamResponse(
      aRecord(leaving.signal),
      { headers: new Headers() },
      performance.now() + 60_000,
      async sink => {
        taken = Promise.resolve(sink.write(Buffer.from('first'), false))
        return (await taken) ? 'complete' : 'client_gone'
      },
    )
    if (how === 'goes') leaving.abort()
    else await response.body!.cancel()
    expect(await taken).toBe(false)
    expect(response.status).toBe(200)
    // Its buffer may be another page's by now.
    if (how === 'goes') expect(await failureOf(response.body!.getReader().read())).toBeInstanceOf(Error)
  },
)

test('a client that disconnects while a later write waits is reported, whatever its connection says', async () => {
  const leaving = new AbortController()
  let writes = 0
  const ended = Promise.withResolvers<void>()
  const produce = async (sink: Sink): Promise<RequestOutcome> => {
    do writes++
    while (await sink.write(Buffer.alloc(1024 * 1024), false))
    ended.resolve()
    return 'client_gone'
  }
  const listening = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    error: () => new Response(),
    fetch: () =>
      streamResponse(aRecord(leaving.signal), { headers: new Headers() }, performance.now() + 60_000, produce),
  })
  // It asks, and takes nothing.
  const client = connect(listening.port!, '127.0.0.1').pause()
  client.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  endWithTest(() => {
    client.destroy()
    return listening.stop(true)
  })
  let [seen, looks] = [0, 0]
  await until('a write to wait', () => {
    looks = writes > 1 && writes === seen ? looks + 1 : 0
    seen = writes
    return looks > 10
  })
  leaving.abort()
  await ended.promise
})

test('a page that fails after all of it is written is not sent', async () => {
  const failing = async (sink: Sink): Promise<RequestOutcome> => {
    await sink.write(Buffer.from('whole'), true)
    await Bun.sleep(1)
    throw new Error('late')
  }
  const sent = streamResponse(aRecord(), { headers: new Headers() }, performance.now() + 60_000, failing)
  expect(await failureOf(sent)).toMatchObject({ message: 'late' })
})

test('waiting before the response counts towards the same time limit', async () => {
  const over = performance.now()
  const refusals = [
    byDeadline(over, new Promise(() => {})),
    streamResponse(aRecord(), { headers: new Headers() }, over, () => new Promise(() => {})),
  ]
  for (const refusal of refusals)
    expect(await rejection(refusal)).toMatchObject({ kind: 'unavailable', internal: 'export_queue_timeout' })
  // What is granted later is granted to a client that was refused.
  const granted = Promise.withResolvers<void>()
  let taken: boolean | undefined
  const produce = async (sink: Sink): Promise<RequestOutcome> => {
    taken = await sink.write(Buffer.from('whole'), true)
    return 'client_gone'
  }
  await rejection(streamResponse(aRecord(), { headers: new Headers() }, over, produce, { granted: granted.promise }))
  granted.resolve()
  await until('the write to end', () => taken !== undefined)
  expect(taken).toBe(false)
})
