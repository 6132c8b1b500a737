// Judges whether a request with a key from an address would pass now, for a program, by the rules of real requests: an export, or a
// submission of a key that only submits.

import type { Db } from '../../db/client.ts'
import { findApiKey } from '../../db/keys/api-key-rows.ts'
import { type IpAddress, parseSubnet, type Subnet } from '../../domain/values/ip-address.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { constraintUnmet } from './admission.ts'
import type { Reason } from './caller.ts'
import { isApiKeyId } from './credential.ts'

interface ImaginedCall {
  apiKeyId: string
  address: IpAddress
  slug: string
}

/** Undefined when the service would accept the request; else why not. Assumes a right secret, and HTTPS. */
export async function judgeCall(db: Db, call: ImaginedCall, now: Micros): Promise<Reason | undefined> {
  const key = isApiKeyId(call.apiKeyId) ? await findApiKey(db, call.apiKeyId) : undefined
  if (key === undefined) return 'unknown_key'
  const subnets = key.allowed_subnets.map(text => parseSubnet(text)).filter((one): one is Subnet => !('error' in one))
  const unmet = constraintUnmet({ ...key, allowed_subnets: subnets }, { address: call.address, now })
  if (unmet !== undefined) return unmet
  if (!key.may_export && !key.may_submit) return 'may_not_export'
  return key.programs.includes(call.slug) ? undefined : 'no_grant'
}

/** What a reason means, and what to do about it. */
export const reasonTexts: Readonly<Record<Reason, string>> = {
  no_header: 'No Authorization header was sent. The client has to send Username and Password (Basic authentication).',
  oversized_header: 'The Authorization header is far longer than any credential.',
  wrong_scheme: 'The Authorization header is not of the Basic scheme.',
  bad_base64: 'What follows Basic is not whole Base64. Copy the API Secret Token again, without line breaks.',
  bad_utf8: 'What follows Basic is not text. Copy the API Secret Token again.',
  no_colon: 'What follows Basic has no colon between Username and Password.',
  unknown_key: 'There is no key with this Username.',
  wrong_secret: 'The Password is another key’s. Check which one the client has.',
  wrong_secret_or_salt:
    'The Password is another key’s, or the salt that is set for keys of the followed system is not its own. If none of its keys work, it is the salt.',
  origin_salt_not_set:
    'The key is the followed system’s, and no salt is set. Set the salt that its keys were made with.',
  garbled_secret: 'The Password was never any key’s: it is cut off, mistyped or made up.',
  rotated_secret:
    'The Password is the one before the last rotation, and the overlap is over. Give the client the new one.',
  retired: 'The key is retired. Make another one.',
  expired: 'The key has expired. Set its expiry, or make another one.',
  disabled: 'The key is disabled for the time being. Enable it again when it is to work.',
  address_not_allowed: 'The key may not be used from this address. Add the address to the key, if it is the client’s.',
  unparseable_address: 'The origin of the request is unknown. Check the proxy’s X-Forwarded-For.',
  plain_http: 'The request came over plain HTTP. The client has to use https://.',
  may_not_export: 'The key may submit, and not export.',
  may_not_submit: 'The key may export, and not submit.',
  may_not_annotate: 'The key may not set status and note.',
  no_grant: 'The key is not granted this program.',
  no_such_program: 'There is no program of this name.',
}
