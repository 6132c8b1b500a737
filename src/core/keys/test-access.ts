// Tests whether a request with a key, from an address and for a program, would be accepted now. It applies the rules of real requests:
// those of an export, or of a submission if the key can only submit.

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

/** Undefined if the service would accept the request, otherwise the reason. Assumes the correct password and HTTPS. */
export async function judgeCall(db: Db, call: ImaginedCall, now: Micros): Promise<Reason | undefined> {
  const key = isApiKeyId(call.apiKeyId) ? await findApiKey(db, call.apiKeyId) : undefined
  if (key === undefined) return 'unknown_key'
  const subnets = key.allowed_subnets
    .map(text => parseSubnet(text))
    .filter((subnet): subnet is Subnet => !('error' in subnet))
  const unmet = constraintUnmet({ ...key, allowed_subnets: subnets }, { address: call.address, now })
  if (unmet !== undefined) return unmet
  if (!key.may_export && !key.may_submit) return 'may_not_export'
  return key.programs.includes(call.slug) ? undefined : 'no_grant'
}

/** What each reason means and how to fix it. */
export const reasonTexts: Readonly<Record<Reason, string>> = {
  no_header:
    'The request has no Authorization header. The client must send the username and password with Basic authentication.',
  oversized_header: 'The Authorization header is too long to be an API key. Check what the client sends.',
  wrong_scheme: 'The Authorization header doesn’t use the Basic scheme. The client must send “Authorization: Basic …”.',
  bad_base64: 'The text after “Basic” isn’t valid Base64. Copy the API Secret Token again, without line breaks.',
  bad_utf8: 'The decoded text after “Basic” isn’t valid UTF-8. Copy the API Secret Token again.',
  no_colon:
    'The decoded text after “Basic” has no colon between username and password. Copy the API Secret Token again.',
  unknown_key: 'No key has this username. Check the username in the client.',
  wrong_secret: 'The password belongs to another key. Check the password in the client.',
  wrong_secret_or_salt:
    'The password belongs to another key, or the salt configured for the followed system is wrong. If none of that system’s keys work, check the salt.',
  origin_salt_not_set:
    'The key belongs to the followed system, but no salt is configured. Configure the salt its keys were created with.',
  garbled_secret: 'The password doesn’t match any key. It may be truncated or mistyped.',
  rotated_secret:
    'The password was replaced when the key was rotated, and the overlap has ended. Give the client the new password.',
  retired: 'The key is retired. Create a new key.',
  expired: 'The key has expired. Extend its expiry date, or create a new key.',
  disabled: 'The key is disabled. Enable it to accept requests again.',
  address_not_allowed:
    'The key can’t be used from this address. If the address belongs to the client, add it to the key.',
  unparseable_address:
    'The client’s address could not be determined. Check the X-Forwarded-For header sent by your proxy.',
  plain_http: 'The request came over plain HTTP. The client must use https://.',
  may_not_export: 'The key can submit but not export. Create a key that can export.',
  may_not_submit: 'The key can export but not submit. Create a key that can submit.',
  may_not_annotate: 'The key can’t set statuses and notes. Create a key that can.',
  no_grant: 'The key has no access to this program. Add the program to the key.',
  no_such_program: 'There is no program with this slug. Check the URL in the client.',
}
