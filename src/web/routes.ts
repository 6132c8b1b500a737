// All routes, and the checks, deadlines, headers and log lines that every request has in common. Opens no connections.

import { Elysia } from 'elysia'
import { Problem } from '../base/problem.ts'
import { spanKinds, underSpan } from '../base/tracing/span.ts'
import { originOf } from '../core/keys/client-address.ts'
import { RefusalNotes } from '../core/keys/refusal-notes.ts'
import type { Micros } from '../domain/values/offset-time.ts'
import { applicationStatus } from './http/applications/application-status.ts'
import { checkAuth } from './http/applications/check-auth.ts'
import { listPrograms } from './http/applications/list-programs.ts'
import { readApplications } from './http/applications/read-applications.ts'
import { exportApplications } from './http/export/export-applications.ts'
import { exportChanges } from './http/export/export-changes.ts'
import { exportReceipt } from './http/export/export-receipt.ts'
import { OwnHost, pathOf } from './http/headers/host.ts'
import { preferredType } from './http/headers/negotiation.ts'
import { intake } from './http/intake/intake.ts'
import { odataFeed } from './http/odata/odata-feed.ts'
import { absentConsole, absentIntake } from './http/server/absent-routes.ts'
import { ClientConnection, idleSecondsOf, type Server } from './http/server/client-connection.ts'
import type { Deps } from './http/server/deps.ts'
import { problemResponse } from './http/server/errors.ts'
import { askedWaitMs, inTime } from './http/server/in-time.ts'
import { isOurError, keepRecord, type RequestCounts, RequestRecord, recordOf } from './http/server/request-record.ts'
import { notAsSent } from './http/server/sent-path.ts'

export type { Deps, Foundation } from './http/server/deps.ts'

/** Handles requests. */
export interface Routes {
  /** `isAsSent`: whether the path in the request is the one that was sent, not normalized by Bun. */
  fetch(request: Request, server: Server, isAsSent: boolean): Response | Promise<Response>
  /** Every route, for tests of rules that apply to all of them. */
  list(): Promise<{ method: string; path: string }[]>
}

export function routes(deps: Deps): Routes {
  const { config, log, now } = deps
  const tls = config.tlsCert !== undefined
  const { exportOnly } = config
  const idleSeconds = idleSecondsOf(config.idleTimeoutMs)
  const ownHost = new OwnHost({ baseUrl: config.baseUrl, tls })
  const refusals = exportOnly ? undefined : new RefusalNotes(deps.consoleDb, log)
  const counts = countsOf(deps)
  const strict = tls || config.trustedProxies.length > 0
  const known = clientRoutes(deps, tls)
  let hasPages = false
  /** Loads and adds the page routes at the first request for one. */
  const addPages = async (): Promise<void> => {
    const { apiDocs, adminConsole, shellAssets } = await import('./lazy-routes.ts')
    const apply = config.apply && !exportOnly ? await import('./lazy-apply.ts') : undefined
    if (hasPages) return
    hasPages = true
    if (apply !== undefined) known.use(apply.applicantPages(deps))
    known
      .use(apiDocs(deps))
      .use(shellAssets())
      .use(exportOnly ? absentConsole() : adminConsole(deps))
      .compile()
  }
  return {
    list: async () => {
      await addPages()
      return known.routes.map(({ method, path }) => ({ method, path }))
    },
    fetch(bunRequest, server, isAsSent) {
      const connection = new ClientConnection(server, bunRequest, idleSeconds)
      const request = ownHost.named(bunRequest)
      const origin = originOf({ peer: connection.address, tls, fields: request.headers }, config)
      const record = new RequestRecord(request, connection, origin, deps.log, counts)
      keepRecord(record)
      record.span = deps.tracer?.begin('request', spanKinds.server, request.headers.get('traceparent'))
      const done = (response: Response): Response | Promise<Response> => {
        if (response.status === 401 && refusals !== undefined) noteRefusal(refusals, record, now())
        if (record.fields.reason !== 'requests_per_minute') return conclude(response, record, strict)
        return Bun.sleep(refusalPauseMs).then(() => conclude(response, record, strict))
      }
      const fail = (error: unknown) => done(problemResponse(error, record))
      try {
        ownHost.require(request)
        if (!isAsSent) throw notAsSent()
        // Synchronous responses are returned without a promise.
        const answered: Response | Promise<Response> = underSpan(record.span, () =>
          hasPages || !pageAddress.test(request.url)
            ? known.fetch(request)
            : addPages().then(() => known.fetch(request)),
        )
        if (!(answered instanceof Promise)) return done(answered)
        return inTime(request, answered, config.responseTimeoutMs + askedWaitMs(request))
          .then(done)
          .catch(fail)
      } catch (error) {
        return fail(error)
      }
    },
  }
}

/** The API routes, and the handler of every error. */
function clientRoutes(deps: Deps, tls: boolean) {
  const { config } = deps
  const asPage = async (request: Request, response: Response): Promise<Response> =>
    (await import('./lazy-routes.ts')).refusalPage(config, request, response)
  // Elysia finds the path by skipping the shortest possible scheme and host. By default these are `https://` and three characters, which
  // misreads `http://api/…`; without `standardHostname` they are those of http, which misreads https.
  return new Elysia({ handler: { standardHostname: tls } })
    .onTransform({ as: 'global' }, ({ request, route }) => {
      recordOf(request).route = route
    })
    .onError(({ error, code, request }) => {
      // Elysia's own error for an unknown address.
      const known = code === 'NOT_FOUND' ? nothingAt(request.url) : error
      const response = problemResponse(known, recordOf(request))
      return wantsPage(request) ? asPage(request, response) : response
    })
    .use(checkAuth(deps))
    .use(exportApplications(deps))
    .use(exportChanges(deps))
    .use(exportReceipt(deps))
    .use(odataFeed(deps))
    .use(listPrograms(deps))
    .use(readApplications(deps))
    .use(applicationStatus(deps))
    .use(config.exportOnly ? absentIntake() : intake(deps))
}

/** Letters, digits and `-._~`, which mean the same with a percent sign (RFC 3986, section 2.3), but not to a router. */
const needlesslyEncoded = /%(?:2[de]|3[0-9]|[46][1-9a-f]|[57][0-9a]|5f|7e)/i

const nothingAt = (url: string): Problem =>
  new Problem('not_found', {
    detail: `No resource exists at this address.${needlesslyEncoded.test(pathOf(url)) ? ' Do not percent-encode letters, digits and - . _ ~ in it.' : ''}`,
  })

/** An address of the docs, the console, the application form or their assets. */
const pageAddress =
  /^[a-z]+:\/\/[^/]*\/(?:(?:docs|admin|apply|assets|swagger|openapi\.json|llms\.txt)(?:[/?#]|$)|[?#]|$)/

/** Whether a browser requests a page. API addresses respond to every client in JSON. */
const wantsPage = ({ url, headers }: Request): boolean =>
  !/^[a-z]+:\/\/[^/]*\/(?:api|intake|odata)(?:[/?#]|$)/.test(url) &&
  preferredType(headers.get('accept'), ['application/json', 'text/html']) === 'text/html'

/**
 * Makes browsers use only HTTPS for a year. Subdomains are excluded because they may not be ours.
 * Browsers ignore it over plain HTTP (RFC 6797, section 8.1), where it is sent too, so that a 401 is the same for every cause (D4).
 */
const strictTransport = 'max-age=31536000'

/** Delay before each 429 of a key over its quota, so that a key that retries immediately does not slow down the others (D23). */
const refusalPauseMs = 100

/** Stores why a request with a key failed, so that administrators can look it up by request ID. */
function noteRefusal(refusals: RefusalNotes, record: RequestRecord, now: Micros): void {
  const { reason, api_key_id = null, address = null } = record.fields
  if (reason === undefined || record.path.startsWith('/admin')) return
  refusals.note({ request_id: record.id, happened_at: now, reason, api_key_id, address, path: record.path })
}

/** Counts requests in the metrics, and those of each key by outcome. */
function countsOf({ metrics, keyRequests }: Pick<Deps, 'metrics' | 'keyRequests'>): RequestCounts {
  if (keyRequests === undefined) return metrics
  return {
    begin: () => metrics.begin(),
    end: request => {
      metrics.end(request)
      if (request.apiKeyId !== undefined) keyRequests.count(request.apiKeyId, keyOutcomeOf(request))
    },
  }
}

/** `complete`, `interrupted`, the reason of a 401, or the status of another error. */
function keyOutcomeOf({ status, outcome, reason }: Parameters<RequestCounts['end']>[0]): string {
  if (status >= 400) return status === 401 ? (reason ?? '401') : String(status)
  return outcome === 'complete' ? 'complete' : outcome === 'failed' ? '500' : 'interrupted'
}

function conclude(answered: Response, record: RequestRecord, strict: boolean): Response {
  const response = record.lengthUnknown ? ofUnknownLength(answered) : answered
  response.headers.set('X-Request-Id', record.id)
  // Browsers must not guess another content type.
  response.headers.set('X-Content-Type-Options', 'nosniff')
  // The router measures the body, and a 304 has none (RFC 9110, section 8.6).
  if (response.status === 304) response.headers.delete('Content-Length')
  if (strict) response.headers.set('Strict-Transport-Security', strictTransport)
  if (!record.streaming) record.finish(response.status, isOurError(response.status) ? 'failed' : 'complete')
  return response
}

/** Adds a body that is never read, because Bun claims a length of 0 without one. Set here because Elysia would read it. */
const ofUnknownLength = (response: Response): Response =>
  new Response(new ReadableStream({ pull() {} }), { status: response.status, headers: response.headers })
