// The cookie that holds a session's token (RFC 6265), and the session: for the console's pages, the docs and applicants' pages.

import type { Config } from '../../../config/all-settings.ts'
import { loadSession, type Session } from '../../../core/people/sessions.ts'
import type { Sql } from '../../../db/client.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'

/** With the prefix, browsers take it over HTTPS only, for this host and all paths. Not on loopback without TLS, in development. */
const nameOf = (https: boolean): string => (https ? '__Host-tributary' : 'tributary')

/** The field that sets the cookie, or with undefined takes it away. */
export function sessionCookie(token: string | undefined, https: boolean): string {
  const flags = `Path=/; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`
  return token === undefined ? `${nameOf(https)}=; Max-Age=0; ${flags}` : `${nameOf(https)}=${token}; ${flags}`
}

/** The token in a request's cookie; undefined without the cookie, or when it does not have the form of a token. */
export function sessionToken(request: Request, https: boolean): string | undefined {
  const name = nameOf(https)
  for (const part of (request.headers.get('cookie') ?? '').split(';')) {
    const at = part.indexOf('=')
    if (part.slice(0, at).trim() !== name) continue
    const token = part.slice(at + 1).trim()
    return /^[A-Za-z0-9_-]{43}$/.test(token) ? token : undefined
  }
  return undefined
}

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

/** The session of the browser's cookie; undefined without one, or when it has ended. */
export async function loadSignedIn(deps: SignInDeps, request: Request, https: boolean): Promise<Session | undefined> {
  const token = sessionToken(request, https)
  return token === undefined ? undefined : loadSession(deps.consoleDb, token, sessionLimits(deps), deps.now())
}
