// What every way of signing in ends with: a session, or a failure that counts.

import { beginSession } from '../../../access/sessions.ts'
import type { Config } from '../../../config/all-settings.ts'
import { appendAuditEvent } from '../../../db/audit.ts'
import { parseAddress } from '../../../domain/values/ip-address.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import { Problem } from '../../../problem.ts'
import type { Deps } from '../../deps.ts'
import { cookieOf, type OpenVisit, redirect, sessionLimits } from '../console-doors.ts'
import { sessionToken } from '../session-cookie.ts'

/** The ways in that this installation offers. */
export interface Ways {
  password: boolean
  /** What people call the OpenID provider, where there is one. */
  provider: string | undefined
}

export const waysOf = ({ passwordSignIn, oidcIssuer, oidcName }: Config): Ways => ({
  password: passwordSignIn,
  provider: oidcIssuer === undefined ? undefined : oidcName,
})

/** Signs somebody in, ends the session there was in this browser, and sends them on. */
export async function startSession(
  deps: Deps,
  visit: OpenVisit,
  who: { person_id: number; email: string; how: 'password' | 'invitation' | 'oidc'; confirmedAt?: Micros },
  next: string,
): Promise<Response> {
  const earlier = sessionToken(visit.request, visit.https)
  const opened = { ...who, address: visit.address }
  const token = await beginSession(deps.consoleDb, opened, sessionLimits(deps), visit.now, earlier)
  return redirect(visit, next, cookieOf(visit, token))
}

/** Notes a failed sign-in. Throws Problem `rate_limited` when there were too many from this address. */
export async function countFailure(
  { consoleDb, failures }: Deps,
  { address }: OpenVisit,
  who: string,
  detail: Readonly<Record<string, string>> = {},
): Promise<void> {
  await appendAuditEvent(consoleDb, {
    actor: 'nobody',
    action: 'sign_in_failed',
    subject: who.slice(0, 254),
    address,
    detail,
  })
  const seconds = failures.countFailure(address === undefined ? undefined : parseAddress(address))
  if (seconds === undefined) return
  throw new Problem('rate_limited', {
    detail: `Too many sign-ins failed from this address. Try again in ${seconds} seconds.`,
    retryAfterSeconds: seconds,
    internal: 'sign_in_throttled',
  })
}
