// Traces according to OpenTelemetry and W3C Trace Context: spans with a trace and a parent, sent to an exporter. Written here because little
// is needed: the OpenTelemetry libraries are 14 packages of 25 MB that use 28 MB of memory.
// Attributes contain names, codes and counts only, never answers, secrets or client input.

import { AsyncLocalStorage } from 'node:async_hooks'

/** Numbers are integers. */
export type Attributes = Readonly<Record<string, string | number | undefined>>

/** The numbers of OpenTelemetry. */
export const spanKinds = { internal: 1, server: 2, consumer: 5 } as const

export interface EndedSpan {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  kind: number
  /** Milliseconds since 1970. */
  startMs: number
  endMs: number
  attributes: Attributes
  failed: boolean
}

type Take = (span: EndedSpan) => void

export class Span {
  readonly spanId = randomHex(8)
  name: string
  readonly #startMs = nowMs()
  #attributes: Attributes = {}
  #ended = false

  constructor(
    name: string,
    readonly traceId: string,
    private readonly parentSpanId: string | undefined,
    private readonly kind: number,
    /** Undefined if the trace is not sampled: its spans are only in the log. */
    private readonly take: Take | undefined,
  ) {
    this.name = name
  }

  /** The header that lets other services continue this trace. */
  get traceparent(): string {
    return `00-${this.traceId}-${this.spanId}-${this.take === undefined ? '00' : '01'}`
  }

  child(name: string): Span {
    return new Span(name, this.traceId, this.spanId, spanKinds.internal, this.take)
  }

  note(attributes: Attributes): void {
    this.#attributes = { ...this.#attributes, ...attributes }
  }

  /** Later calls do nothing. */
  end(failed = false): void {
    if (this.#ended || this.take === undefined) return
    this.#ended = true
    const { traceId, spanId, parentSpanId, name, kind } = this
    const ended = { traceId, spanId, parentSpanId, name, kind, attributes: this.#attributes, failed }
    this.take({ ...ended, startMs: this.#startMs, endMs: nowMs() })
  }
}

/** Consecutive steps, possibly very many: the first few become spans, the rest share one. */
export class Steps {
  #count = 0
  #items = 0
  #span: Span

  constructor(
    private readonly parent: Span,
    private readonly name: string,
    private readonly most = 16,
  ) {
    this.#span = parent.child(name)
  }

  /** A step has ended. `items` is the number so far. */
  step(items: number): void {
    this.#count++
    if (this.#count > this.most) return
    this.#span.note({ items: items - this.#items })
    this.#span.end()
    this.#items = items
    this.#span = this.parent.child(this.#count < this.most ? this.name : `${this.name}: the rest`)
  }

  /** No more steps. The time after the last step becomes a step of its own. */
  end(items: number, failed: boolean): void {
    const rest = this.#count - this.most
    this.#span.note({ items: items - this.#items, ...(rest > 0 && { steps: rest + 1 }) })
    this.#span.end(failed)
  }
}

export class Tracer {
  constructor(
    private readonly take: Take,
    /** The share of new traces that is exported. Continued traces keep the decision in their header. */
    private readonly share: number,
  ) {}

  /** The first span of this process in a trace: continues the received `traceparent`, or starts a new trace. */
  begin(name: string, kind: number, traceparent: string | null | undefined): Span {
    const parent = parseTraceparent(traceparent)
    if (parent === undefined)
      return new Span(name, randomHex(16), undefined, kind, Math.random() < this.share ? this.take : undefined)
    return new Span(name, parent.traceId, parent.spanId, kind, parent.sampled ? this.take : undefined)
  }
}

/** W3C Trace Context, section 3.2: version, trace, parent and flags; undefined if malformed. A later version may have more after the flags. */
export function parseTraceparent(
  text: string | null | undefined,
): { traceId: string; spanId: string; sampled: boolean } | undefined {
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(text ?? '')
  if (match === null) return undefined
  const [, version, traceId, spanId, flags, more] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    string?,
  ]
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

const nowMs = (): number => performance.timeOrigin + performance.now()
const randomHex = (bytes: number): string => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex')

/** The span of the running code, available everywhere without being passed along. */
const storage = new AsyncLocalStorage<Span>()

export const currentSpan = (): Span | undefined => storage.getStore()

/** Runs work, and everything it starts, under a span that the caller ends. */
export const underSpan = <T>(span: Span | undefined, work: () => T): T =>
  span === undefined ? work() : storage.run(span, work)

/** Runs work as part of the current span, if there is one. */
export async function traced<T>(name: string, work: () => Promise<T>): Promise<T> {
  const span = currentSpan()?.child(name)
  if (span === undefined) return work()
  try {
    const result = await underSpan(span, work)
    span.end()
    return result
  } catch (error) {
    span.end(true)
    throw error
  }
}
