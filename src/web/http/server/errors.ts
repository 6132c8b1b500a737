// Turns a Problem into a status and an RFC 9457 body. Internal details go to the log only.

import { findPassingError } from '../../../base/passing-errors.ts'
import { Problem, type ProblemKind } from '../../../base/problem.ts'
import { UnknownQuestionKind } from '../../../domain/questions/question.ts'
import { feedType } from '../headers/export-formats.ts'
import { pathOf } from '../headers/host.ts'
import { quotaHeaders } from '../headers/quota-headers.ts'
import { isOurError, type RequestRecord, recordOf } from './request-record.ts'

/** Status and title of each kind of problem. */
export const problemStatuses: Readonly<Record<ProblemKind, { status: number; title: string }>> = {
  invalid_request: { status: 400, title: 'Bad Request' },
  unauthenticated: { status: 401, title: 'Unauthorized' },
  forbidden: { status: 403, title: 'Forbidden' },
  not_found: { status: 404, title: 'Not Found' },
  method_not_allowed: { status: 405, title: 'Method Not Allowed' },
  not_acceptable: { status: 406, title: 'Not Acceptable' },
  conflict: { status: 409, title: 'Conflict' },
  precondition_failed: { status: 412, title: 'Precondition Failed' },
  too_large: { status: 413, title: 'Content Too Large' },
  unsupported: { status: 501, title: 'Not Implemented' },
  unsupported_media_type: { status: 415, title: 'Unsupported Media Type' },
  expectation_failed: { status: 417, title: 'Expectation Failed' },
  precondition_required: { status: 428, title: 'Precondition Required' },
  rate_limited: { status: 429, title: 'Too Many Requests' },
  internal: { status: 500, title: 'Internal Server Error' },
  unavailable: { status: 503, title: 'Service Unavailable' },
}

/** Error response in `application/problem+json` (contract D3). Records the cause for the log. */
export function problemResponse(error: unknown, record: RequestRecord): Response {
  const problem = asProblem(error)
  const { status } = problemStatuses[problem.kind]
  if (problem.internal !== undefined) record.fields.reason = problem.internal
  if (isOurError(status)) record.error = problem.cause ?? problem
  if (isOfFeed(record)) return feedError(problem, status, record)
  // For HEAD, Bun leaves the body out and keeps its length.
  return new Response(JSON.stringify(problemBody(problem, record.id)), {
    status,
    headers: headersOf(problem, record.request.method),
  })
}

/** The code after `urn:tributary:problem:` in a problem's type. */
export const problemCode = (kind: ProblemKind): string => kind.replaceAll('_', '-')

export function problemBody({ kind, detail, errors, members }: Problem, requestId: string) {
  const { status, title } = problemStatuses[kind]
  return {
    type: `urn:tributary:problem:${problemCode(kind)}`,
    title,
    status,
    detail,
    request_id: requestId,
    errors,
    ...members,
  }
}

const isOfFeed = ({ request }: RequestRecord): boolean => pathOf(request.url).startsWith('/odata/')

/** OData error (JSON Format 4.0, section 19). Excel and Power BI show only the message, so it contains every detail. */
function feedError(problem: Problem, status: number, { id, request }: RequestRecord): Response {
  const details = problem.errors.map(({ parameter, code, detail }) => ({
    code,
    target: parameter,
    message: `${parameter} ${detail}`,
  }))
  const message = [problem.detail, ...details.map(detail => detail.message)].join(' ')
  const error = { code: problem.kind, message, details, innererror: { request_id: id } }
  const headers = headersOf(problem, request.method)
  headers.set('Content-Type', feedType)
  headers.set('OData-Version', '4.0')
  return new Response(JSON.stringify({ error }), { status, headers })
}

function headersOf({ retryAfterSeconds, allow, accept, challenge, quota }: Problem, method: string): Headers {
  const headers = new Headers({ 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' })
  if (retryAfterSeconds !== undefined) headers.set('Retry-After', String(retryAfterSeconds))
  if (allow !== undefined) headers.set('Allow', allow.join(', '))
  // RFC 9110, section 15.5.16, and RFC 5789, section 2.2.
  if (accept !== undefined) headers.set(method === 'PATCH' ? 'Accept-Patch' : 'Accept', accept)
  if (challenge !== undefined) headers.set('WWW-Authenticate', challenges[challenge])
  if (quota !== undefined) for (const [name, value] of Object.entries(quotaHeaders(quota))) headers.set(name, value)
  return headers
}

const challenges = { api_key: 'Basic realm="tributary", charset="UTF-8"', admin_token: 'Bearer realm="tributary"' }

const unavailable = {
  lost: 'The service cannot reach its database at the moment.',
  slow: 'The database took too long to respond.',
  busy: 'The database is busy.',
}

/** The text that callers get while the database is unavailable. */
export const unavailableDetail = (reason: keyof typeof unavailable): string =>
  `${unavailable[reason]} Try again in a few seconds.`

/** Hides errors that are not Problems, because their messages can contain anything. */
function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const passing = findPassingError(error)
  if (passing !== undefined) {
    return new Problem('unavailable', {
      detail: unavailableDetail(passing.kind),
      retryAfterSeconds: 5,
      internal: passing.kind === 'slow' ? 'statement_timeout' : `database_${passing.code}`,
      cause: error,
    })
  }
  if (error instanceof UnknownQuestionKind)
    return new Problem('unavailable', {
      detail: `The program has a question of the kind ${error.unknown}, which this release does not support. Ask the operator to finish upgrading every instance of the service.`,
      retryAfterSeconds: 60,
      internal: 'unknown_question_kind',
      cause: error,
    })
  return new Problem('internal', {
    detail: 'Something went wrong. Contact the operator and quote the request_id.',
    cause: error,
  })
}

/** Handler for unsupported methods of an address (contract D25). */
export function methodNotAllowed(allowed: readonly string[]): (context: { request: Request }) => Response {
  return ({ request }) => {
    const problem = new Problem('method_not_allowed', {
      detail: `${request.method} is not supported at this address. Use ${allowed.join(' or ')}.`,
      allow: allowed,
    })
    return problemResponse(problem, recordOf(request))
  }
}
