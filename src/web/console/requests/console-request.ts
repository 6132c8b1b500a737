// A request to the console: who sent it, from where, and its contents. Pages and API share it.

import type { VNode } from 'preact'
import type { AuditContext } from '../../../core/audit/record-action.ts'
import type { TokenHolder } from '../../../core/people/admin-tokens.ts'
import type { Person } from '../../../core/people/roles.ts'
import type { Session } from '../../../core/people/sessions.ts'
import { addressText } from '../../../domain/values/ip-address.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import { htmlResponse } from '../../html/html-response.ts'
import { type PageContext, pageContext } from '../../html/page-context.ts'
import { sessionCookie } from '../../http/headers/session-cookie.ts'
import type { Deps } from '../../http/server/deps.ts'
import { type Place, placeOf } from '../../http/server/place.ts'
import { recordOf } from '../../http/server/request-record.ts'
import type { SentFiles } from './read-form.ts'

/** A request without a session. */
export interface OpenRequest {
  request: Request
  url: URL
  /** The parts of the path by name; never undefined for a name in the path. */
  params: Readonly<Record<string, string>>
  /** The fields of a sent form; empty for GET, and in the API. */
  form: URLSearchParams
  /** The files of a form, where its route takes any. */
  files: SentFiles
  place: Place
  now: Micros
  /** Whether browsers reach the service by HTTPS, which determines the cookie's attributes. */
  https: boolean
  address: string | undefined
  /** The visitor's session, even if none is required. */
  session: Session | undefined
  /** The context for rendering pages. */
  context: PageContext
}

/** A request that the person may make, with their session or one of their tokens. */
export interface ConsoleRequest extends OpenRequest {
  person: Person
  /** Who acts and from where, for the audit log. */
  by: AuditContext
  token: TokenHolder | undefined
}

/** A request for a page, which always has a session. */
export interface PageRequest extends ConsoleRequest {
  session: Session
}

/** The facts of a request before its session is looked up. `secure`: whether it came by HTTPS, or is allowed without it. */
export function openRequest(deps: Deps, request: Request): { request: OpenRequest; secure: boolean } {
  const { config } = deps
  const now = deps.now()
  const record = recordOf(request)
  const { address, secure } = record.origin
  if (address !== undefined) record.fields.address = addressText(address)
  const place = placeOf(config, request)
  const url = new URL(request.url)
  const pageRequest: OpenRequest = {
    request,
    url,
    params: {},
    form: new URLSearchParams(),
    files: new Map(),
    place,
    now,
    https: place.baseUrl.startsWith('https:'),
    address: record.fields.address,
    session: undefined,
    context: pageContext(place, config, request, now),
  }
  return { request: pageRequest, secure }
}

/** A page, with what is known about the request; 400 or 409 if it is a form shown again. */
export const showPage = (
  { context }: Pick<OpenRequest, 'context'>,
  page: VNode,
  status = 200,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> => htmlResponse({ ...context, isRefused: status === 400 || status === 409 }, page, status, fields)

/** Redirects to the page that shows the result, with 303, so that reloading that page does not repeat the action. */
export function redirect(
  { place }: Pick<OpenRequest, 'place'>,
  path: string,
  fields: Readonly<Record<string, string>> = {},
): Response {
  return new Response(null, {
    status: 303,
    headers: { Location: place.root + path, 'Cache-Control': 'no-store', ...fields },
  })
}

/** The cookie of a session, or with undefined a cookie that removes it. */
export const cookieOf = (request: Pick<OpenRequest, 'https'>, token: string | undefined): Record<string, string> => ({
  'Set-Cookie': sessionCookie(token, request.https),
})

/** The path if it belongs to the console or the docs, otherwise the start page; percent-encoded as in addresses. */
export function nextPath(text: string | null): string {
  if (text === null || !/^\/(?:admin|docs\/api)(?:[/?][^\\\p{Cc}]*)?$/u.test(text)) return '/admin'
  return text.toWellFormed().replace(/[^!-~]+/g, encodeURIComponent)
}
