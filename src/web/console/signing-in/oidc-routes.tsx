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
  const wanted = (request: OpenRequest): string => nextPath(request.url.searchParams.get('next'))

  return [
    {
      method: 'GET',
      path: '/admin/sign-in/oidc',
      roles: 'anyone',
      answer: request =>
        request.session === undefined ? leave(request, { next: wanted(request) }) : redirect(request, wanted(request)),
    },
    { method: 'GET', path: callbackPath, roles: 'anyone', answer: comeBack },
    pageAt('/admin/confirm/oidc', accountRoles, request =>
      leave(request, { next: wanted(request), confirms: request.session.tokenHash.toString('base64url') }),
    ),
  ]
}

/** Returns the provider, or throws if none is configured. */
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

/** The routes to the provider and back. */
function oidcSteps(deps: Deps) {
  const { config, consoleDb: db } = deps
  const { oidcName: name } = config
  const required = providerOf(config)

  /** Redirects the browser to the provider. */
  const leave = async (request: OpenRequest, aim: Pick<SignInAttempt, 'next' | 'confirms'>): Promise<Response> => {
    try {
      const { url, attempt } = await required().begin(request.place.baseUrl + callbackPath, aim.confirms !== undefined)
      const cookie = attemptCookie(request, { ...attempt, ...aim, begunAt: request.now }, config.apiKeyPepper)
      const headers = { Location: url, 'Cache-Control': 'no-store', 'Set-Cookie': cookie }
      return new Response(null, { status: 303, headers })
    } catch (error) {
      return away(deps, request, aim, error)
    }
  }

  const comeBack = async (request: OpenRequest): Promise<Response> => {
    required()
    const attempt = attemptOf(request, config.apiKeyPepper)
    const states = request.url.searchParams.getAll('state')
    const response =
      attempt === undefined || states.length !== 1 || states[0] !== attempt.state
        ? await refusal(deps, request, attempt, 400, begunElsewhere)
        : await answer(request, attempt)
    // An attempt ends with the first response, successful or not.
    response.headers.append('Set-Cookie', endOfAttempt(request))
    return response
  }

  const answer = async (request: OpenRequest, attempt: SignInAttempt): Promise<Response> => {
    const refuse = async (reason: string, who: string) => {
      await countRefusal(deps, request, who, { how: 'oidc', reason })
      const detail = `Your “${name}” account has no access to this console. Ask an administrator to invite you.`
      return refusal(deps, request, attempt, 401, detail)
    }
    try {
      const within = Math.ceil((request.now - attempt.begunAt) / 1_000_000)
      const callback = new URL(request.place.baseUrl + callbackPath + request.url.search)
      const vouched = await required().finish(callback, attempt, attempt.confirms === undefined ? undefined : within)
      const found = await findPersonOf(db, vouched, request.address)
      if ('refused' in found) return await refuse(found.refused, vouched.email ?? vouched.subject)
      if (attempt.confirms === undefined) {
        const who = { ...found, how: 'oidc', confirmedAt: shownAt(vouched, request) } as const
        return await startSession(deps, request, who, nextPath(attempt.next))
      }
      const { session } = request
      const same = session?.tokenHash.toString('base64url') === attempt.confirms
      if (session === undefined || !same || session.person.person_id !== found.person_id)
        return await refuse('another_person', found.email)
      await confirmSession(db, session, request.now)
      return redirect(request, nextPath(attempt.next))
    } catch (error) {
      if (error instanceof NotVouched) return refuse(error.message, 'unknown')
      return away(deps, request, attempt, error)
    }
  }

  return { leave, comeBack }
}

/** The page that the attempt started from, with the error at the top. */
function refusal(
  { config }: Deps,
  request: OpenRequest,
  attempt: Pick<SignInAttempt, 'next' | 'confirms'> | undefined,
  status: number,
  detail: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { session } = request
  const ways = waysOf(config)
  const next = nextPath(attempt?.next ?? null)
  const errors = [{ parameter: 'oidc', code: 'not_signed_in', detail }]
  const confirms = attempt?.confirms !== undefined && session !== undefined
  const page = confirms ? <ConfirmPage ways={ways} next={next} /> : <SignInPage ways={ways} next={next} />
  return showPage({ context: { ...request.context, form: { ...emptyForm, errors } } }, page, status, fields)
}

function away(
  deps: Deps,
  request: OpenRequest,
  attempt: Pick<SignInAttempt, 'next' | 'confirms'>,
  error: unknown,
): Promise<Response> {
  if (!(error instanceof ProviderAway)) throw error
  const { config, log } = deps
  log.warn({ issuer: config.oidcIssuer, err: error }, 'OpenID provider unavailable')
  const instead = config.passwordSignIn ? ', or use your password' : ''
  const detail = `“${config.oidcName}” can’t be reached right now. Try again in a minute${instead}.`
  return refusal(deps, request, attempt, 503, detail, { 'Retry-After': '60' })
}

/** When they authenticated at the provider. A provider that doesn't report it may have recognized them for weeks, so the console must ask it to. */
const shownAt = ({ authenticatedAt }: Vouched, { now }: OpenRequest): number => Math.min(authenticatedAt ?? 0, now)
