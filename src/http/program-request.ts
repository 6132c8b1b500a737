// How every request of an API key about one program begins. It decides nothing of its own: the order is the rule.

import type { Caller } from '../access/caller.ts'
import type { SentParameters } from '../export/sent-query.ts'
import type { Deps } from './deps.ts'
import { prefersStrictHandling } from './preference.ts'
import { parseQueryString, queryOf } from './query-string.ts'
import { quotaHeaders } from './quota-headers.ts'
import { type RequestRecord, recordOf } from './request-record.ts'

interface Entered {
  programId: number
  /** What the answer carries in any case. */
  headers: Record<string, string>
  record: RequestRecord
}

/**
 * Counts the request, then lets its caller in to the program as `authorize` does: first counted, so that what is refused for want of a
 * grant counts too. Throws Problem `rate_limited` or `unauthenticated`.
 */
export function enterProgram(
  { limits }: Pick<Deps, 'limits'>,
  { caller, programSlug, request }: { caller: Caller; programSlug: string; request: Request },
  authorize: (caller: Caller, slug: string) => number,
): Entered {
  const record = recordOf(request)
  const headers = { 'Cache-Control': 'no-store', ...quotaHeaders(limits.takeRequest(caller.api_key_id)) }
  const programId = authorize(caller, programSlug)
  record.fields.program = programSlug
  return { programId, headers, record }
}

/** The query of a request as it was sent, to be read parameter by parameter. */
export const sentParameters = ({ url, headers }: Request): SentParameters => ({
  ...parseQueryString(queryOf(url)),
  strict: prefersStrictHandling(headers.get('prefer')),
})

/** The id of an application in an address; undefined for a text that is none. */
export const applicationIdIn = (text: string): number | undefined =>
  /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined
