// The one error type: what went wrong, in a public version for the caller and an internal one for the log.
// It must not know status codes or headers; web/http/server/errors alone turns a problem into an HTTP response.

/** The kind of failure. `web/http/server/errors` maps each to one status; scripts map each to one exit code. */
export type ProblemKind =
  | 'invalid_request'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'conflict'
  | 'precondition_failed'
  | 'precondition_required'
  | 'too_large'
  | 'unsupported_media_type'
  | 'expectation_failed'
  | 'unsupported'
  | 'rate_limited'
  | 'unavailable'
  | 'internal'

/**
 * One error in what the caller sent. `parameter` names a query parameter or header; `path` is an RFC 6901 JSON Pointer into a body or document.
 * Exactly one of the two is set.
 */
export interface ProblemItem {
  parameter?: string
  path?: string
  code: string
  detail: string
}

interface ProblemInit {
  /** Sent to the caller. Never contains a secret, an answer, or the reason for a 401. */
  detail: string
  errors?: readonly ProblemItem[]
  /** A short code such as `wrong_secret`, for the log and an operator's terminal, never for the caller. */
  internal?: string
  /** Seconds after which a retry may succeed. */
  retryAfterSeconds?: number
  /** For `method_not_allowed`: the supported methods. */
  allow?: readonly string[]
  /** For `unsupported_media_type`: the accepted type. */
  accept?: string
  /** For `unauthenticated`: the credentials to send. */
  challenge?: 'api_key' | 'admin_token'
  /** For `rate_limited`: the key's limits. */
  quota?: KeyQuota
  /** Additional members of the response (RFC 9457, section 3.2), sent to the caller. */
  members?: Readonly<Record<string, unknown>>
  cause?: unknown
}

/** The limits of an API key, if it has any, and what remains of them. */
export interface KeyQuota {
  requestsPerMinute?: number
  exportsAtATime?: number
  /** Requests within this many seconds from now, or exports. */
  left?: { requests: number; seconds: number } | { exports: number }
}

/** A failure with a public and an internal description. RFC 9457 is its form in responses. */
export class Problem extends Error {
  readonly kind: ProblemKind
  readonly detail: string
  readonly errors: readonly ProblemItem[]
  readonly internal: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly allow: readonly string[] | undefined
  readonly accept: string | undefined
  readonly challenge: ProblemInit['challenge']
  readonly quota: KeyQuota | undefined
  readonly members: Readonly<Record<string, unknown>> | undefined

  constructor(kind: ProblemKind, init: ProblemInit) {
    super(init.detail, init.cause === undefined ? undefined : { cause: init.cause })
    this.name = 'Problem'
    this.kind = kind
    this.detail = init.detail
    this.errors = init.errors ?? []
    this.internal = init.internal
    this.retryAfterSeconds = init.retryAfterSeconds
    this.allow = init.allow
    this.accept = init.accept
    this.challenge = init.challenge
    this.quota = init.quota
    this.members = init.members
  }
}

/** For values that must exist: `(await findPerson(db, id)) ?? notFound('There is no such person.')`. */
export function notFound(detail: string): never {
  throw new Problem('not_found', { detail })
}

/** Rejects a request with all of its errors. */
export function invalidRequest(detail: string, errors: readonly ProblemItem[]): Problem {
  return new Problem('invalid_request', { detail, errors })
}

/** For a terminal: the detail, then each error on its own line with its location, unless it concerns the whole. Codes are in brackets. */
export function problemLines(problem: Problem): string[] {
  return [
    problem.errors.length > 0 ? problem.detail : `${problem.detail} [${problem.internal ?? problem.kind}]`,
    ...problem.errors.map(({ path, parameter, detail, code }) => {
      const place = path ?? parameter ?? ''
      return `  ${place === '' ? '' : `${place}: `}${detail} [${code}]`
    }),
  ]
}
