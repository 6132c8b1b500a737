// The budget of a request up to its first byte. Contract G14: "No request waits without limit".

import { expect, spyOn, test } from 'bun:test'
import { askedWaitMs, inTime, whileArriving } from '../../../../src/web/http/server/in-time.ts'
import { endWithTest, useDatabase, useService } from '../../../support/fixtures.ts'
import { holdTransaction } from '../../../support/held-transaction.ts'
import { createTestKey } from '../../../support/keys.ts'
import { until } from '../../../support/until.ts'

const database = await useDatabase()
const request = () => new Request('http://localhost/')
const key = await createTestKey(database.sql, { programs: ['any'] })
const service = await useService(database, { responseTimeoutMs: 150 })

test('G14: a request that waits for a lock is refused after its time limit, and succeeds once the lock is gone', async () => {
  const release = await holdTransaction(database.sql, tx => tx`lock table api_key in access exclusive mode`)
  const headers = { Authorization: key.authorization }
  for (const path of ['/api/v1/checkAuth', '/api/v1/admin/programs/any/applications', '/docs/api/programs']) {
    const answer = await service.get(path, { headers })
    expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '5'])
    expect(service.requestLine(answer.headers.get('x-request-id'))).toMatchObject({
      status: 503,
      reason: 'response_timeout',
    })
  }
  await release()
  await until('it to be served', async () => (await service.get('/api/v1/checkAuth', { headers })).status === 200)
})

test('a response that is too late is discarded, and its source is told', async () => {
  const late = Promise.withResolvers<Response>()
  let cancelled = false
  const answered = inTime(request(), late.promise, 1)
  expect(await answered.catch(error => error.internal)).toBe('response_timeout')
  late.resolve(
    new Response(
      new ReadableStream({
        cancel() {
          cancelled = true
        },
      }),
    ),
  )
  await until('the stream to be cancelled', () => cancelled)
})

test('the time that a body takes to arrive does not count towards the time limit', async () => {
  let nowMs = 0
  const clock = spyOn(performance, 'now').mockImplementation(() => nowMs)
  endWithTest(() => clock.mockRestore())
  // Two thirds of a budget before the body, two budgets for the body, and then nothing comes.
  const asked = request()
  const [head, body] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const answer = async (): Promise<Response> => {
    await head.promise
    await whileArriving(asked, () => body.promise)
    return Promise.withResolvers<Response>().promise
  }
  let refused = false
  const answered = inTime(asked, answer(), 150).catch(error => {
    refused = true
    return error.internal
  })
  nowMs = 100
  head.resolve()
  await Bun.sleep(0)
  nowMs = 400
  body.resolve()
  // Long enough for one that counts the body.
  await Bun.sleep(200)
  nowMs = 449
  await Bun.sleep(100)
  expect(refused).toBe(false)
  nowMs = 450
  expect(await answered).toBe('response_timeout')
})

test('the wait that a request asks for extends its time limit, where it may wait', () => {
  const asking = (path: string, method = 'GET') =>
    askedWaitMs(
      new Request(`http://localhost/api/v1/admin/programs/any/${path}`, { method, headers: { Prefer: 'wait=7' } }),
    )
  expect([asking('changes'), asking('changes?after=0')]).toEqual([7000, 7000])
  expect([asking('applications'), asking('changes', 'HEAD'), askedWaitMs(request())]).toEqual([0, 0, 0])
})

test('an error within the time limit is passed on unchanged', async () => {
  const failure = new Error('failed')
  expect(await inTime(request(), Promise.reject(failure), 1000).catch(error => error)).toBe(failure)
})
