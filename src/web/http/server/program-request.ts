// The first steps of every API-key request about a program, in their required order.

import { type SentParameters, SentQuery } from '../../../core/export/requests/sent-query.ts'
import type { Caller } from '../../../core/keys/caller.ts'
import { acceptedLanguages, parseLanguage } from '../headers/accepted-languages.ts'
import { prefersStrictHandling } from '../headers/preference.ts'
import { quotaHeaders } from '../headers/quota-headers.ts'
import { parseQueryString, queryOf } from '../headers/sent-text.ts'
import type { Deps } from './deps.ts'
import { type RequestRecord, recordOf } from './request-record.ts'

interface Entered {
  programId: number
  /** Headers of every response. */
  headers: Record<string, string>
  record: RequestRecord
}

interface ProgramRequest {
  caller: Caller
  programSlug: string
  request: Request
}
type Authorize = (caller: Caller, slug: string) => number

/**
 * Counts the request, then authorizes its caller for the program. Unauthorized requests count too. Throws Problem `rate_limited` or
 * `unauthenticated`.
 */
export async function enterProgram(
  { limits }: Pick<Deps, 'limits'>,
  programRequest: ProgramRequest,
  authorize: Authorize,
): Promise<Entered> {
  const quota = await limits.takeRequest(programRequest.caller.api_key_id)
  const { programId, record } = admitToProgram(programRequest, authorize)
  return { programId, record, headers: { 'Cache-Control': 'no-store', ...quotaHeaders(quota) } }
}

/** The authorization of `enterProgram`, for callers that do not wait until the request is counted. */
export function admitToProgram(
  { caller, programSlug, request }: ProgramRequest,
  authorize: Authorize,
): Omit<Entered, 'headers'> {
  const programId = authorize(caller, programSlug)
  const record = recordOf(request)
  record.fields.program = programSlug
  return { programId, record }
}

/** The query of a request as sent, to be read parameter by parameter. */
export const sentParameters = ({ url, headers }: Request): SentParameters => ({
  ...parseQueryString(queryOf(url)),
  strict: prefersStrictHandling(headers.get('prefer')),
})

/** Throws Problem `invalid_request` for parameters other than `names` (contract D10). */
export function refuseParameters(request: Request, names: readonly string[] = []): void {
  const query = new SentQuery(sentParameters(request), names)
  if (query.errors.length > 0) throw query.problem()
}

/** Preferred languages of a request, best first. Throws Problem `invalid_request` for any parameter but `language`. */
export function requestedLanguages(request: Request): readonly string[] {
  const query = new SentQuery(sentParameters(request), ['language'])
  const language = query.read('language', parseLanguage)
  if (query.errors.length > 0) throw query.problem()
  return language === undefined ? acceptedLanguages(request.headers.get('accept-language')) : [language]
}

/** Application ID in a path; undefined if it is not an ID. */
export const applicationIdIn = (text: string): number | undefined =>
  /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined
