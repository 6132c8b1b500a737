// Authentication by API key: gives routes their caller, or responds with 401 before anything else is read.
// `core/keys/caller` decides what a caller may do.

import { Elysia } from 'elysia'
import { Problem } from '../../../base/problem.ts'
import { traced } from '../../../base/tracing/span.ts'
import { type Admission, type Attempt, admit } from '../../../core/keys/admission.ts'
import { type Caller, unauthenticated } from '../../../core/keys/caller.ts'
import { addressText } from '../../../domain/values/ip-address.ts'
import type { Deps } from './deps.ts'
import { type RequestFields, recordOf } from './request-record.ts'

/**
 * Adds `caller` to the routes of the instance that uses it. As a derive it runs before schemas are checked but after the body is parsed,
 * so routes with a body set `parse: 'none'` and read it themselves; otherwise unauthenticated clients would get 400.
 */
export const authenticate = (deps: Deps) =>
  new Elysia({ name: 'authenticate' }).derive({ as: 'scoped' }, async ({ request }) => ({
    caller: await authenticateRequest(deps, request),
  }))

/**
 * The caller of a request. Throws Problem `unauthenticated`, identical for every cause (contract D4), or `rate_limited` if the credential
 * is wrong and its address has failed too often. Records the caller or the reason for the log line.
 */
export async function authenticateRequest(deps: Deps, request: Request): Promise<Caller> {
  const { config, keys, now, uses } = deps
  const { fields, origin } = recordOf(request)
  const { address, secure } = origin
  if (address !== undefined) fields.address = addressText(address)
  const attempt = { authorization: request.headers.get('authorization'), address, secure, now: now() }
  const admission = await traced('authenticate', () => admit(keys, config.apiKeyPepper, attempt, config.originApiSalt))
  if ('refused' in admission) return refuse(deps, fields, attempt, admission)
  const { caller } = admission
  fields.api_key_id = caller.api_key_id
  uses.noteUse(caller.api_key_id, caller.address, attempt.now)
  return caller
}

async function refuse(
  { failures, uses }: Deps,
  fields: RequestFields,
  { address, now }: Attempt,
  { api_key_id, exposed, refused }: Exclude<Admission, { caller: Caller }>,
): Promise<never> {
  if (api_key_id !== undefined) {
    fields.api_key_id = api_key_id
    if (exposed !== undefined) uses.noteExposure(api_key_id, fields.address, now, exposed === 'known')
  }
  const retryAfterSeconds = await failures.countFailure(address)
  if (retryAfterSeconds === undefined) throw unauthenticated(refused)
  throw new Problem('rate_limited', {
    detail: `Too many failed authentications from this address. Try again in ${retryAfterSeconds} s.`,
    internal: refused,
    retryAfterSeconds,
  })
}
