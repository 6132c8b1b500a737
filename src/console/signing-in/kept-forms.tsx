// What becomes of a form that was sent when its session had ended, or when it is first asked who one is: its fields go along through that
// page, hidden, and back to where they were sent. A form of an ended session is then shown, to be sent again, because it may be another
// person who signs in; one that waited for a password only is done immediately.

/** @jsxImportSource preact */

import { emptyForm } from '../../html/page-context.ts'
import type { Deps } from '../../http/server/deps.ts'
import { confirmSession } from '../../people/sessions.ts'
import { Problem, type ProblemItem } from '../../problem.ts'
import { readForm } from '../requests/read-form.ts'
import { nextPath, type OpenVisit, type PageVisit, showPage } from '../requests/visit.ts'
import { ConfirmFirstPage, type KeptForm, SignInFirstPage } from './kept-form-pages.tsx'
import { SignInPage } from './sign-in-pages.tsx'
import { wrongPair, wrongPassword } from './sign-in-routes.tsx'
import { startSession, tryPassword, waysOf } from './sign-in-steps.ts'

/** What these pages ask for; no other form has fields of these names. */
const ownNames = [
  'sign_in_email',
  'sign_in_password',
  'sign_in_code',
  'confirm_password',
  'confirm_code',
  'signed_in',
] as const
type OwnFields = Partial<Record<(typeof ownNames)[number], string>>

/** Takes the fields of these pages out of a form, and gives them. */
export function takeOwnFields(form: URLSearchParams): OwnFields {
  const own: OwnFields = {}
  for (const name of ownNames) {
    const value = form.get(name)
    if (value !== null) own[name] = value
    form.delete(name)
  }
  return own
}

/** Passwords go through no page: they are typed again. */
const secrets: ReadonlySet<string> = new Set(['current', 'password', 'repeated', 'code'])

/** What strangers may have the service hold and send back. */
const keptBytesMax = 256 * 1024
const keptFieldsMax = 5000

const keptOf = ({ url }: OpenVisit, form: URLSearchParams | undefined): KeptForm => ({
  action: url.pathname + url.search,
  fields: form === undefined ? undefined : [...form].filter(([name]) => !secrets.has(name)),
})

/** What a page is made with that says what was wrong: at the field given, or at the error's own. */
function faulty({ context }: OpenVisit, error: ProblemItem | undefined, parameter = error?.parameter ?? 'content') {
  return {
    context: { ...context, form: { ...emptyForm, errors: error === undefined ? [] : [{ ...error, parameter }] } },
  }
}

/**
 * Answers a form that was sent without a session: with a page to sign in that keeps its fields; and that page, sent with the right
 * password, by having the browser send the same once more, in the session that it has then.
 */
export async function signInFirst(
  deps: Deps,
  visit: OpenVisit,
  { bytesMax, keeps }: { bytesMax: number; keeps: boolean },
): Promise<Response> {
  const { request, url } = visit
  const ways = waysOf(deps.config)
  if (!keeps) {
    return showPage(faulty(visit, signedOut), <SignInPage ways={ways} next={pageOf(visit)} />, 401)
  }
  const form = await readKept(request, Math.min(bytesMax, keptBytesMax))
  const own = form === undefined ? {} : takeOwnFields(form)
  const { sign_in_email: email = '', sign_in_password: password } = own
  const kept = keptOf(visit, form)
  const page = (error: ProblemItem | undefined, status = 401, fields: Record<string, string> = {}) => {
    const shown = faulty(visit, error, 'sign_in_email')
    return showPage(shown, <SignInFirstPage ways={ways} kept={kept} email={email} />, status, fields)
  }
  if (password === undefined || password === '' || !ways.password)
    return page(own.signed_in === undefined ? undefined : { ...signedOut, detail: 'You are not signed in yet.' })
  return tryAgainLater(page, async () => {
    const who = await tryPassword(deps, visit, email, password, own.sign_in_code ?? '')
    if (who === undefined) return page(wrongPair)
    const { headers } = await startSession(deps, visit, { ...who, how: 'password' }, url.pathname + url.search)
    return new Response(null, { status: 307, headers })
  })
}

/** The form, or undefined when it is too large to be kept. */
async function readKept(request: Request, bytesMax: number): Promise<URLSearchParams | undefined> {
  try {
    const form = await readForm(request, bytesMax)
    return form.size > keptFieldsMax ? undefined : form
  } catch (error) {
    if (error instanceof Problem && error.kind === 'too_large') return undefined
    throw error
  }
}

/** Asks for the password before a form is taken, and keeps it in the meantime; undefined once the password is right. */
export async function confirmFirst(deps: Deps, visit: PageVisit, own: OwnFields): Promise<Response | undefined> {
  const { form, person, session, now } = visit
  const ways = waysOf(deps.config)
  const { confirm_password: password } = own
  const kept = keptOf(visit, form)
  const page = (error: ProblemItem | undefined, status: number, fields: Record<string, string> = {}) => {
    const shown = faulty(visit, error, 'confirm_password')
    return showPage(shown, <ConfirmFirstPage ways={ways} kept={kept} />, status, fields)
  }
  if (password === undefined || !ways.password) return page(undefined, 403)
  return tryAgainLater(page, async () => {
    const shown = await tryPassword(deps, visit, person.email, password, own.confirm_code ?? '')
    if (shown === undefined) return page(wrongPassword, 401)
    await confirmSession(deps.consoleDb, session, now)
    return undefined
  })
}

/** A refusal that is only for now leaves the form on its page. */
async function tryAgainLater<T>(
  page: (error: ProblemItem, status: number, fields: Record<string, string>) => Promise<Response>,
  attempt: () => Promise<T>,
): Promise<T | Response> {
  try {
    return await attempt()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { kind, detail, retryAfterSeconds } = error
    if (kind !== 'rate_limited' && kind !== 'unavailable') throw error
    const later: Record<string, string> =
      retryAfterSeconds === undefined ? {} : { 'Retry-After': `${retryAfterSeconds}` }
    return page({ parameter: 'content', code: kind, detail }, kind === 'rate_limited' ? 429 : 503, later)
  }
}

const signedOut: ProblemItem = {
  parameter: 'email',
  code: 'signed_out',
  detail: 'Your session had ended, so nothing was changed.',
}

/** The page that a form was on, from the browser's Referer; otherwise the start page. */
function pageOf({ request, place }: OpenVisit): string {
  const { origin, pathname, search } = new URL(request.headers.get('referer') ?? 'about:blank')
  if (origin !== new URL(place.baseUrl).origin || !pathname.startsWith(place.root)) return nextPath(null)
  return nextPath(pathname.slice(place.root.length) + search)
}
