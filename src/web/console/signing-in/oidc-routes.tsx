// Signs people in through an OpenID provider, and confirms their identity there.

/** @jsxImportSource preact */

import { Problem } from '../../../base/problem.ts'
import { findPersonOf } from '../../../core/people/identities.ts'
import { IdentityProvider, NotVouched, ProviderAway, type Vouched } from '../../../core/people/identity-provider.ts'
import { confirmSession } from '../../../core/people/sessions.ts'
import { accountRoles } from '../../html/navigation.ts'
import { emptyForm } from '../../html/page-context.ts'
import type { Deps } from '../../http/server/deps.ts'
import { type PageRoute, pageAt } from '../requests/action.ts'
import { nextPath, type OpenRequest, redirect, showPage } from '../requests/console-request.ts'
import { attemptCookie, attemptOf, endOfAttempt, type SignInAttempt } from './oidc-attempt.ts'
import { ConfirmPage, SignInPage } from './sign-in-pages.tsx'
import { countRefusal, startSession, waysOf } from './sign-in-steps.ts'

const callbackPath = '/admin/sign-in/oidc/callback'

export function oidcRoutes(deps: Deps): PageRoute[] {
  const { leave, comeBack } = oidcSteps(deps)
  const wanted = (visit: OpenRequest): string => nextPath(visit.url.searchParams.get('next'))

  return [
    {
      method: 'GET',
      path: '/admin/sign-in/oidc',
      roles: 'anyone',
      answer: visit =>
        visit.session === undefined ? leave(visit, { next: wanted(visit) }) : redirect(visit, wanted(visit)),
    },
    { method: 'GET', path: callbackPath, roles: 'anyone', answer: comeBack },
    pageAt('/admin/confirm/oidc', accountRoles, visit =>
      leave(visit, { next: wanted(visit), confirms: visit.session.tokenHash.toString('base64url') }),
    ),
  ]
}

/** Gives the provider, or throws when none is configured. */
function providerOf({ oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret }: Deps['config']) {
  const provider =
    issuer === undefined || clientId === undefined || clientSecret === undefined
      ? undefined
      : new IdentityProvider({ issuer, clientId, clientSecret })
  return (): IdentityProvider => {
    if (provider === undefined)
      throw new Problem('not_found', {
        detail: 'This installation has no OpenID provider. Sign in with your password.',
      })
    return provider
  }
}

const begunElsewhere =
  'This sign-in was started in another browser or tab, or took longer than ten minutes. Start again.'

/** Off to the provider, and back from it. */
function oidcSteps(deps: Deps) {
  const { config, consoleDb: db } = deps
  const { oidcName: name } = config
  const required = providerOf(config)

  /** Sends the browser to the provider. */
  const leave = async (visit: OpenRequest, aim: Pick<SignInAttempt, 'next' | 'confirms'>): Promise<Response> => {
    try {
      const { url, attempt } = await required().begin(visit.place.baseUrl + callbackPath, aim.confirms !== undefined)
      const cookie = attemptCookie(visit, { ...attempt, ...aim, begunAt: visit.now }, config.apiKeyPepper)
      const headers = { Location: url, 'Cache-Control': 'no-store', 'Set-Cookie': cookie }
      return new Response(null, { status: 303, headers })
    } catch (error) {
      return away(deps, visit, aim, error)
    }
  }

  const comeBack = async (visit: OpenRequest): Promise<Response> => {
    required()
    const attempt = attemptOf(visit, config.apiKeyPepper)
    const states = visit.url.searchParams.getAll('state')
    const response =
      attempt === undefined || states.length !== 1 || states[0] !== attempt.state
        ? await refusal(deps, visit, attempt, 400, begunElsewhere)
        : await answer(visit, attempt)
    // An attempt is over once it was answered, with success or not.
    response.headers.append('Set-Cookie', endOfAttempt(visit))
    return response
  }

  const answer = async (visit: OpenRequest, attempt: SignInAttempt): Promise<Response> => {
    const refuse = async (reason: string, who: string) => {
      await countRefusal(deps, visit, who, { how: 'oidc', reason })
      const detail = `Your “${name}” account has no access to this console. Ask an administrator to invite you.`
      return refusal(deps, visit, attempt, 401, detail)
    }
    try {
      const within = Math.ceil((visit.now - attempt.begunAt) / 1_000_000)
      const callback = new URL(visit.place.baseUrl + callbackPath + visit.url.search)
      const vouched = await required().finish(callback, attempt, attempt.confirms === undefined ? undefined : within)
      const found = await findPersonOf(db, vouched, visit.address)
      if ('refused' in found) return await refuse(found.refused, vouched.email ?? vouched.subject)
      if (attempt.confirms === undefined) {
        const who = { ...found, how: 'oidc', confirmedAt: shownAt(vouched, visit) } as const
        return await startSession(deps, visit, who, nextPath(attempt.next))
      }
      const { session } = visit
      const same = session?.tokenHash.toString('base64url') === attempt.confirms
      if (session === undefined || !same || session.person.person_id !== found.person_id)
        return await refuse('another_person', found.email)
      await confirmSession(db, session, visit.now)
      return redirect(visit, nextPath(attempt.next))
    } catch (error) {
      if (error instanceof NotVouched) return refuse(error.message, 'unknown')
      return away(deps, visit, attempt, error)
    }
  }

  return { leave, comeBack }
}

/** The page that the attempt began on, with what went wrong on top. */
function refusal(
  { config }: Deps,
  visit: OpenRequest,
  attempt: Pick<SignInAttempt, 'next' | 'confirms'> | undefined,
  status: number,
  detail: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { session } = visit
  const ways = waysOf(config)
  const next = nextPath(attempt?.next ?? null)
  const errors = [{ parameter: 'oidc', code: 'not_signed_in', detail }]
  const confirms = attempt?.confirms !== undefined && session !== undefined
  const page = confirms ? <ConfirmPage ways={ways} next={next} /> : <SignInPage ways={ways} next={next} />
  return showPage({ context: { ...visit.context, form: { ...emptyForm, errors } } }, page, status, fields)
}

function away(
  deps: Deps,
  visit: OpenRequest,
  attempt: Pick<SignInAttempt, 'next' | 'confirms'>,
  error: unknown,
): Promise<Response> {
  if (!(error instanceof ProviderAway)) throw error
  const { config, log } = deps
  log.warn({ issuer: config.oidcIssuer, err: error }, 'OpenID provider unavailable')
  const instead = config.passwordSignIn ? ', or use your password' : ''
  const detail = `“${config.oidcName}” can’t be reached right now. Try again in a minute${instead}.`
  return refusal(deps, visit, attempt, 503, detail, { 'Retry-After': '60' })
}

/** When they showed the provider who they are. One that does not say may have known them for weeks: then the console must ask it. */
const shownAt = ({ authenticatedAt }: Vouched, { now }: OpenRequest): number => Math.min(authenticatedAt ?? 0, now)
