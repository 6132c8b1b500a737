// A collector of traces for tests: a real HTTP server that takes OTLP as JSON, and checks that it is that.

import type { Server } from 'bun'

export interface CollectedSpan {
  service: string
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  kind: number
  attributes: Record<string, string>
  failed: boolean
  durationMs: number
}

export interface Collector {
  url: string
  spans: CollectedSpan[]
  /** Everything received, unchanged. */
  texts: string[]
  /** The headers of the last request. */
  headers: Headers
  stop(): Promise<void>
}

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: string; doubleValue?: number }
}

interface OtlpSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  status: { code?: number }
}

/** `answer` decides the response; 200 by default. */
export function startCollector(answer: () => Response | Promise<Response> = () => Response.json({})): Collector {
  const spans: CollectedSpan[] = []
  const texts: string[] = []
  const collector = { spans, texts, headers: new Headers() } as Collector
  const server: Server<undefined> = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async request => {
      const text = await request.text()
      texts.push(text)
      collector.headers = request.headers
      if (new URL(request.url).pathname !== '/v1/traces' || request.method !== 'POST')
        return new Response(null, { status: 404 })
      if (request.headers.get('content-type') !== 'application/json') return new Response(null, { status: 415 })
      spans.push(...spansOf(text))
      return answer()
    },
  })
  collector.url = server.url.href.replace(/\/$/, '')
  collector.stop = async () => void (await server.stop(true))
  return collector
}

function spansOf(text: string): CollectedSpan[] {
  const sent = JSON.parse(text) as {
    resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[]
  }
  return sent.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(scope => scope.spans.map(span => read(span, values(resource.attributes)['service.name']!))),
  )
}

/** Throws if a request does not comply with opentelemetry-proto, so that the collector responds with 500. */
function read(span: OtlpSpan, service: string): CollectedSpan {
  const { traceId, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano, attributes, status } = span
  const right =
    /^[0-9a-f]{32}$/.test(traceId) &&
    [spanId, parentSpanId ?? spanId].every(id => /^[0-9a-f]{16}$/.test(id)) &&
    [startTimeUnixNano, endTimeUnixNano].every(time => /^\d{19}$/.test(time)) &&
    BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)
  if (!right) throw new Error(`not a span: ${JSON.stringify(span)}`)
  const durationMs = Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6
  const failed = status.code === 2
  return { service, traceId, spanId, parentSpanId, name, kind, attributes: values(attributes), failed, durationMs }
}

const values = (attributes: readonly Attribute[]): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]))
