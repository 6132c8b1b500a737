// The console's deeds as JSON, below /admin/api/v1. Each deed is a line of data. What all of them need is done here: who asks (a session
// with the token of its forms, or an administrator's token), the role, the scope, the form of the body, and times as text.

import { Elysia } from 'elysia'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { type Area, loadTokenHolder, requireScope, type TokenHolder, tokenActor } from '../../../access/admin-tokens.ts'
import type { Deed } from '../../../access/deed.ts'
import { actorOf, type Person, requireRole } from '../../../access/roles.ts'
import { isConfirmed, isCsrf, loadSession, type Session } from '../../../access/sessions.ts'
import { schemaFault } from '../../../domain/definitions/schema-faults.ts'
import { formatOffsetTime } from '../../../domain/values/offset-time.ts'
import { SentQuery } from '../../../export/sent-query.ts'
import { invalidRequest, Problem } from '../../../problem.ts'
import type { Deps } from '../../deps.ts'
import { methodNotAllowed, problemResponse } from '../../errors.ts'
import { bodyArrivalMs } from '../../in-time.ts'
import { readPlainJsonBody } from '../../json-body.ts'
import { adminOperation, type DescribedDeed } from '../../openapi/admin-operations.ts'
import { hiddenRoute, routeDetail } from '../../openapi/route-detail.ts'
import { sentParameters } from '../../program-request.ts'
import { recordOf } from '../../request-record.ts'
import { readAddress } from '../../sent-text.ts'
import { readingRoles } from '../../shell/navigation.ts'
import { type OpenVisit, openVisit, requireOwnOrigin, sessionLimits } from '../console-doors.ts'
import { sessionToken } from '../session-cookie.ts'

const apiPath = '/admin/api/v1'

/** A request of somebody who may make it. */
export interface ApiVisit extends Pick<OpenVisit, 'request' | 'url' | 'params' | 'place' | 'now' | 'address'> {
  person: Person
  /** Who does it and from where, for the audit trail. */
  deed: Deed
  /** One of the two is there. */
  session: Session | undefined
  token: TokenHolder | undefined
}

export interface ApiDeed extends DescribedDeed {
  /** As of a door of the console. A token need not be confirmed: it was made in a session that was. */
  confirmed?: boolean
  /** Largest body. 64 KB unless given. */
  bodyBytesMax?: number
  /** A value to be sent as JSON, or a response as it is. */
  answer: (visit: ApiVisit, body: never) => unknown
}

/** A value, which may be read only, or a response that has it already. */
type Sent<T> = Response | Unchanged<T>
type Unchanged<T> = T extends object ? { readonly [Name in keyof T]: Unchanged<T[Name]> } : T

/** A deed whose answer is given its body, and gives its answer, as the schemas say. */
export const deed = <B extends TSchema, A extends TSchema>(
  one: Omit<ApiDeed, 'body' | 'answered' | 'answer'> & {
    body?: B
    answered: A
    answer: (visit: ApiVisit, body: Static<B>) => Sent<Static<A>> | Promise<Sent<Static<A>>>
  },
): ApiDeed => one as ApiDeed

/** The routes of these deeds, with a refusal of every other method and address. */
export function apiRoutes(deps: Deps, deeds: readonly ApiDeed[]) {
  const routes = new Elysia({ name: 'admin-api' })
  const methods = new Map<string, string[]>()
  for (const one of deeds) {
    const path = apiPath + one.path
    const answer = (context: { request: Request; params?: Readonly<Record<string, string | null>> }) =>
      enter(deps, one, context.request, context.params)
    routes.route(one.method, path, answer, { parse: 'none', detail: routeDetail(adminOperation(one)) })
    methods.set(path, [...(methods.get(path) ?? []), one.method])
  }
  for (const [path, offered] of methods) routes.all(path, methodNotAllowed(offered), hiddenRoute)
  const nothing = ({ request }: { request: Request }): Response =>
    problemResponse(new Problem('not_found', { detail: 'There is nothing at this address.' }), recordOf(request))
  // GET too, or the console would answer it with a page, as it does for every other unknown address below /admin.
  return routes.get('/admin/api/*', nothing, hiddenRoute).all('/admin/api/*', nothing, hiddenRoute)
}

/** Most values of a body, and levels of it: a definition of a program is the largest. */
const bodyLimits = { valuesMax: 500_000, depthMax: 1000, arrivalMs: bodyArrivalMs }
const bodyBytesMax = 64 * 1024

async function enter(
  deps: Deps,
  one: ApiDeed,
  request: Request,
  params: Readonly<Record<string, string | null>> | undefined,
): Promise<Response> {
  try {
    const opened = openVisit(deps, request)
    opened.visit.params = readAddress(opened.visit.url, params)
    const visit = await admit(deps, one, opened)
    const query = new SentQuery(sentParameters(request), Object.keys(one.query ?? {}))
    if (query.faults.length > 0) throw query.problem()
    const body =
      one.body === undefined ? undefined : await readBody(request, one.body, one.bodyBytesMax ?? bodyBytesMax)
    const answered = await one.answer(visit, body as never)
    if (answered instanceof Response) return answered
    const status = one.makes ? 201 : 200
    return Response.json(shown(answered ?? {}, deps.config.timeZone), { status, headers: fields })
  } catch (error) {
    return problemResponse(error, recordOf(request))
  }
}

const fields = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', Vary: 'Authorization, Cookie' }

async function admit(
  deps: Deps,
  one: ApiDeed,
  { visit, secure }: { visit: OpenVisit; secure: boolean },
): Promise<ApiVisit> {
  if (!secure)
    throw new Problem('forbidden', { detail: 'The console is reached over HTTPS alone.', internal: 'plain_http' })
  const authorization = visit.request.headers.get('authorization')
  const token = authorization === null ? undefined : await admitToken(deps, visit, authorization)
  const session = authorization === null ? await admitSession(deps, visit, one) : undefined
  const person = (token ?? session!).person
  requireRole(person, one.roles)
  if (token !== undefined && one.scope !== undefined) requireScope(token.scopes, one.scope)
  const { request, url, params, place, now, address } = visit
  const actor = token === undefined ? actorOf(person) : tokenActor(token)
  return { request, url, params, place, now, address, person, session, token, deed: { actor, address, now } }
}

/** Throws Problem `unauthenticated`, or `rate_limited`: for an address from which too many tokens were wrong, and for a busy token. */
async function admitToken(
  deps: Deps,
  { now, address, request }: OpenVisit,
  authorization: string,
): Promise<TokenHolder> {
  const [, text = ''] = /^Bearer +(\S{1,200})$/i.exec(authorization) ?? []
  const holder = await loadTokenHolder(deps.consoleDb, text, { now, address })
  if (holder !== undefined) {
    recordOf(request).fields.admin_token_id = holder.tokenId
    await deps.limits.takeRequest(holder.tokenId, 'token')
    return holder
  }
  const retryAfterSeconds = await deps.failures.countFailure(recordOf(request).origin.address)
  if (retryAfterSeconds === undefined) throw signedOut('bad_admin_token')
  throw new Problem('rate_limited', {
    detail: `Too many failed authentications came from this address. Try again in ${retryAfterSeconds} s.`,
    internal: 'bad_admin_token',
    retryAfterSeconds,
  })
}

async function admitSession(deps: Deps, visit: OpenVisit, one: ApiDeed): Promise<Session> {
  const cookie = sessionToken(visit.request, visit.https)
  const session =
    cookie === undefined ? undefined : await loadSession(deps.consoleDb, cookie, sessionLimits(deps), visit.now)
  if (session === undefined) throw signedOut('no_session')
  if (one.method !== 'GET') {
    requireOwnOrigin(visit)
    if (!isCsrf(session, visit.request.headers.get('x-csrf-token')))
      throw new Problem('forbidden', {
        detail: `A session changes something only with its own X-CSRF-Token, which GET ${apiPath}/session tells.`,
        internal: 'csrf',
      })
  }
  if (one.confirmed && !isConfirmed(session, visit.now))
    throw new Problem('forbidden', {
      detail: 'Show who you are once more, at /admin/confirm, and send this again within ten minutes.',
      internal: 'not_confirmed',
    })
  return session
}

const signedOut = (internal: string): Problem =>
  new Problem('unauthenticated', {
    detail: 'Sign in to the console, or send an administrator’s token: Authorization: Bearer tribat_….',
    internal,
    challenge: 'admin_token',
  })

async function readBody(request: Request, schema: TSchema, bytesMax: number): Promise<unknown> {
  const body = await readPlainJsonBody(request, { ...bodyLimits, bytesMax })
  const faults = Value.Errors(schema, body).flatMap(schemaFault)
  if (faults.length > 0) throw invalidRequest('The body of the request is not what is asked for here.', faults)
  return body
}

/** Rows of the database as they are sent: instants, which are numbers there, as text in the instance's zone. */
function shown(value: unknown, timeZone: string): unknown {
  if (Array.isArray(value)) return value.map(one => shown(one, timeZone))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) =>
      typeof one === 'number' && /_(at|time|until)$/.test(name)
        ? [name, formatOffsetTime(one, timeZone)]
        : [name, shown(one, timeZone)],
    ),
  )
}

/** Who reads in an area, and what a token must be good for to do so. */
export const reads = (area: Area): Pick<ApiDeed, 'roles' | 'scope'> => ({ roles: readingRoles, scope: `${area}:read` })
/** The same of those who change something. */
export const writes = (area: Area): Pick<ApiDeed, 'roles' | 'scope'> => ({
  roles: ['ADMINISTRATOR'],
  scope: `${area}:write`,
})
