// The endpoint with which a client finds out whether its key works.
// Every request that gets here was let in.

import { Elysia } from 'elysia'
import type { Caller } from '../access/caller.ts'
import { isExpiringSoon } from '../access/expiry.ts'
import { formatOffsetTime, type Micros } from '../domain/values/offset-time.ts'
import { authenticate } from './authenticate.ts'
import type { Deps } from './deps.ts'
import { methodNotAllowed } from './errors.ts'
import { checkAuthOperation } from './openapi/export-operations.ts'
import { routeDetail } from './openapi/route-detail.ts'
import { quotaHeaders } from './quota-headers.ts'

const path = '/api/v1/checkAuth'

/** `GET /api/v1/checkAuth`. Source: spec, "Check credentials"; contract D5. */
export const checkAuth = (deps: Deps) => {
  const tell = async ({ caller }: { caller: Caller }): Promise<Response> =>
    Response.json(describe(caller, deps.config.timeZone, deps.now()), {
      headers: { 'Cache-Control': 'no-store', ...quotaHeaders(await deps.limits.takeRequest(caller.api_key_id)) },
    })
  return (
    new Elysia({ name: 'check-auth' })
      .use(authenticate(deps))
      .get(path, tell, { detail: routeDetail(checkAuthOperation) })
      // The server leaves the body out and keeps its length.
      .head(path, tell)
      .all(path, methodNotAllowed(['GET', 'HEAD']), { parse: 'none' })
  )
}

const describe = (caller: Caller, timeZone: string, now: Micros) => ({
  api_key_id: caller.api_key_id,
  name: caller.name,
  expires_at: formatOffsetTime(caller.expires_at, timeZone),
  programs: [...caller.programs.keys()].sort(),
  notice: isExpiringSoon(caller.expires_at, now)
    ? 'This key expires within 30 days. Ask an administrator for a later expiry.'
    : null,
})
