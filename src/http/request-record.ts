// What the service notes about one request while it is served, and the one log line it becomes.
// It must not hold an answer, a secret or a credential; what is noted here is logged.

import { scannerPatterns } from '../access/credential.ts'
import type { Log } from '../log.ts'

/** How a request ended. `client_gone` and `stalled` are exports cut short from the other side. */
export type Outcome = 'complete' | 'client_gone' | 'stalled' | 'failed'

/** Facts that the log line of a request may carry, each noted where it becomes known. */
export interface RequestFields {
  api_key_id?: string
  address?: string
  program?: string
  /** The code of why a request was refused with 401; never in the response. */
  reason?: string
  filters?: Record<string, unknown>
  walk?: string
  applications?: number
  application_id?: number
  /** Of JSON, however it was sent. */
  bytes?: number
  /** Content-Encoding of an export that was sent compressed. */
  encoding?: string
  outcome?: Outcome
  error?: unknown
}

/** Where requests are counted. */
export interface RequestCounts {
  begin(): void
  end(request: {
    route: string
    status: number
    outcome: Outcome
    seconds: number
    applications?: number | undefined
    bytes?: number | undefined
  }): void
}

export class RequestRecord {
  readonly id: string
  /** The pattern the address matched, for counting; never the address itself. */
  route = 'none'
  readonly fields: RequestFields = {}
  /** Set by a response that is still being written when the handler returns; whoever writes it calls `finish`. */
  streaming = false
  /** Set by an answer to HEAD that does not know how long the body would be. */
  lengthUnknown = false
  readonly #startedMs = performance.now()
  #finished = false

  constructor(
    readonly request: Request,
    /** The address of the socket's other end, before any proxy header is believed. */
    readonly peer: string,
    /** Whether TLS was ended by this process. */
    readonly tls: boolean,
    private readonly log: Log,
    private readonly counts: RequestCounts,
  ) {
    this.id = crypto.randomUUID()
    counts.begin()
  }

  /** Writes the request's one log line. Later calls do nothing. Query values are not logged: a token may be among them. */
  finish(status: number, outcome: Outcome): void {
    if (this.#finished) return
    this.#finished = true
    const { error, ...fields } = this.fields
    const ms = performance.now() - this.#startedMs
    const { applications, bytes } = fields
    this.counts.end({ route: this.route, status, outcome, seconds: ms / 1000, applications, bytes })
    const line = {
      request_id: this.id,
      method: this.request.method,
      path: pathOf(this.request),
      status,
      outcome,
      duration_ms: Math.round(ms * 100) / 100,
      peer: this.peer,
      ...fields,
      ...(error === undefined ? {} : { err: error }),
    }
    if (status >= 500 || outcome === 'failed') this.log.error(line, 'request')
    else this.log.info(line, 'request')
  }
}

const records = new WeakMap<Request, RequestRecord>()

export function keepRecord(record: RequestRecord): void {
  records.set(record.request, record)
}

/** The record of a request that is being served. */
export function recordOf(request: Request): RequestRecord {
  const record = records.get(request)
  if (record === undefined) throw new Error('a request is served without a record')
  return record
}

/** The path without its query, and without a credential of ours that somebody wrote into it. */
function pathOf(request: Request): string {
  const path = (URL.parse(request.url)?.pathname ?? request.url.split(/[?#]/)[0]!).slice(0, 512)
  return Object.values(scannerPatterns).reduce(
    (text, pattern) => text.replaceAll(new RegExp(pattern, 'g'), '[redacted]'),
    path,
  )
}
