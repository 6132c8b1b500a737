// The last step of every sign-in: a new session, or a failure that counts against the limit.

import { Problem } from '../../../base/problem.ts'
import type { Config } from '../../../config/all-settings.ts'
import { foldEmail } from '../../../core/people/people.ts'
import { showsSecondFactor } from '../../../core/people/second-factor.ts'
import { beginSession, type SignedIn, verifySignIn } from '../../../core/people/sessions.ts'
import { type AuditEvent, appendAuditEvent } from '../../../db/audit/audit.ts'
import { parseAddress } from '../../../domain/values/ip-address.ts'
import { sessionLimits, sessionToken } from '../../http/headers/session-cookie.ts'
import type { Deps } from '../../http/server/deps.ts'
import { cookieOf, type OpenRequest, redirect } from '../requests/console-request.ts'
import { knownBrowser, rememberBrowser } from '../requests/known-browser.ts'
import { userAgentLengthMax } from './browser-name.ts'

/** The ways to sign in to this installation. */
export interface Ways {
  password: boolean
  /** The display name of the OpenID provider, if one is configured. */
  provider: string | undefined
}

export const waysOf = ({ passwordSignIn, oidcIssuer, oidcName }: Config): Ways => ({
  password: passwordSignIn,
  provider: oidcIssuer === undefined ? undefined : oidcName,
})

/** Throws if people only sign in at their provider. */
export function requirePasswords({ config }: Pick<Deps, 'config'>): void {
  if (!waysOf(config).password)
    throw new Problem('forbidden', {
      detail: 'Passwords are turned off in this installation. Sign in through your OpenID provider.',
      internal: 'passwords_off',
    })
}

/** Signs a person in, ends the browser's previous session, and redirects. */
export async function startSession(
  deps: Deps,
  request: OpenRequest,
  who: Pick<Parameters<typeof beginSession>[1], 'person_id' | 'email' | 'password_hash' | 'how' | 'confirmedAt'>,
  next: string,
): Promise<Response> {
  const earlier = sessionToken(request.request, request.https)
  const userAgent = request.request.headers.get('user-agent')?.slice(0, userAgentLengthMax)
  const opened = { ...who, address: request.address, userAgent }
  const token = await beginSession(deps.consoleDb, opened, sessionLimits(deps), request.now, earlier)
  const response = redirect(request, next, cookieOf(request, token))
  if (who.how !== 'oidc')
    response.headers.append('Set-Cookie', rememberBrowser(request, foldEmail(who.email), deps.config.apiKeyPepper))
  return response
}

/**
 * The person with this email address, password and, if they have a second factor, code; undefined if there is none, which is then recorded. Throws
 * Problem `rate_limited` after too many failures, even if this attempt is correct.
 */
export async function tryPassword(
  { config, consoleDb, tries }: Deps,
  request: OpenRequest,
  email: string,
  password: string,
  code: string,
): Promise<SignedIn | undefined> {
  const { address, session } = request
  const account = foldEmail(email)
  const theirs = session !== undefined && foldEmail(session.person.email) === account
  const attempt = await tries.begin(account, {
    address: parsed(address),
    browser: theirs ? session.tokenHash.toString('base64url') : knownBrowser(request, account, config.apiKeyPepper),
  })
  const { now } = request
  const both = async (): Promise<SignedIn | undefined> => {
    const known = await verifySignIn(consoleDb, email, password, attempt.from)
    const by = { now, from: attempt.from, address }
    return (await showsSecondFactor(consoleDb, config.apiKeyPepper, known, code, by)) ? known : undefined
  }
  const found = await both().catch(async error => {
    await attempt.takeBack()
    throw error
  })
  if (found !== undefined) await attempt.takeBack()
  else await noteFailure(consoleDb, email, address, await attempt.fail())
  return found
}

/** Records that a provider did not vouch for a person. Throws Problem `rate_limited` if that happened too often from this address. */
export async function countRefusal(
  { consoleDb, tries }: Deps,
  { address }: OpenRequest,
  who: string,
  detail: Readonly<Record<string, string>>,
): Promise<void> {
  const noted = await tries.countRefusal(foldEmail(who), parsed(address))
  await noteFailure(consoleDb, who, address, noted && { ...detail, ...noted })
}

const parsed = (address: string | undefined) => (address === undefined ? undefined : parseAddress(address))

/** One entry per series of failures: for its first, and for the one after which others are rejected. */
async function noteFailure(
  db: Deps['consoleDb'],
  who: string,
  address: string | undefined,
  detail: AuditEvent['detail'] | undefined,
): Promise<void> {
  if (detail === undefined) return
  await appendAuditEvent(db, {
    actor: 'anonymous',
    action: 'sign_in_failed',
    subject: who.slice(0, 254),
    address,
    detail,
  })
}
