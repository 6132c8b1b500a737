import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createLog } from '../../../src/base/log.ts'
import { OtlpExporter } from '../../../src/base/tracing/otlp-exporter.ts'
import {
  type EndedSpan,
  parseTraceparent,
  Steps,
  spanKinds,
  Tracer,
  traced,
  underSpan,
} from '../../../src/base/tracing/span.ts'
import { startCollector } from '../../support/collector.ts'
import { until } from '../../support/until.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent = '00f067aa0ba902b7'

test('W3C Trace Context: a well-formed traceparent is continued', () => {
  expect(parseTraceparent(`00-${trace}-${parent}-01`)).toEqual({ traceId: trace, spanId: parent, sampled: true })
  const sampled = ['02', '03', 'ff'].map(flags => parseTraceparent(`00-${trace}-${parent}-${flags}`)?.sampled)
  expect(sampled).toEqual([false, true, true])
  // "parsers … MUST assume … a higher version": what follows is passed over.
  expect(parseTraceparent(`cc-${trace}-${parent}-01-what-the-future-brings`)?.traceId).toBe(trace)
})

test.each([
  '',
  `00-${trace}-${parent}`,
  `00-${trace}-${parent}-01-more`,
  `ff-${trace}-${parent}-01`,
  `00-${'0'.repeat(32)}-${parent}-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `00-${trace.toUpperCase()}-${parent}-01`,
  `00-${trace}-${parent}-1`,
  ` 00-${trace}-${parent}-01`,
])('W3C Trace Context: %j is not a valid traceparent', text => {
  expect(parseTraceparent(text)).toBeUndefined()
})

test('for any traceparent, the span has valid IDs and passes on a well-formed traceparent', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.constant(null), fc.stringMatching(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/)),
      text => {
        const span = new Tracer(() => {}, 1).begin('x', spanKinds.server, text)
        expect(parseTraceparent(span.traceparent)).toMatchObject({ traceId: span.traceId, spanId: span.spanId })
      },
    ),
  )
})

test('the sampling ratio applies only to traces that begin here', () => {
  const taken: EndedSpan[] = []
  const [all, none] = [1, 0].map(share => new Tracer(span => taken.push(span), share)) as [Tracer, Tracer]
  none.begin('a', 1, undefined).end()
  expect(taken).toHaveLength(0)
  none.begin('b', 1, `00-${trace}-${parent}-01`).end()
  all.begin('c', 1, undefined).end()
  all.begin('d', 1, `00-${trace}-${parent}-00`).end()
  expect(taken.map(({ name }) => name)).toEqual(['b', 'c'])
})

test('failed work marks its span and all spans around it as failed', async () => {
  const taken: EndedSpan[] = []
  const span = new Tracer(endedSpan => taken.push(endedSpan), 1).begin('x', 1, undefined)
  const inner = () => traced('inner', () => Promise.reject(new Error('why')))
  await expect(underSpan(span, () => traced('outer', inner))).rejects.toThrow('why')
  expect(taken.map(({ name, failed }) => `${name} ${failed}`)).toEqual(['inner true', 'outer true'])
})

test('the first steps are separate spans, the rest share one, and none is missing', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100), { maxLength: 60 }), fc.nat(50), (items, last) => {
      const taken: EndedSpan[] = []
      const steps = new Steps(new Tracer(span => taken.push(span), 1).begin('page', 1, undefined), 'batch')
      let sum = 0
      for (const more of items) {
        sum += more
        steps.step(sum)
      }
      sum += last
      steps.end(sum, false)
      expect(taken.length).toBeLessThanOrEqual(17)
      expect(taken.reduce((all, { attributes }) => all + Number(attributes.items), 0)).toBe(sum)
      expect(taken.reduce((all, { attributes }) => all + Number(attributes.steps ?? 1), 0)).toBe(items.length + 1)
    }),
  )
})

const exporterFor = (endpoint: string, lines: string[] = []) =>
  new OtlpExporter({
    endpoint,
    headers: {},
    service: 'test',
    log: createLog('info', { write: line => void lines.push(line) }),
  })

test('when a collector does not respond, the waiting spans are bounded, and the rest is dropped and counted', async () => {
  const release = Promise.withResolvers<void>()
  const collector = startCollector(() => release.promise.then(() => Response.json({})))
  const exporter = exporterFor(collector.url)
  const tracer = new Tracer(exporter.take, 1)
  const begin = (count: number) => {
    for (let n = 0; n < count; n++) tracer.begin('x', 1, undefined).end()
  }
  begin(1)
  await until('a request', () => collector.texts.length === 1)
  // The end of a process waits for what is on its way.
  const ended = exporter.finish(20_000).then(() => 'ended')
  expect(await Promise.race([ended, Bun.sleep(0).then(() => 'waits')])).toBe('waits')
  begin(10_000)
  expect(exporter.dropped).toBe(10_000 - 4096)
  release.resolve()
  await ended
  await exporter.finish(20_000)
  expect({ exported: exporter.exported, dropped: exporter.dropped }).toEqual({ exported: 4097, dropped: 10_000 - 4096 })
  expect(collector.spans).toHaveLength(4097)
  await collector.stop()
  // One that never answers is given up.
  const silent = startCollector(() => new Promise(() => {}))
  const giving = exporterFor(silent.url)
  new Tracer(giving.take, 1).begin('x', 1, undefined).end()
  await giving.finish(20_000)
  expect(giving.dropped).toBe(1)
  await silent.stop()
})

test('when a collector refuses, redirects or is missing, spans are counted as lost, reported once, and never sent twice', async () => {
  const collector = startCollector(() => new Response(null, { status: 503 }))
  const leading = startCollector(() => Response.redirect(`${collector.url}/v1/traces`, 307))
  for (const endpoint of [collector.url, leading.url, 'http://127.0.0.1:1']) {
    const lines: string[] = []
    const exporter = exporterFor(endpoint, lines)
    for (const _ of ['first', 'second']) {
      new Tracer(exporter.take, 1).begin('x', 1, undefined).end()
      await exporter.finish(10_000)
    }
    expect({ exported: exporter.exported, dropped: exporter.dropped }).toEqual({ exported: 0, dropped: 2 })
    expect(lines).toHaveLength(1)
  }
  expect([collector.texts.length, leading.texts.length]).toEqual([2, 2])
  for (const item of [collector, leading]) await item.stop()
})
