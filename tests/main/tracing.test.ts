// Traces, from the processes themselves to a collector: what is in them, what never is, and that they hold nothing up.

import { afterEach, describe, expect, test } from 'bun:test'
import { spanKinds, Tracer, underSpan } from '../../src/base/tracing/span.ts'
import { type CollectedSpan, type Collector, startCollector } from '../support/collector.ts'
import { useDatabase } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { readMetrics } from '../support/metrics.ts'
import { endProcesses, startMain, startWorker, type TestMain } from '../support/processes.ts'
import { aComputedProgram as aProgram, q } from '../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { until } from '../support/until.ts'

const database = await useDatabase()
const { sql } = database
const many = await insertRawProgram(sql, 'many')
await insertRawApplications(sql, many, 2000, i => `answer ${i} `.padEnd(2000, 'x'))
const canary = 'canary4711'
await aProgram(sql, { slug: 'watched', questions: [q.text('secret of mine', { optional: true })] })
const key = await createTestKey(sql, { programs: ['many', 'watched'], maySubmit: true })

let collector: Collector
afterEach(async () => {
  await endProcesses()
  await collector.stop()
})

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'

async function traced(environment: Record<string, string> = {}): Promise<TestMain> {
  collector = startCollector()
  return startMain(database, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, MAX_PAGE_SIZE: '2000', ...environment })
}

const pull = (service: TestMain, query: string, traceparent?: string): Promise<Response> =>
  fetch(`${service.url}/api/v1/admin/programs/many/applications?${query}`, {
    headers: { Authorization: key.authorization, ...(traceparent === undefined ? {} : { traceparent }) },
  })

const spansOfTrace = (id: string): CollectedSpan[] => collector.spans.filter(span => span.traceId === id)

describe('an export', () => {
  test('continues the client’s trace with spans for authentication, the start of the walk and its batches, and logs its ID', async () => {
    const service = await traced()
    const response = await pull(service, 'pageSize=2000', `00-${traceId}-${parentId}-01`)
    const { payload } = (await response.json()) as { payload: unknown[] }
    expect(payload).toHaveLength(2000)
    const name = 'GET /api/v1/admin/programs/:programSlug/applications'
    await until('its spans', () => spansOfTrace(traceId).some(span => span.name === name))
    const spans = spansOfTrace(traceId)
    const request = spans.find(span => span.name === name)!
    expect(request).toMatchObject({
      service: 'tributary',
      parentSpanId: parentId,
      kind: spanKinds.server,
      failed: false,
    })
    expect(request.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.response.status_code': '200',
      'tributary.request_id': response.headers.get('X-Request-Id')!,
      'tributary.outcome': 'complete',
      'tributary.program': 'many',
      'tributary.applications': '2000',
    })
    const parts = spans.filter(span => span !== request)
    for (const part of parts) expect(part.parentSpanId).toBe(request.spanId)
    const names = new Set(parts.map(span => span.name))
    for (const part of ['authenticate', 'start of walk', 'batch']) expect(names).toContain(part)
    const batches = parts.filter(span => span.name.startsWith('batch'))
    expect(batches.reduce((sum, { attributes }) => sum + Number(attributes.items), 0)).toBe(2000)
    const line = await until('its log line', () => service.log.find(entry => entry.trace_id === traceId))
    expect(line).toMatchObject({ msg: 'request', request_id: response.headers.get('X-Request-Id')! })
  })

  test('has an unsampled trace only in the log, and starts its own trace if traceparent is invalid', async () => {
    const service = await traced()
    await (await pull(service, 'pageSize=1', `00-${traceId}-${parentId}-00`)).arrayBuffer()
    await (await pull(service, 'pageSize=1', 'nonsense')).arrayBuffer()
    await until('the second', () => collector.spans.some(span => span.name.startsWith('GET')))
    expect(spansOfTrace(traceId)).toEqual([])
    const own = collector.spans.find(span => span.name.startsWith('GET'))!
    expect(own.parentSpanId).toBeUndefined()
    const logged = service.log.filter(line => line.msg === 'request').map(line => line.trace_id)
    expect(logged).toEqual([traceId, own.traceId])
  })
})

test('a job belongs to the trace of its cause, through outbox, queue and worker', async () => {
  collector = startCollector()
  const worker = await startWorker(database, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  const span = new Tracer(() => {}, 1).begin('publish', spanKinds.server, undefined)
  await underSpan(span, () => aProgram(sql))
  await until('both jobs', () => spansOfTrace(span.traceId).length === 2)
  for (const run of spansOfTrace(span.traceId)) {
    expect(run).toMatchObject({ service: 'tributary-worker', name: 'job', kind: spanKinds.consumer, failed: false })
    expect(run.parentSpanId).toBe(span.spanId)
    expect(run.attributes['tributary.job_id']).toMatch(/^refresh-(key-map|docs-example)-v\d+-\d+$/)
  }
  const done = worker.log.filter(line => line.msg === 'job done' && line.trace_id === span.traceId)
  expect(done).toHaveLength(2)
})

test('spans contain no answers, secrets or other text from clients', async () => {
  const service = await traced()
  const send = (method: string, path: string, body: unknown) =>
    fetch(`${service.url}${path}`, {
      method,
      headers: {
        Authorization: key.authorization,
        'Content-Type': 'application/json',
        'Idempotency-Key': `${canary}-key`,
        traceparent: `00-${traceId}-${parentId}-01`,
        tracestate: `${canary}=1`,
        baggage: `applicant=${canary}`,
        'User-Agent': canary,
      },
      body: JSON.stringify(body),
    })
  const registered = await send('POST', '/intake/v1/applicants', { language: 'en' })
  const { applicant_id } = (await registered.json()) as { applicant_id: number }
  const path = `/intake/v1/programs/watched/applicants/${applicant_id}`
  expect((await send('PUT', `${path}/answers`, { answers: { secret_of_mine: { text: canary } } })).status).toBe(200)
  const submitter = { type: 'TRUSTED_INTERMEDIARY', email: `${canary}@example.org`, organization: canary }
  expect((await send('POST', `${path}/submissions`, { submitter })).status).toBe(201)
  expect((await send('PUT', `${path}/answers`, { answers: { [canary]: { text: canary } } })).status).toBe(400)
  await send('POST', `/intake/v1/programs/${canary}/applicants/${canary}/submissions?x=${canary}`, {})
  await fetch(`${service.url}/${canary}?nextPageToken=${canary}`, { headers: { Authorization: `Basic ${canary}` } })
  await until('all of them', () => collector.spans.filter(span => span.kind === spanKinds.server).length === 6)
  const everything = collector.texts.join('\n')
  for (const secret of [canary, key.password, key.username, key.authorization.slice(6)])
    expect(everything).not.toContain(secret)
})

describe('the trace collector', () => {
  test('receives the headers from the settings, and all pending spans on SIGTERM', async () => {
    const service = await traced({ OTEL_EXPORTER_OTLP_HEADERS: 'x-collector=a%20word,other=2' })
    await (await pull(service, 'pageSize=1')).arrayBuffer()
    service.child.kill('SIGTERM')
    expect(await service.child.exited).toBe(0)
    expect(collector.spans.some(span => span.name.startsWith('GET'))).toBe(true)
    expect(collector.headers.get('x-collector')).toBe('a word')
  })

  test('may be unreachable without affecting requests, and lost spans are counted', async () => {
    const service = await traced()
    await collector.stop()
    for (let n = 0; n < 20; n++) expect((await pull(service, 'pageSize=1')).status).toBe(200)
    const lost = await until('them to be lost', async () => {
      const reading = await readMetrics(service.health)
      return reading.of('tributary_spans_dropped_total') >= 20 ? reading : undefined
    })
    expect(lost.of('tributary_spans_exported_total')).toBe(0)
    expect(service.log.filter(line => line.level === 'error')).toEqual([])
    expect(service.log.filter(line => line.level === 'warn')).toHaveLength(1)
  })

  test('is optional, and without one there are no traces', async () => {
    collector = startCollector()
    const service = await startMain(database)
    await (await pull(service, 'pageSize=1', `00-${traceId}-${parentId}-01`)).arrayBuffer()
    const line = await until('the log line', () => service.log.find(entry => entry.msg === 'request'))
    expect(line.trace_id).toBeUndefined()
  })
})
