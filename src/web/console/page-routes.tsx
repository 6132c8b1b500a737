// Serves the pages of the console: loads the session or redirects to sign-in, checks role, origin and CSRF token, and shows errors as
// pages. No form input is lost: a form sent in an expired session is shown again, and one that requires a password continues once the
// password is entered.

/** @jsxImportSource preact */

import { Elysia } from 'elysia'
import { Problem } from '../../base/problem.ts'
import { actorOf, requireRole } from '../../core/people/roles.ts'
import { isConfirmed, isCsrf } from '../../core/people/sessions.ts'
import { changedThere, findOrigin } from '../../db/origin.ts'
import { htmlResponse } from '../html/html-response.ts'
import { emptyForm } from '../html/page-context.ts'
import { preferredType } from '../http/headers/negotiation.ts'
import { requireOwnOrigin } from '../http/headers/own-origin.ts'
import { readAddress } from '../http/headers/sent-text.ts'
import { loadSignedIn } from '../http/headers/session-cookie.ts'
import { hiddenRoute } from '../http/openapi/route-detail.ts'
import type { Deps } from '../http/server/deps.ts'
import { methodNotAllowed, problemResponse } from '../http/server/errors.ts'
import { recordOf } from '../http/server/request-record.ts'
import { ProblemPage } from './problem-page.tsx'
import { type GuardedRoute, type PageRoute, type Shown, showForm } from './requests/action.ts'
import { type OpenRequest, openRequest, type PageRequest, redirect, showPage } from './requests/console-request.ts'
import { readForm } from './requests/read-form.ts'
import { signedInContext } from './signed-in-context.ts'
import { confirmFirst, signInFirst, takeOwnFields } from './signing-in/kept-forms.tsx'
import { mustSetUp, secondFactorPath, setUpFirst } from './signing-in/second-factor-routes.tsx'

const formBytesMax = 64 * 1024

/** These routes, with HEAD alongside GET and an error response for every other method. */
export function pageRoutes(deps: Deps, pages: readonly PageRoute[]) {
  const routes = new Elysia({ name: 'console' })
  const methods = new Map<string, string[]>()
  for (const page of pages) {
    const answer = (context: { request: Request; params?: Readonly<Record<string, string | null>> }) =>
      enter(deps, page, context.request, context.params)
    const offered = methods.get(page.path) ?? []
    methods.set(page.path, offered)
    if (page.method === 'GET') {
      routes.get(page.path, answer, hiddenRoute).head(page.path, answer, hiddenRoute)
      offered.push('GET', 'HEAD')
    } else {
      routes.post(page.path, answer, hiddenRoute)
      offered.push('POST')
    }
  }
  for (const [path, offered] of methods) routes.all(path, methodNotAllowed(offered), hiddenRoute)
  return routes
}

async function enter(
  deps: Deps,
  page: PageRoute,
  request: Request,
  params: Readonly<Record<string, string | null>> | undefined,
): Promise<Response> {
  const { request: pageRequest, secure } = openRequest(deps, request)
  try {
    pageRequest.params = readAddress(pageRequest.url, params)
    if (!secure)
      throw new Problem('forbidden', {
        detail: 'The console requires HTTPS. Open its https:// address.',
        internal: 'plain_http',
      })
    pageRequest.session = await loadSignedIn(deps, request, pageRequest.https)
    if (pageRequest.session !== undefined) {
      const origin = await findOrigin(deps.consoleDb)
      pageRequest.context = { ...signedInContext(deps, pageRequest.context, pageRequest.session), origin }
    }
    if (page.method === 'POST') requireOwnOrigin(pageRequest)
    if (page.roles !== 'anyone') return await respond(pageRequest, await enterGuarded(deps, page, pageRequest))
    if (page.method === 'POST') pageRequest.form = await readForm(request, page.bodyBytesMax ?? formBytesMax)
    return await respond(pageRequest, await page.answer(pageRequest))
  } catch (error) {
    return refusal(error, pageRequest)
  }
}

async function enterGuarded(deps: Deps, page: GuardedRoute, stranger: OpenRequest): Promise<Shown> {
  const { session, url, request, context } = stranger
  const bytesMax = page.bodyBytesMax ?? formBytesMax
  const here = encodeURIComponent(url.pathname + url.search)
  if (session === undefined) {
    if (page.method === 'GET') return redirect(stranger, `/admin/sign-in?next=${here}`)
    if (!wantsPage(stranger)) throw new Problem('unauthenticated', { detail: signedOut, internal: 'no_session' })
    return signInFirst(deps, stranger, { isTyped: page.again !== undefined })
  }
  if (mustSetUp(deps, session, page.path)) {
    if (page.method === 'GET') return redirect(stranger, secondFactorPath)
    throw setUpFirst()
  }
  const { person } = session
  requireRole(person, page.roles)
  if (page.editsPrograms && context.origin !== undefined)
    throw changedThere(context.origin, 'Programs are created, edited and published')
  const pageRequest = Object.assign(stranger, {
    session,
    person,
    token: undefined,
    by: { actor: actorOf(person), address: stranger.address, now: stranger.now },
  })
  const confirms = page.confirmed === true && !isConfirmed(session, pageRequest.now)
  if (page.method === 'GET')
    return confirms ? redirect(pageRequest, `/admin/confirm?next=${here}`) : page.answer(pageRequest)
  try {
    pageRequest.form = await readForm(request, bytesMax, page.takesFiles && pageRequest.files)
  } catch (error) {
    if (page.tooLarge === undefined || !(error instanceof Problem) || error.kind !== 'too_large') throw error
    return page.tooLarge(pageRequest)
  }
  const own = takeOwnFields(pageRequest.form)
  if (!isCsrf(session, pageRequest.form.get('csrf'))) return showAgain(page, pageRequest)
  const asked = confirms ? await confirmFirst(deps, pageRequest, own) : undefined
  return asked ?? page.answer(pageRequest)
}

const signedOut = 'You are signed out, so nothing was changed. Sign in and try again.'

const respond = async (request: OpenRequest, shown: Shown): Promise<Response> =>
  shown instanceof Response ? shown : showPage(request, shown)

/** A form whose session has ended, shown with what was typed so that it can be sent in the current session. Only to the person who typed it. */
function showAgain({ again }: GuardedRoute, request: PageRequest): Promise<Response> {
  const typedBy = request.form.get('typed_by')
  if (again !== undefined && typedBy === String(request.person.person_id)) {
    request.context = { ...request.context, shownAgain: true }
    return showForm(request, { values: request.form, errors: [] }, again)
  }
  const others = typedBy !== null && typedBy !== String(request.person.person_id)
  throw new Problem('forbidden', {
    detail: others
      ? 'Someone else filled in this form, so nothing was changed and their input isn’t shown. You are signed in.'
      : 'This form belongs to an earlier session, so nothing was changed. Reload the page and submit it again.',
    internal: 'csrf',
  })
}

/** Whether the client reads HTML pages rather than problem documents. */
const wantsPage = ({ request }: OpenRequest): boolean =>
  preferredType(request.headers.get('accept'), ['text/html', 'application/json']) !== 'application/json'

/** The error, as a page for people and as a problem document for software. */
async function refusal(error: unknown, request: OpenRequest): Promise<Response> {
  const response = problemResponse(error, recordOf(request.request))
  if (!wantsPage(request)) return response
  const problem = (await response.json()) as { detail: string; request_id: string }
  const fields = Object.fromEntries(
    [...response.headers].filter(([name]) => !/^content-|^cache-control$|^www-authenticate$/i.test(name)),
  )
  const next = request.request.method === 'GET' ? request.url.pathname + request.url.search : undefined
  const { status } = response
  // Items needing attention aren't read: this page is also shown when the database doesn't respond.
  const context = { ...request.context, form: emptyForm, loadMarks: undefined }
  return htmlResponse(
    context,
    <ProblemPage {...problem} status={status} pathname={request.url.pathname} next={next} />,
    status,
    fields,
  )
}
