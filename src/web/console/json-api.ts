// Serves the console's actions as a JSON API below /admin/api/v1. Checks what they have in common: session with CSRF token or API token,
// role, scope and body schema. Formats times as text.

import { Elysia } from 'elysia'
import type { TObject, TSchema } from 'typebox'
import { invalidRequest, Problem } from '../../base/problem.ts'
import { SentQuery } from '../../core/export/requests/sent-query.ts'
import { loadTokenHolder, requireScope, type TokenHolder, tokenActor } from '../../core/people/admin-tokens.ts'
import { actorOf, requireRole } from '../../core/people/roles.ts'
import { isConfirmed, isCsrf, type Session } from '../../core/people/sessions.ts'
import { errorsListedMax, schemaError } from '../../domain/definitions/schema-errors.ts'
import { checkSchema } from '../../domain/definitions/stepwise-check.ts'
import { formatOffsetTime } from '../../domain/values/offset-time.ts'
import { requireOwnOrigin } from '../http/headers/own-origin.ts'
import { readAddress } from '../http/headers/sent-text.ts'
import { loadSignedIn } from '../http/headers/session-cookie.ts'
import { adminOperation } from '../http/openapi/admin-operations.ts'
import { hiddenRoute, routeDetail } from '../http/openapi/route-detail.ts'
import type { Deps } from '../http/server/deps.ts'
import { methodNotAllowed, problemResponse } from '../http/server/errors.ts'
import { bodyArrivalMs } from '../http/server/in-time.ts'
import { readPlainJsonBody } from '../http/server/json-body.ts'
import { sentParameters } from '../http/server/program-request.ts'
import { recordOf } from '../http/server/request-record.ts'
import { type Action, Later } from './requests/action.ts'
import { type ConsoleRequest, type OpenRequest, openRequest } from './requests/console-request.ts'
import { mustSetUp, setUpFirst } from './signing-in/second-factor-routes.tsx'

const apiPath = '/admin/api/v1'

/** The routes of these actions, and error responses for every other method and address. */
export function jsonApi(deps: Deps, actions: readonly Action[]) {
  const routes = new Elysia({ name: 'admin-api' })
  const methods = new Map<string, string[]>()
  for (const action of actions) {
    const path = apiPath + action.path
    const answer = (context: { request: Request; params?: Readonly<Record<string, string | null>> }) =>
      enter(deps, action, context.request, context.params)
    routes.route(action.method, path, answer, { parse: 'none', detail: routeDetail(adminOperation(action)) })
    methods.set(path, [...(methods.get(path) ?? []), action.method])
  }
  for (const [path, offered] of methods) routes.all(path, methodNotAllowed(offered), hiddenRoute)
  const nothing = ({ request }: { request: Request }): Response =>
    problemResponse(new Problem('not_found', { detail: 'There is no resource at this address.' }), recordOf(request))
  // For GET, too; otherwise the console would respond with a page, as for every other unknown address below /admin.
  return routes.get('/admin/api/*', nothing, hiddenRoute).all('/admin/api/*', nothing, hiddenRoute)
}

/** Maximum number and nesting of values in a body. The largest body is a program's definition. */
const bodyLimits = { valuesMax: 500_000, depthMax: 1000, arrivalMs: bodyArrivalMs }
const bodyBytesMax = 64 * 1024

async function enter(
  deps: Deps,
  action: Action,
  request: Request,
  params: Readonly<Record<string, string | null>> | undefined,
): Promise<Response> {
  try {
    const opened = openRequest(deps, request)
    opened.request.params = readAddress(opened.request.url, params)
    const pageRequest = await admit(deps, action, opened)
    const query = new SentQuery(sentParameters(request), Object.keys(action.query ?? {}))
    if (query.errors.length > 0) throw query.problem()
    const body =
      action.body === undefined ? undefined : await readBody(request, action.body, action.bodyBytesMax ?? bodyBytesMax)
    const answered = await action.run(pageRequest, body as never)
    if (answered instanceof Response) return answered
    if (answered instanceof Later) {
      const headers = { ...fields, Location: pageRequest.place.root + apiPath + answered.path }
      return Response.json(shown(answered.answer, action.later?.answered, deps.config.timeZone), {
        status: 202,
        headers,
      })
    }
    const status = action.makes ? 201 : 200
    return Response.json(shown(answered ?? {}, action.answered, deps.config.timeZone), { status, headers: fields })
  } catch (error) {
    return problemResponse(placedInBody(error, action), recordOf(request))
  }
}

/** An error with JSON Pointers to members of the body (RFC 6901), which forms know by name and commands as options. */
function placedInBody(error: unknown, { body }: Action): unknown {
  if (!(error instanceof Problem) || body === undefined) return error
  const members = (body as Partial<TObject>).properties ?? {}
  const errors = error.errors.map(({ parameter, ...rest }) => {
    if (parameter === undefined) return rest
    const member = parameter.replace(/^--/, '')
    return Object.hasOwn(members, member) ? { path: `/${member}`, ...rest } : { parameter, ...rest }
  })
  return new Problem(error.kind, { ...error, errors })
}

const fields = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', Vary: 'Authorization, Cookie' }

async function admit(
  deps: Deps,
  action: Action,
  { request, secure }: { request: OpenRequest; secure: boolean },
): Promise<ConsoleRequest> {
  if (!secure) throw new Problem('forbidden', { detail: 'The console requires HTTPS.', internal: 'plain_http' })
  const authorization = request.request.headers.get('authorization')
  const token = authorization === null ? undefined : await admitToken(deps, request, authorization)
  const session = authorization === null ? await admitSession(deps, request, action) : undefined
  const person = (token ?? session!).person
  requireRole(person, action.roles)
  if (token !== undefined && action.scope !== undefined) requireScope(token.scopes, action.scope)
  const { address, now } = request
  const actor = token === undefined ? actorOf(person) : tokenActor(token)
  return { ...request, person, session, token, by: { actor, address, now } }
}

/** Throws Problem `unauthenticated`, or `rate_limited` for an address that sent too many wrong tokens, and for a busy token. */
async function admitToken(
  deps: Deps,
  { now, address, request }: OpenRequest,
  authorization: string,
): Promise<TokenHolder> {
  const [, text = ''] = /^Bearer +(\S{1,200})$/i.exec(authorization) ?? []
  const holder = await loadTokenHolder(deps.consoleDb, text, { now, address })
  if (holder !== undefined) {
    const { hasPassword, hasSecondFactor } = holder
    if (mustSetUp(deps, { byPassword: hasPassword && deps.config.passwordSignIn, hasSecondFactor })) throw setUpFirst()
    recordOf(request).fields.admin_token_id = holder.tokenId
    await deps.limits.takeRequest(holder.tokenId, 'token')
    return holder
  }
  const retryAfterSeconds = await deps.failures.countFailure(recordOf(request).origin.address)
  if (retryAfterSeconds === undefined) throw signedOut('bad_admin_token')
  throw new Problem('rate_limited', {
    detail: `Too many failed authentication attempts from this address. Try again in ${retryAfterSeconds} s.`,
    internal: 'bad_admin_token',
    retryAfterSeconds,
  })
}

async function admitSession(deps: Deps, request: OpenRequest, action: Action): Promise<Session> {
  const session = await loadSignedIn(deps, request.request, request.https)
  if (session === undefined) throw signedOut('no_session')
  if (mustSetUp(deps, session)) throw setUpFirst()
  if (action.method !== 'GET') {
    requireOwnOrigin(request)
    if (!isCsrf(session, request.request.headers.get('x-csrf-token')))
      throw new Problem('forbidden', {
        detail: `Changes made with a session need the X-CSRF-Token header. GET ${apiPath}/session returns its value.`,
        internal: 'csrf',
      })
  }
  if (action.confirmed && !isConfirmed(session, request.now))
    throw new Problem('forbidden', {
      detail: 'Confirm your identity at /admin/confirm, then send this request again within ten minutes.',
      internal: 'not_confirmed',
    })
  return session
}

const signedOut = (internal: string): Problem =>
  new Problem('unauthenticated', {
    detail: 'Sign in to the console, or send an API token: Authorization: Bearer tribat_….',
    internal,
    challenge: 'admin_token',
  })

async function readBody(request: Request, schema: TSchema, bytesMax: number): Promise<unknown> {
  const body = await readPlainJsonBody(request, { ...bodyLimits, bytesMax })
  const errors = checkSchema(schema, body)
    .flatMap(found => found.flatMap(schemaError))
    .take(errorsListedMax)
    .toArray()
  if (errors.length > 0) throw invalidRequest('The request body is invalid.', errors)
  return body
}

/** The parts of a schema that contain times. */
interface AnswerForm {
  type?: string
  format?: string
  anyOf?: readonly AnswerForm[]
  items?: AnswerForm
  properties?: Readonly<Record<string, AnswerForm>>
}

/** Converts database rows for the response: times, which are numbers in rows, become text in the instance's time zone. */
function shown(value: unknown, schema: AnswerForm | undefined, timeZone: string): unknown {
  const form = schema?.anyOf?.find(({ type }) => type !== 'null') ?? schema
  if (typeof value === 'number') return form?.format === 'date-time' ? formatOffsetTime(value, timeZone) : value
  if (Array.isArray(value)) return value.map(value => shown(value, form?.items, timeZone))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value)
  return Object.fromEntries(members.map(([name, value]) => [name, shown(value, form?.properties?.[name], timeZone)]))
}
