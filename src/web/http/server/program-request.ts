// The first steps of every API-key request about one program. It decides nothing itself: the order is the rule.

import { type SentParameters, SentQuery } from '../../../core/export/requests/sent-query.ts'
import type { Caller } from '../../../core/keys/caller.ts'
import { prefersStrictHandling } from '../headers/preference.ts'
import { quotaHeaders } from '../headers/quota-headers.ts'
import { parseQueryString, queryOf } from '../headers/sent-text.ts'
import type { Deps } from './deps.ts'
import { type RequestRecord, recordOf } from './request-record.ts'

interface Entered {
  programId: number
  /** What the answer carries in any case. */
  headers: Record<string, string>
  record: RequestRecord
}

interface Asked {
  caller: Caller
  programSlug: string
  request: Request
}
type Authorize = (caller: Caller, slug: string) => number

/**
 * Counts the request, then lets its caller in to the program as `authorize` does. Requests that are refused because the program is not
 * granted count too. Throws Problem `rate_limited` or `unauthenticated`.
 */
export async function enterProgram(
  { limits }: Pick<Deps, 'limits'>,
  asked: Asked,
  authorize: Authorize,
): Promise<Entered> {
  const quota = await limits.takeRequest(asked.caller.api_key_id)
  const { programId, record } = admitToProgram(asked, authorize)
  return { programId, record, headers: { 'Cache-Control': 'no-store', ...quotaHeaders(quota) } }
}

/** The second half of `enterProgram`, for what need not wait until the request is counted. */
export function admitToProgram(
  { caller, programSlug, request }: Asked,
  authorize: Authorize,
): Omit<Entered, 'headers'> {
  const programId = authorize(caller, programSlug)
  const record = recordOf(request)
  record.fields.program = programSlug
  return { programId, record }
}

/** The query of a request as it was sent, to be read parameter by parameter. */
export const sentParameters = ({ url, headers }: Request): SentParameters => ({
  ...parseQueryString(queryOf(url)),
  strict: prefersStrictHandling(headers.get('prefer')),
})

/** Throws Problem `invalid_request` for what is no parameter of an address that has these, or none (contract D10). */
export function refuseParameters(request: Request, names: readonly string[] = []): void {
  const query = new SentQuery(sentParameters(request), names)
  if (query.errors.length > 0) throw query.problem()
}

/** The id of an application in an address; undefined for a text that is none. */
export const applicationIdIn = (text: string): number | undefined =>
  /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined
