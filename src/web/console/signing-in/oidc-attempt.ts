// Keeps a sign-in attempt in a sealed cookie for ten minutes while the browser is at the provider. The cookie ties the response to that
// browser, so a link can't sign someone in as another person (RFC 9700, section 4.7).

import type { ProviderAttempt } from '../../../core/people/identity-provider.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import type { OpenRequest } from '../requests/console-request.ts'
import { clearCookie, openCookie, sealCookie } from '../requests/sealed-cookie.ts'

/** An attempt in progress. */
export interface SignInAttempt extends ProviderAttempt {
  next: string
  begunAt: Micros
  /** Hash of the session's token, if its person must authenticate again; undefined for a sign-in. */
  confirms?: string
}

const seconds = 600
/** There is no session to bind it to yet; this distinguishes it from other sealed texts. */
const binding = Buffer.from('sign-in by OpenID Connect')

/** As with the session's cookie: the prefix prevents neighboring hosts from planting one. */
const nameOf = (https: boolean): string => `${https ? '__Host-' : ''}tributary-oidc`
const setting = (https: boolean) => ({ path: '/', https, seconds, sameSite: 'Lax' }) as const

export const attemptCookie = ({ https }: OpenRequest, attempt: SignInAttempt, pepper: string): string =>
  sealCookie(nameOf(https), JSON.stringify(attempt), { ...setting(https), pepper, binding })

export const endOfAttempt = ({ https }: OpenRequest): string => clearCookie(nameOf(https), setting(https))

/** This browser's attempt, unless there is none or it took too long. */
export function attemptOf({ request, https, now }: OpenRequest, pepper: string): SignInAttempt | undefined {
  const text = openCookie(request, nameOf(https), { pepper, binding })
  if (text === undefined) return undefined
  const attempt = JSON.parse(text) as SignInAttempt
  return now - attempt.begunAt < seconds * 1_000_000 ? attempt : undefined
}
