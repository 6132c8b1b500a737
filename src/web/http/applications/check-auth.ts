// Lets clients check whether their API key works.

import type { Caller } from '../../../core/keys/caller.ts'
import { expiringSoonDays, isExpiringSoon } from '../../../core/keys/expiry.ts'
import { formatOffsetTime, type Micros } from '../../../domain/values/offset-time.ts'
import { quotaHeaders } from '../headers/quota-headers.ts'
import { checkAuthOperation } from '../openapi/export-operations.ts'
import type { Deps } from '../server/deps.ts'
import { refuseParameters } from '../server/program-request.ts'
import { readByKey } from '../server/read-by-key.ts'

/** `GET /api/v1/checkAuth`. Source: spec, "Check credentials"; contract D5. */
export const checkAuth = (deps: Deps) =>
  readByKey(deps, '/api/v1/checkAuth', checkAuthOperation, async ({ caller, request }) => {
    const headers = { 'Cache-Control': 'no-store', ...quotaHeaders(await deps.limits.takeRequest(caller.api_key_id)) }
    refuseParameters(request)
    return Response.json(describe(caller, deps.config.timeZone, deps.now()), { headers })
  })

const describe = (caller: Caller, timeZone: string, now: Micros) => ({
  api_key_id: caller.api_key_id,
  name: caller.name,
  expires_at: formatOffsetTime(caller.expires_at, timeZone),
  programs: [...caller.programs.keys()].sort(),
  notice: isExpiringSoon(caller.expires_at, now)
    ? `This key expires within ${expiringSoonDays} days. Ask an administrator to extend it.`
    : null,
})
