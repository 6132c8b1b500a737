// The endpoint with which a client finds out whether its key works.
// It must not decide whether it does: whoever gets here was let in.

import { Elysia } from 'elysia'
import type { Caller } from '../access/caller.ts'
import { formatOffsetTime } from '../domain/values/offset-time.ts'
import { authenticate, recognizeRequest } from './authenticate.ts'
import type { Deps } from './deps.ts'
import { methodNotAllowed } from './errors.ts'
import { checkAuthOperation } from './openapi/export-operations.ts'
import { routeDetail } from './openapi/route-detail.ts'

const path = '/api/v1/checkAuth'

/** `GET /api/v1/checkAuth`. Source: spec, "Check credentials"; contract D5. */
export const checkAuth = (deps: Deps) => {
  /** What is told of a key, by its programs: these are one object for as long as the key is remembered. */
  const told = new WeakMap<Caller['programs'], string>()
  const tell = (caller: Caller): Response => {
    let text = told.get(caller.programs)
    if (text === undefined) {
      text = JSON.stringify(describe(caller, deps.config.timeZone))
      told.set(caller.programs, text)
    }
    const headers = new Headers(fixed)
    const limits = deps.limits.takeRequest(caller.api_key_id)
    for (const name in limits) headers.set(name, limits[name]!)
    return new Response(text, { headers })
  }
  const answer = ({ request }: { request: Request }): Response | Promise<Response> => {
    const caller = recognizeRequest(deps, request)
    return caller instanceof Promise ? caller.then(tell) : tell(caller)
  }
  return (
    new Elysia({ name: 'check-auth' })
      .get(path, answer, { detail: routeDetail(checkAuthOperation) })
      // The server leaves the body out and keeps its length.
      .head(path, answer)
      .use(authenticate(deps))
      .all(path, methodNotAllowed(['GET', 'HEAD']), { parse: 'none' })
  )
}

const fixed = new Headers({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })

const describe = (caller: Caller, timeZone: string) => ({
  api_key_id: caller.api_key_id,
  name: caller.name,
  expires_at: formatOffsetTime(caller.expires_at, timeZone),
  programs: [...caller.programs.keys()].sort(),
})
