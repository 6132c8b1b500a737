// Collects the facts of a request while it is served, and writes its log line.
// All of it is logged, so it must not contain applicants' answers or secrets.

import type { Log } from '../../../base/log.ts'
import { Problem } from '../../../base/problem.ts'
import { redactSecrets } from '../../../base/redact.ts'
import type { Span } from '../../../base/tracing/span.ts'
import type { ClientOrigin } from '../../../core/keys/client-address.ts'
import { scannerPatterns } from '../../../core/keys/credential.ts'
import { pathOf } from '../headers/host.ts'
import type { ClientConnection } from './client-connection.ts'

/** How a request ended. `client_gone` and `stalled` are exports that the client cut short. */
export type RequestOutcome = 'complete' | 'client_gone' | 'stalled' | 'failed'

/** Fields of a request's log line, each set where it becomes known and written unchanged. */
export interface RequestFields {
  api_key_id?: string
  /** The administrator's token of a request to the administration API. */
  admin_token_id?: string
  address?: string
  program?: string
  /** Reason code of a 401; never in the response. */
  reason?: string
  /** Filters of a walk by their reported names. */
  filters?: Readonly<Record<string, unknown>>
  walk?: string
  /** Number of questions that the client chose, and number hidden from its key. */
  fields?: number
  questions?: 'current'
  hidden_questions?: number
  applications?: number
  application_id?: number
  /** Format of an export. */
  format?: string
  /** Bytes of an export before compression. */
  bytes?: number
  /** Content-Encoding of a compressed export. */
  encoding?: string
}

/** Whether the service caused the error. A 501 is caused by the client's request. */
export const isOurError = (status: number): boolean => status >= 500 && status !== 501

/** Counts requests. */
export interface RequestCounts {
  begin(): void
  end(request: {
    route: string
    status: number
    outcome: RequestOutcome
    seconds: number
    /** Whether it requests an export page. */
    isPage: boolean
    /** The key, if it is known. */
    apiKeyId?: string | undefined
    /** Reason code of an error. */
    reason: string | undefined
    applications?: number | undefined
    bytes?: number | undefined
  }): void
}

export class RequestRecord {
  readonly id: string
  /** Pattern that the path matched, as a metric label; never the path itself. */
  route = 'none'
  readonly fields: RequestFields = {}
  /** The error that made the request fail. */
  error: unknown
  /** Set if the response is still being written when the handler returns; its writer then calls `finish`. */
  streaming = false
  /** Set for an authorized request for an export page. */
  isPage = false
  /** The request's span, if tracing is on. */
  span: Span | undefined
  /** Set by a response to HEAD whose body length is unknown. */
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

  /** The path without its query and secrets, as it is logged and stored. */
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

  /** Writes the request's log line, once. Query values are not logged, because they can contain tokens. */
  finish(status: number, outcome: RequestOutcome): void {
    if (this.#finished) return
    this.#finished = true
    this.connection.ended()
    const ms = performance.now() - this.#startedMs
    const { applications, bytes, api_key_id: apiKeyId } = this.fields
    const reason = this.fields.reason ?? (this.error instanceof Problem ? this.error.internal : undefined)
    const { isPage, route } = this
    this.counts.end({ route, status, outcome, seconds: ms / 1000, isPage, apiKeyId, reason, applications, bytes })
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

/** The record is a property of its request, because a WeakMap would make requests and garbage collection slower. */
const kept = Symbol('record')
type Recorded = Request & { [kept]?: RequestRecord }

export function keepRecord(record: RequestRecord): void {
  const request: Recorded = record.request
  request[kept] = record
}

/** The record of a request that is being served. */
export function recordOf(request: Recorded): RequestRecord {
  const record = request[kept]
  if (record === undefined) throw new Error('a request has no record')
  return record
}

const pathLengthMax = 512
const anyUsername = new RegExp(scannerPatterns.username, 'g')
/** Password links are secrets while they are valid. */
const invitation = /(?<=\/admin\/invitations\/)[^/]+/

/** The path without its query and without our credentials. */
function loggedPath({ url }: Request): string {
  return redactSecrets(pathOf(url))
    .replaceAll(anyUsername, '[redacted]')
    .replace(invitation, '[redacted]')
    .slice(0, pathLengthMax)
}
