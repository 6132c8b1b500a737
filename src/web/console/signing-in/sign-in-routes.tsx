// Signs people in and out, lets them choose a password from a link, confirms their identity, and serves their account page.

/** @jsxImportSource preact */

import { invalidRequest, Problem, type ProblemItem } from '../../../base/problem.ts'
import { passwordErrors } from '../../../core/people/passwords.ts'
import { acceptInvitation, changePassword } from '../../../core/people/people.ts'
import { confirmSession, endSession } from '../../../core/people/sessions.ts'
import { hashToken } from '../../../core/people/sign-in-tokens.ts'
import { chooseTimeZone } from '../../../core/people/time-zones.ts'
import { readSessionsOf } from '../../../db/people/console-sessions.ts'
import { findInvited } from '../../../db/people/person-rows.ts'
import { findSecondFactor } from '../../../db/people/second-factor-rows.ts'
import { accountRoles, everyRole } from '../../html/navigation.ts'
import { emptyForm } from '../../html/page-context.ts'
import type { Deps } from '../../http/server/deps.ts'
import { errorsOf, type PageRoute, type Part, pageAt, sentForm } from '../requests/action.ts'
import {
  cookieOf,
  nextPath,
  type OpenRequest,
  type PageRequest,
  redirect,
  showPage,
} from '../requests/console-request.ts'
import { SignedInPage } from './kept-form-pages.tsx'
import { oidcRoutes } from './oidc-routes.tsx'
import { secondFactorRoutes } from './second-factor-routes.tsx'
import { AccountPage, ConfirmPage, PasswordPage, SignInPage } from './sign-in-pages.tsx'
import { requirePasswords, startSession, tryPassword, waysOf } from './sign-in-steps.ts'

/** The error for a wrong email address or password. It doesn't reveal which of them is wrong. */
export const wrongPair: ProblemItem = {
  parameter: 'email',
  code: 'wrong_email_or_password',
  detail: 'The email, password or two-factor code is incorrect. Check them, or ask an administrator for a new link.',
}
export const wrongPassword: ProblemItem = {
  parameter: 'password',
  code: 'wrong_password',
  detail: 'Password or code is incorrect.',
}

export const signInRoutes = (deps: Deps): Part => [
  ...wayIn(deps),
  ...invitationRoutes(deps),
  ...confirmRoutes(deps),
  ...accountRoutes(deps),
  ...secondFactorRoutes(deps),
  ...oidcRoutes(deps),
]

const nextOf = (fields: URLSearchParams): string => nextPath(fields.get('next'))

/** A page with the errors of the form that it shows. */
const withErrors = ({ context }: OpenRequest, errors: readonly ProblemItem[], values = new URLSearchParams()) => ({
  context: { ...context, form: { values, errors } },
})

function wayIn(deps: Deps): PageRoute[] {
  const ways = waysOf(deps.config)

  const signIn = async (request: OpenRequest): Promise<Response> => {
    requirePasswords(deps)
    const { form } = request
    const email = form.get('email') ?? ''
    const who = await tryPassword(deps, request, email, form.get('password') ?? '', form.get('code') ?? '')
    form.delete('code')
    if (who !== undefined) return startSession(deps, request, { ...who, how: 'password' }, nextOf(form))
    const page = <SignInPage ways={ways} next={form.get('next') ?? '/admin'} />
    return showPage(withErrors(request, [wrongPair], form), page, 401)
  }

  const path = '/admin/sign-in'
  return [
    {
      method: 'GET',
      path,
      roles: 'anyone',
      answer: request => {
        const query = request.url.searchParams
        if (request.session !== undefined) return redirect(request, nextOf(query))
        const page = <SignInPage ways={ways} next={query.get('next') ?? '/admin'} />
        return showPage(withErrors(request, [], query), page)
      },
    },
    { method: 'POST', path, roles: 'anyone', answer: signIn },
    {
      method: 'POST',
      path: '/admin/sign-out',
      roles: accountRoles,
      answer: async request => {
        const { form } = request
        const wanted = { everywhere: form.get('everywhere') === 'yes', tokens: form.get('tokens') === 'yes' }
        await endSession(deps.consoleDb, request.session, request.address, wanted)
        return redirect(request, path, cookieOf(request, undefined))
      },
    },
    pageAt('/admin/signed-in', accountRoles, () => <SignedInPage />),
  ]
}

/** Choosing a password from a link. */
function invitationRoutes(deps: Deps): PageRoute[] {
  const { consoleDb: db } = deps

  const find = ({ params, now }: OpenRequest) => findInvited(db, hashToken(params.token!), now)

  const show = async (request: OpenRequest): Promise<Response> => {
    // If passwords are off, an invitation link leads to the sign-in page.
    if (!waysOf(deps.config).password) return redirect(request, '/admin/sign-in')
    const invited = await find(request)
    if (invited === undefined)
      throw new Problem('not_found', {
        detail: 'This link has expired or has already been used or replaced. Ask an administrator for a new one.',
      })
    return showPage(request, <PasswordPage person={invited} />)
  }

  const take = async (request: OpenRequest): Promise<Response> => {
    requirePasswords(deps)
    try {
      const person = await acceptInvitation(db, request.params.token!, newPassword(request), request)
      // The link replaces the password, and nothing else.
      if (await findSecondFactor(db, person.person_id)) return redirect(request, '/admin/sign-in')
      return await startSession(deps, request, { ...person, how: 'invitation' }, '/admin')
    } catch (error) {
      const errors = errorsOf(error)
      const invited = await find(request)
      if (invited === undefined) throw error
      return showPage(withErrors(request, errors), <PasswordPage person={invited} />, 400)
    }
  }

  const path = '/admin/invitations/:token'
  return [
    { method: 'GET', path, roles: 'anyone', answer: show },
    { method: 'POST', path, roles: 'anyone', answer: take },
  ]
}

/** Confirming one's identity again. */
function confirmRoutes(deps: Deps): PageRoute[] {
  const ways = waysOf(deps.config)
  const path = '/admin/confirm'
  return [
    pageAt(path, accountRoles, ({ url }) => <ConfirmPage ways={ways} next={nextOf(url.searchParams)} />),
    {
      method: 'POST',
      path,
      roles: accountRoles,
      answer: async request => {
        requirePasswords(deps)
        const { form, person } = request
        const [password, code] = [form.get('password') ?? '', form.get('code') ?? '']
        if ((await tryPassword(deps, request, person.email, password, code)) === undefined)
          return showPage(withErrors(request, [wrongPassword]), <ConfirmPage ways={ways} next={nextOf(form)} />, 401)
        await confirmSession(deps.consoleDb, request.session, request.now)
        return redirect(request, nextOf(form))
      },
    },
  ]
}

function accountRoutes(deps: Deps): PageRoute[] {
  const { consoleDb: db, config } = deps

  const page = async ({ person, session, now, context }: PageRequest) => {
    const since = { now, idleSince: now - config.sessionIdleMs * 1000 }
    const sessions = await readSessionsOf(db, person.person_id, session.tokenHash, since)
    // Pages never contain passwords.
    context.form = { ...emptyForm, errors: context.form.errors }
    return <AccountPage ways={waysOf(config)} sessions={sessions} timeZone={session.timeZone} />
  }

  return [
    pageAt('/admin/account', accountRoles, page),
    sentForm(
      { path: '/admin/account/time-zone', roles: everyRole },
      ({ person, form, by }) => chooseTimeZone(db, person, form.get('time_zone') ?? '', by),
      { page, next: () => '/admin/account?done=zone', button: true },
    ),
    sentForm(
      { path: '/admin/account/password', roles: accountRoles },
      async request => {
        requirePasswords(deps)
        const { person, session } = request
        const [current, code] = [request.form.get('current') ?? '', request.form.get('code') ?? '']
        const known = await tryPassword(deps, request, person.email, current, code)
        if (known === undefined) throw invalidRequest('', [{ ...wrongPassword, parameter: 'current' }])
        const change = { password: newPassword(request), earlier: known.password_hash }
        await changePassword(db, person, change, request.by, session.tokenHash)
      },
      { page, next: () => '/admin/account?done=password', button: true },
    ),
  ]
}

/** The new password. Throws an error if its repetition differs, together with its other errors. */
function newPassword({ form }: OpenRequest): string {
  const password = form.get('password') ?? ''
  if (password === (form.get('repeated') ?? '')) return password
  const error = { parameter: 'repeated', code: 'differs', detail: 'Enter the same password twice.' }
  throw invalidRequest('The passwords don’t match.', [...passwordErrors(password, { email: '', name: '' }), error])
}
