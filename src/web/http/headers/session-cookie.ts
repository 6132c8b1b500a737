// Cookies (RFC 6265), such as the one that holds a session's token, and that session: for the console's pages, the docs and applicants' pages.

import type { Config } from '../../../config/all-settings.ts'
import { loadSession, type Session } from '../../../core/people/sessions.ts'
import type { Sql } from '../../../db/client.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'

export type CookieName = 'tributary' | 'tributary-apply' | 'tributary-apply-language'

/** With the prefix, browsers accept it only over HTTPS, for this host and all paths. Not on loopback without TLS, in development. */
const nameOf = (name: CookieName, https: boolean): string => (https ? `__Host-${name}` : name)

/** The header that sets a cookie until the browser is closed, or with undefined removes it. */
export const cookieField = (name: CookieName, value: string | undefined, https: boolean): string =>
  `${nameOf(name, https)}=${value ?? '; Max-Age=0'}; Path=/; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`

/** The value of a cookie in a request; undefined without it. */
export function cookieOf({ headers }: Request, name: CookieName, https: boolean): string | undefined {
  for (const part of (headers.get('cookie') ?? '').split(';')) {
    const at = part.indexOf('=')
    if (part.slice(0, at).trim() === nameOf(name, https)) return part.slice(at + 1).trim()
  }
  return undefined
}

export const sessionCookie = (token: string | undefined, https: boolean): string =>
  cookieField('tributary', token, https)

/** The token in a request's cookie; undefined without the cookie, or if it does not have the form of a token. */
export function tokenOf(request: Request, name: CookieName, https: boolean): string | undefined {
  const token = cookieOf(request, name, https)
  return token !== undefined && /^[A-Za-z0-9_-]{43}$/.test(token) ? token : undefined
}

export const sessionToken = (request: Request, https: boolean): string | undefined =>
  tokenOf(request, 'tributary', https)

interface SignInDeps {
  config: Pick<Config, 'sessionIdleMs' | 'applyIdleMs' | 'sessionLifetimeMs'>
  consoleDb: Sql
  now: () => Micros
}

export const sessionLimits = ({ config }: Pick<SignInDeps, 'config'>) => ({
  idleMs: config.sessionIdleMs,
  applyIdleMs: config.applyIdleMs,
  lifetimeMs: config.sessionLifetimeMs,
})

/** The session of the browser's cookie; undefined without one, or if it has ended. */
export async function loadSignedIn(deps: SignInDeps, request: Request, https: boolean): Promise<Session | undefined> {
  const token = sessionToken(request, https)
  return token === undefined ? undefined : loadSession(deps.consoleDb, token, sessionLimits(deps), deps.now())
}
