// Every route, and what holds for all of them: the host that was named, the path as it was sent, deadlines, headers, and the record that
// the log gets of each request. Opens nothing.

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
import { isOurError, keepRecord, RequestRecord, recordOf } from './http/server/request-record.ts'
import { notAsSent } from './http/server/sent-path.ts'

export type { Deps, Foundation } from './http/server/deps.ts'

/** What answers requests. */
export interface Routes {
  /** `isAsSent`: whether the path was sent as the request shows it. */
  fetch(request: Request, server: Server, isAsSent: boolean): Response | Promise<Response>
  /** Every route, to check what must hold at all of them. */
  list(): Promise<{ method: string; path: string }[]>
}

export function routes(deps: Deps): Routes {
  const { config, log, now } = deps
  const tls = config.tlsCert !== undefined
  const { exportOnly } = config
  const idleSeconds = idleSecondsOf(config.idleTimeoutMs)
  const ownHost = new OwnHost({ baseUrl: config.baseUrl, tls })
  const refusals = exportOnly ? undefined : new RefusalNotes(deps.consoleDb, log)
  const strict = tls || config.trustedProxies.length > 0
  const known = clientRoutes(deps, tls)
  let hasPages = false
  /** Adds the routes for people, which it loads with the first request for one. */
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
    fetch(asked, server, isAsSent) {
      const connection = new ClientConnection(server, asked, idleSeconds)
      const request = ownHost.named(asked)
      const origin = originOf({ peer: connection.address, tls, fields: request.headers }, config)
      const record = new RequestRecord(request, connection, origin, deps.log, deps.metrics)
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
        // What can be answered immediately is answered without a promise.
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

/** The routes for clients of programs, and how each refusal is answered. */
function clientRoutes(deps: Deps, tls: boolean) {
  const { config } = deps
  const asPage = async (request: Request, response: Response): Promise<Response> =>
    (await import('./lazy-routes.ts')).refusalPage(config, request, response)
  // To find the path, Elysia skips the shortest scheme and host there can be. By default these are `https://` and three characters,
  // so `http://api/…` would be misread; with `standardHostname` off they are those of http, so https would be.
  return new Elysia({ handler: { standardHostname: tls } })
    .onTransform({ as: 'global' }, ({ request, route }) => {
      recordOf(request).route = route
    })
    .onError(({ error, code, request }) => {
      // Elysia's own refusal of an address it does not know.
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
    detail: `No resource exists at this address.${needlesslyEncoded.test(pathOf(url)) ? ' Letters, digits and - . _ ~ are written in it as they are, without %.' : ''}`,
  })

/** An address of the docs, the console, or what they are shown with. */
const pageAddress = /^[a-z]+:\/\/[^/]*\/(?:(?:docs|admin|apply|assets)(?:[/?#]|$)|[?#]|$)/

/** Whether a browser asks for a page: not one of the addresses of programs, which answer every client in JSON. */
const wantsPage = ({ url, headers }: Request): boolean =>
  !/^[a-z]+:\/\/[^/]*\/(?:api|intake|odata)(?:[/?#]|$)/.test(url) &&
  preferredType(headers.get('accept'), ['application/json', 'text/html']) === 'text/html'

/**
 * A browser that has been here over HTTPS uses nothing else for a year. Subdomains are not included: they are not ours to decide.
 * Over plain HTTP it is ignored (RFC 6797, section 8.1); it is sent there too, so that a 401 is the same for every cause (D4).
 */
const strictTransport = 'max-age=31536000'

/** How long a key over its quota waits for each refusal, so that one that asks again immediately takes little from the others (D23). */
const refusalPauseMs = 100

/** Why a request with a key was refused is kept for a while, to be looked up by its request id. */
function noteRefusal(refusals: RefusalNotes, record: RequestRecord, now: Micros): void {
  const { reason, api_key_id = null, address = null } = record.fields
  if (reason === undefined || record.path.startsWith('/admin')) return
  refusals.note({ request_id: record.id, happened_at: now, reason, api_key_id, address, path: record.path })
}

function conclude(answered: Response, record: RequestRecord, strict: boolean): Response {
  const response = record.lengthUnknown ? ofUnknownLength(answered) : answered
  response.headers.set('X-Request-Id', record.id)
  // No answer is anything but what it says it is.
  response.headers.set('X-Content-Type-Options', 'nosniff')
  // The router measures the answer to HEAD, and this one has no body to measure (RFC 9110, section 8.6).
  if (response.status === 304) response.headers.delete('Content-Length')
  if (strict) response.headers.set('Strict-Transport-Security', strictTransport)
  if (!record.streaming) record.finish(response.status, isOurError(response.status) ? 'failed' : 'complete')
  return response
}

/** Without a body, Bun would claim a length of 0. This one is never read; it is set here because Elysia would read it. */
const ofUnknownLength = (response: Response): Response =>
  new Response(new ReadableStream({ pull() {} }), { status: response.status, headers: response.headers })
