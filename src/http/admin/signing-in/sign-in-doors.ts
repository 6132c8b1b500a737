// Signing in and out, choosing a password from a link, asking for the password again, and one's own account.

import { acceptInvitation, changePassword } from '../../../access/people.ts'
import { confirmSession, endSession } from '../../../access/sessions.ts'
import { hashToken } from '../../../access/sign-in-tokens.ts'
import { readSessionsOf } from '../../../db/console-sessions.ts'
import { findInvited } from '../../../db/person-rows.ts'
import { Problem, type ProblemItem } from '../../../problem.ts'
import type { Deps } from '../../deps.ts'
import { htmlResponse } from '../../shell/html-response.ts'
import { everyRole } from '../../shell/navigation.ts'
import {
  type ConsoleDoor,
  cookieOf,
  deedOf,
  faultsOf,
  nextPath,
  type OpenVisit,
  redirect,
  type Visit,
} from '../console-doors.ts'
import { SignedInPage } from './kept-form-pages.tsx'
import { oidcDoors } from './oidc-doors.ts'
import { AccountPage, ConfirmPage, PasswordPage, SignInPage } from './sign-in-pages.tsx'
import { startSession, tryPassword, waysOf } from './sign-in-steps.ts'

/** The fault of an e-mail and a password that do not go together. Which of the two is wrong is not said. */
export const wrongPair: ProblemItem = {
  parameter: 'email',
  code: 'wrong_email_or_password',
  detail: 'This e-mail and password do not go together. Check both, or ask an administrator for a new link.',
}
export const wrongPassword: ProblemItem = {
  parameter: 'password',
  code: 'wrong_password',
  detail: 'This is not your password.',
}

export function signInDoors(deps: Deps): ConsoleDoor[] {
  const { consoleDb: db } = deps

  const ways = waysOf(deps.config)

  /** Throws where people sign in at their provider alone. */
  const requirePasswords = (): void => {
    if (!ways.password)
      throw new Problem('forbidden', {
        detail: 'People of this installation sign in without a password.',
        internal: 'passwords_off',
      })
  }

  const signIn = async (visit: OpenVisit): Promise<Response> => {
    requirePasswords()
    const { form } = visit
    const email = form.get('email') ?? ''
    const who = await tryPassword(deps, visit, email, form.get('password') ?? '')
    if (who !== undefined) return startSession(deps, visit, { ...who, how: 'password' }, nextPath(form.get('next')))
    return htmlResponse(SignInPage({ context: visit.context, ways, form: { values: form, faults: [wrongPair] } }), 401)
  }

  const showInvitation = async (visit: OpenVisit): Promise<Response> => {
    // Without passwords, the link of an invitation leads to the sign-in page.
    if (!ways.password) return redirect(visit, '/admin/sign-in')
    const invited = await findInvited(db, hashToken(visit.params.token!), visit.now)
    if (invited === undefined)
      throw new Problem('not_found', {
        detail: 'This link has been used, replaced or has expired. Ask an administrator for another.',
      })
    return htmlResponse(PasswordPage({ context: visit.context, person: invited, faults: [] }))
  }

  const takeInvitation = async (visit: OpenVisit): Promise<Response> => {
    requirePasswords()
    const token = visit.params.token!
    try {
      const { password, repeated } = passwords(visit)
      if (password !== repeated) throw notTheSame
      const person = await acceptInvitation(db, token, password, visit)
      return await startSession(deps, visit, { ...person, how: 'invitation' }, '/admin')
    } catch (error) {
      const faults = faultsOf(error)
      const invited = await findInvited(db, hashToken(token), visit.now)
      if (invited === undefined) throw error
      return htmlResponse(PasswordPage({ context: visit.context, person: invited, faults }), 400)
    }
  }

  const confirm = async (visit: Visit): Promise<Response> => {
    requirePasswords()
    const { form, person } = visit
    if ((await tryPassword(deps, visit, person.email, form.get('password') ?? '')) !== undefined) {
      await confirmSession(db, visit.session, visit.now)
      return redirect(visit, nextPath(form.get('next')))
    }
    return htmlResponse(
      ConfirmPage({ context: visit.context, ways, next: nextPath(form.get('next')), faults: [wrongPassword] }),
      401,
    )
  }

  const account = async (visit: Visit, faults: readonly ProblemItem[] = [], status = 200): Promise<Response> => {
    const { person, now } = visit
    const idleSince = now - deps.config.sessionIdleMs * 1000
    const sessions = await readSessionsOf(db, person.person_id, now, idleSince)
    const changed = visit.url.searchParams.get('done') === 'password'
    return htmlResponse(AccountPage({ context: visit.context, ways, person, sessions, faults, changed }), status)
  }

  const newPassword = async (visit: Visit): Promise<Response> => {
    requirePasswords()
    const { person, session } = visit
    try {
      const known = await tryPassword(deps, visit, person.email, visit.form.get('current') ?? '')
      if (known === undefined)
        throw new Problem('invalid_request', { detail: '', errors: [{ ...wrongPassword, parameter: 'current' }] })
      const { password, repeated } = passwords(visit)
      if (password !== repeated) throw notTheSame
      await changePassword(db, person, { password, earlier: known.password_hash }, deedOf(visit), session.tokenHash)
      return redirect(visit, '/admin/account?done=password')
    } catch (error) {
      return account(visit, faultsOf(error), 400)
    }
  }

  const signOut = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    const wanted = { everywhere: form.get('everywhere') === 'yes', tokens: form.get('tokens') === 'yes' }
    await endSession(db, visit.session, visit.address, wanted)
    return redirect(visit, '/admin/sign-in', cookieOf(visit, undefined))
  }

  return [
    {
      method: 'GET',
      path: '/admin/sign-in',
      roles: 'anyone',
      answer: visit =>
        visit.session === undefined
          ? htmlResponse(
              SignInPage({ context: visit.context, ways, form: { values: visit.url.searchParams, faults: [] } }),
            )
          : redirect(visit, nextPath(visit.url.searchParams.get('next'))),
    },
    { method: 'POST', path: '/admin/sign-in', roles: 'anyone', answer: signIn },
    { method: 'POST', path: '/admin/sign-out', roles: everyRole, answer: signOut },
    { method: 'GET', path: '/admin/invitations/:token', roles: 'anyone', answer: showInvitation },
    { method: 'POST', path: '/admin/invitations/:token', roles: 'anyone', answer: takeInvitation },
    {
      method: 'GET',
      path: '/admin/confirm',
      roles: everyRole,
      answer: visit =>
        htmlResponse(
          ConfirmPage({ context: visit.context, ways, next: nextPath(visit.url.searchParams.get('next')), faults: [] }),
        ),
    },
    { method: 'POST', path: '/admin/confirm', roles: everyRole, answer: confirm },
    {
      method: 'GET',
      path: '/admin/signed-in',
      roles: everyRole,
      answer: ({ context }) => htmlResponse(SignedInPage({ context })),
    },
    { method: 'GET', path: '/admin/account', roles: everyRole, answer: visit => account(visit) },
    { method: 'POST', path: '/admin/account/password', roles: everyRole, answer: newPassword },
    ...oidcDoors(deps),
  ]
}

const passwords = ({ form }: OpenVisit) => ({
  password: form.get('password') ?? '',
  repeated: form.get('repeated') ?? '',
})

const notTheSame = new Problem('invalid_request', {
  detail: 'The two passwords differ.',
  errors: [{ parameter: 'repeated', code: 'differs', detail: 'Write the same password twice.' }],
})
