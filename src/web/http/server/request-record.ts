// The facts of one request, collected while it is served, and the log entry they become.
// It must not hold an answer, a secret or a credential: the log gets all of it.

import type { Log } from '../../../base/log.ts'
import { Problem } from '../../../base/problem.ts'
import { redactSecrets } from '../../../base/redact.ts'
import type { Span } from '../../../base/tracing/span.ts'
import type { ClientOrigin } from '../../../core/keys/client-address.ts'
import { scannerPatterns } from '../../../core/keys/credential.ts'
import { pathOf } from '../headers/host.ts'
import type { ClientConnection } from './client-connection.ts'

/** How a request ended. `client_gone` and `stalled` are exports cut short from the other side. */
export type RequestOutcome = 'complete' | 'client_gone' | 'stalled' | 'failed'

/** Facts that the log line of a request may carry, each noted where it becomes known. They are written as they are. */
export interface RequestFields {
  api_key_id?: string
  /** The administrator's token that a request to the console's API presents. */
  admin_token_id?: string
  address?: string
  program?: string
  /** The code of why a request was refused with 401; never in the response. */
  reason?: string
  /** Of a walk, by their reported names. */
  filters?: Readonly<Record<string, unknown>>
  walk?: string
  /** How many questions a client chose, and how many are hidden from its key. */
  fields?: number
  hidden_questions?: number
  applications?: number
  application_id?: number
  /** Of an export. */
  format?: string
  /** Of the export's text, however it was sent. */
  bytes?: number
  /** Content-Encoding of an export that was sent compressed. */
  encoding?: string
}

/** Of 501 a client that asks for it is the cause. */
export const isOurError = (status: number): boolean => status >= 500 && status !== 501

/** Where requests are counted. */
export interface RequestCounts {
  begin(): void
  end(request: {
    route: string
    status: number
    outcome: RequestOutcome
    seconds: number
    /** Whether it asks for a page of an export. */
    isPage: boolean
    /** The code of why it was refused or failed. */
    reason: string | undefined
    applications?: number | undefined
    bytes?: number | undefined
  }): void
}

export class RequestRecord {
  readonly id: string
  /** The pattern the address matched, for counting; never the address itself. */
  route = 'none'
  readonly fields: RequestFields = {}
  /** What made the request fail. */
  error: unknown
  /** Set by a response that is still being written when the handler returns; its writer calls `finish`. */
  streaming = false
  /** Set for an authorized request for an export page. */
  isPage = false
  /** The request's part of a trace, with tracing on. */
  span: Span | undefined
  /** Set by an answer to HEAD that does not know how long the body would be. */
  lengthUnknown = false
  readonly #startedMs = performance.now()
  #finished = false

  constructor(
    readonly request: Request,
    readonly connection: ClientConnection,
    readonly origin: ClientOrigin,
    private readonly log: Log,
    private readonly counts: RequestCounts,
  ) {
    this.id = crypto.randomUUID()
    counts.begin()
  }

  /** The path without its query and without secrets, as it may be kept. */
  get path(): string {
    return loggedPath(this.request)
  }

  #endSpan(status: number, outcome: RequestOutcome, reason: string | undefined): void {
    const { span, route } = this
    if (span === undefined) return
    const { method } = this.request
    const { program, walk, applications, bytes } = this.fields
    span.name = `${method} ${route}`
    span.note({ 'http.request.method': method, 'http.route': route, 'http.response.status_code': status })
    span.note({ 'tributary.request_id': this.id, 'tributary.outcome': outcome, 'tributary.reason': reason })
    span.note({ 'tributary.program': program, 'tributary.walk': walk })
    span.note({ 'tributary.applications': applications, 'tributary.bytes': bytes })
    span.end(isOurError(status) || outcome === 'failed')
  }

  /** Writes the request's one log line. Later calls do nothing. Query values are not logged: a token may be among them. */
  finish(status: number, outcome: RequestOutcome): void {
    if (this.#finished) return
    this.#finished = true
    this.connection.ended()
    const ms = performance.now() - this.#startedMs
    const { applications, bytes } = this.fields
    const reason = this.fields.reason ?? (this.error instanceof Problem ? this.error.internal : undefined)
    const { isPage, route } = this
    this.counts.end({ route, status, outcome, seconds: ms / 1000, isPage, reason, applications, bytes })
    const line = {
      request_id: this.id,
      method: this.request.method,
      path: this.path,
      status,
      outcome,
      duration_ms: Math.round(ms * 100) / 100,
      peer: this.connection.address,
      ...(this.span === undefined ? {} : { trace_id: this.span.traceId }),
      ...this.fields,
    }
    this.#endSpan(status, outcome, reason)
    if (isOurError(status) || outcome === 'failed') this.log.error({ ...line, err: this.error }, 'request')
    else this.log.info(line, 'request')
  }
}

/** Where a request holds its record: on itself, since a WeakMap would cost each request, and each collection of garbage, more. */
const kept = Symbol('record')
type Recorded = Request & { [kept]?: RequestRecord }

export function keepRecord(record: RequestRecord): void {
  const request: Recorded = record.request
  request[kept] = record
}

/** The record of a request that is being served. */
export function recordOf(request: Recorded): RequestRecord {
  const record = request[kept]
  if (record === undefined) throw new Error('a request is served without a record')
  return record
}

const pathLengthMax = 512
const anyUsername = new RegExp(scannerPatterns.username, 'g')
/** A link with which a password is chosen is a secret as long as it is good. */
const invitation = /(?<=\/admin\/invitations\/)[^/]+/

/** The path without its query, and without a credential of ours in it. */
function loggedPath({ url }: Request): string {
  return redactSecrets(pathOf(url))
    .replaceAll(anyUsername, '[redacted]')
    .replace(invitation, '[redacted]')
    .slice(0, pathLengthMax)
}
