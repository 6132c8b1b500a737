// Sends ended spans to a collector by OTLP over HTTP in JSON. Spans are dropped if the collector is slow or unreachable. It never blocks
// requests: the queue is bounded, one request runs at a time, and none is retried.

import type { Log } from '../log.ts'
import { settledWithin } from '../settled-within.ts'
import type { EndedSpan } from './span.ts'

interface ExporterOptions {
  /** The collector's address as in OpenTelemetry's settings; `/v1/traces` is appended. */
  endpoint: string
  /** Headers to send, such as a token for the collector. */
  headers: Readonly<Record<string, string>>
  service: string
  log: Log
}

/** Maximum number of waiting spans, and of spans per request. */
const [waitingMax, batchMax] = [4096, 512]
const pauseMs = 1000
const requestMs = 5000
const reportEveryMs = 60_000

export class OtlpExporter {
  /** Counts of exported and lost spans. */
  exported = 0
  dropped = 0
  #waiting: EndedSpan[] = []
  #sending: Promise<void> | undefined
  #timer: Timer | undefined
  #reportedMs = Number.NEGATIVE_INFINITY

  constructor(private readonly options: ExporterOptions) {}

  readonly take = (span: EndedSpan): void => {
    if (this.#waiting.length >= waitingMax) {
      this.dropped++
      return
    }
    this.#waiting.push(span)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#sending ??= this.#sendAll().finally(() => {
        this.#sending = undefined
      })
    }, pauseMs)
    this.#timer.unref()
  }

  /** Sends the waiting spans when the process ends, for a limited time. */
  async finish(withinMs: number): Promise<void> {
    clearTimeout(this.#timer)
    await settledWithin(
      withinMs,
      Promise.resolve(this.#sending).then(() => this.#sendAll()),
    )
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const spans = this.#waiting.splice(0, batchMax)
      if (await this.#send(spans)) this.exported += spans.length
      else this.dropped += spans.length
    }
  }

  async #send(spans: readonly EndedSpan[]): Promise<boolean> {
    const { endpoint, headers } = this.options
    try {
      const response = await fetch(`${endpoint}/v1/traces`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(this.#request(spans)),
        signal: AbortSignal.timeout(requestMs),
        redirect: 'manual',
      })
      await response.arrayBuffer()
      if (response.ok) return true
      this.#report({ answered: response.status })
    } catch (error) {
      this.#report({ err: error })
    }
    return false
  }

  /** While it fails, a line is logged once a minute. */
  #report(what: object): void {
    if (performance.now() - this.#reportedMs < reportEveryMs) return
    this.#reportedMs = performance.now()
    this.options.log.warn(what, 'traces could not be sent to the collector and were dropped')
  }

  /** ExportTraceServiceRequest of opentelemetry-proto, in its JSON form. */
  #request(spans: readonly EndedSpan[]): object {
    const resource = { attributes: attributesOf({ 'service.name': this.options.service }) }
    return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'tributary' }, spans: spans.map(spanOf) }] }] }
  }
}

const spanOf = ({ startMs, endMs, attributes, failed, ...span }: EndedSpan): object => ({
  ...span,
  startTimeUnixNano: nanos(startMs),
  endTimeUnixNano: nanos(endMs),
  attributes: attributesOf(attributes),
  status: failed ? { code: 2 } : {},
})

const attributesOf = (attributes: EndedSpan['attributes']): object[] =>
  Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({
      key,
      value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
    }))

const nanos = (ms: number): string => `${Math.round(ms * 1000)}000`
