// Keeps forms that were sent too late. Without a session nothing is read: the browser resends the form when the page is reloaded after
// signing in, and `page-routes` shows it again before anything changes. If the person must confirm their identity first, the fields
// travel through that page as hidden fields.

/** @jsxImportSource preact */

import { Problem, type ProblemItem } from '../../../base/problem.ts'
import { confirmSession } from '../../../core/people/sessions.ts'
import { emptyForm } from '../../html/page-context.ts'
import type { Deps } from '../../http/server/deps.ts'
import { nextPath, type OpenRequest, type PageRequest, showPage } from '../requests/console-request.ts'
import { ConfirmFirstPage, SignInFirstPage } from './kept-form-pages.tsx'
import { SignInPage } from './sign-in-pages.tsx'
import { wrongPassword } from './sign-in-routes.tsx'
import { tryPassword, waysOf } from './sign-in-steps.ts'

/** Fields of the page that confirms an identity; no other form has fields with these names. */
const ownNames = ['confirm_password', 'confirm_code', 'confirmed_there'] as const
type OwnFields = Partial<Record<(typeof ownNames)[number], string>>

/** Removes that page's fields from a form and returns them. */
export function takeOwnFields(form: URLSearchParams): OwnFields {
  const own: OwnFields = {}
  for (const name of ownNames) {
    const value = form.get(name)
    if (value !== null) own[name] = value
    form.delete(name)
  }
  return own
}

/** Pages never contain passwords, so they must be typed again. */
const secrets: ReadonlySet<string> = new Set(['current', 'password', 'repeated', 'code'])

/** The input of a page that shows an error: at the given field, or at the error's own. */
function faulty({ context }: OpenRequest, error: ProblemItem | undefined, parameter = error?.parameter ?? 'content') {
  return {
    context: { ...context, form: { ...emptyForm, errors: error === undefined ? [] : [{ ...error, parameter }] } },
  }
}

/** Responds to a form that was sent without a session. Costs little, whatever was sent, because anyone can send it. */
export function signInFirst(deps: Deps, request: OpenRequest, { isTyped }: { isTyped: boolean }): Promise<Response> {
  if (isTyped) return showPage(request, <SignInFirstPage />, 401)
  return showPage(faulty(request, signedOut), <SignInPage ways={waysOf(deps.config)} next={pageOf(request)} />, 401)
}

/** Asks for the password before a form is accepted, and keeps the form meanwhile; undefined once the password is correct. */
export async function confirmFirst(deps: Deps, request: PageRequest, own: OwnFields): Promise<Response | undefined> {
  const { form, person, session, url, now } = request
  const ways = waysOf(deps.config)
  const { confirm_password: password } = own
  const kept = { action: url.pathname + url.search, fields: [...form].filter(([name]) => !secrets.has(name)) }
  const page = (error: ProblemItem | undefined, status: number, fields: Record<string, string> = {}) => {
    const shown = faulty(request, error, 'confirm_password')
    return showPage(shown, <ConfirmFirstPage ways={ways} kept={kept} />, status, fields)
  }
  if (password === undefined || !ways.password) return page(undefined, 403)
  try {
    const shown = await tryPassword(deps, request, person.email, password, own.confirm_code ?? '')
    if (shown === undefined) return page(wrongPassword, 401)
    await confirmSession(deps.consoleDb, session, now)
    return undefined
  } catch (error) {
    return laterOn(error, page)
  }
}

/** A temporary error leaves the form on its page. */
function laterOn(
  error: unknown,
  page: (error: ProblemItem, status: number, fields: Record<string, string>) => Promise<Response>,
): Promise<Response> {
  if (!(error instanceof Problem)) throw error
  const { kind, detail, retryAfterSeconds } = error
  if (kind !== 'rate_limited' && kind !== 'unavailable') throw error
  const later: Record<string, string> = retryAfterSeconds === undefined ? {} : { 'Retry-After': `${retryAfterSeconds}` }
  return page({ parameter: 'content', code: kind, detail }, kind === 'rate_limited' ? 429 : 503, later)
}

const signedOut: ProblemItem = {
  parameter: 'email',
  code: 'signed_out',
  detail: 'Your session ended, so nothing was changed. Sign in and try again.',
}

/** The page that a form was on, from the browser's Referer; otherwise the start page. */
function pageOf({ request, place }: OpenRequest): string {
  const { origin, pathname, search } = new URL(request.headers.get('referer') ?? 'about:blank')
  if (origin !== new URL(place.baseUrl).origin || !pathname.startsWith(place.root)) return nextPath(null)
  return nextPath(pathname.slice(place.root.length) + search)
}
