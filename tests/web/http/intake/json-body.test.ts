import { expect, test } from 'bun:test'
import { readJsonBody } from '../../../../src/web/http/server/json-body.ts'
import { rejection } from '../../../support/refusal.ts'

const request = (body: ReadableStream<Uint8Array>): Request =>
  new Request('http://localhost/', { method: 'POST', body, headers: { 'Content-Type': 'application/json' } })

const problemOf = (body: ReadableStream<Uint8Array>, limits: Partial<Parameters<typeof readJsonBody>[1]>) =>
  rejection(readJsonBody(request(body), { bytesMax: 1000, depthMax: 8, valuesMax: 100, arrivalMs: 60_000, ...limits }))

test('a body that does not end is abandoned after its time limit', async () => {
  let cancelled = false
  const body = new ReadableStream<Uint8Array>({
    start: controller => controller.enqueue(Buffer.from('{')),
    cancel() {
      cancelled = true
    },
  })
  const late = { kind: 'invalid_request', detail: expect.stringContaining('20 ms') }
  expect(await problemOf(body, { arrivalMs: 20 })).toMatchObject(late)
  expect(cancelled).toBe(true)
})

test('a body that is too large is not read to its end', async () => {
  let pulled = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled++
      controller.enqueue(Buffer.alloc(400, ' '))
    },
  })
  expect(await problemOf(body, {})).toMatchObject({ kind: 'too_large' })
  expect(pulled).toBeLessThan(10)
})

test('a body that breaks off is reported as broken, whatever the reason', async () => {
  const body = new ReadableStream<Uint8Array>({
    start: controller => controller.error(new Error('the line went dead')),
  })
  expect(await problemOf(body, {})).toMatchObject({ kind: 'invalid_request', errors: [] })
})
