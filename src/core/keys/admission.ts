// Authenticates a request: returns its caller, or the reason for rejecting it. It changes nothing; what must be recorded is in the result.

import { addressText, contains, type IpAddress } from '../../domain/values/ip-address.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { isOriginKeyId } from '../../domain/values/origin-key-id.ts'
import type { Caller, Reason } from './caller.ts'
import { hashMatches, hashPassword, isApiKeyId, isWholePassword, parseAuthorization } from './credential.ts'
import type { KeySource, KnownKey } from './key-source.ts'

/** The facts that decide about one request. */
export interface Attempt {
  /** Value of the Authorization header. */
  authorization: string | null
  /** The client's; undefined when it could not be determined. */
  address: IpAddress | undefined
  secure: boolean
  now: Micros
}

export type Admission =
  | { caller: Caller }
  | {
      refused: Reason
      /** The key, if the id named one: never the id as sent, which may be a secret in the wrong field. */
      api_key_id?: string
      /** A good credential was sent without encryption; `known` when that had happened before. */
      exposed?: 'now' | 'known'
    }

/** The id that is looked up for what cannot be an id. None is ever minted like it: the chance is 62^-20. */
const placeholderId = `tribk_${'0'.repeat(20)}`

/**
 * Decides about one request (spec, "Authentication"; contract D4). With a readable header, one lookup, one HMAC and two comparisons are done
 * whatever the header says, so that neither the statements nor their size reveal by their time whether an id is known.
 */
export async function admit(
  keys: KeySource,
  pepper: string,
  attempt: Attempt,
  originSalt?: string | undefined,
): Promise<Admission> {
  const sent = parseAuthorization(attempt.authorization)
  if ('error' in sent) return { refused: attempt.secure ? sent.error : 'plain_http' }
  const { username, password } = sent
  // A key of the origin that is followed has its secret under the origin's own salt.
  const isOrigins = isOriginKeyId(username)
  const hash = hashPassword((isOrigins ? originSalt : undefined) ?? pepper, password)
  const key = await keys.find(isApiKeyId(username) ? username : placeholderId, hash)
  // Both are compared, even if the first fits, so that a rotated key takes as long as any other.
  const matchesPresent = hashMatches(hash, key?.secret_hash)
  const matchesEarlier = hashMatches(hash, key?.earlier_secret_hash ?? undefined)
  const matches = matchesPresent || (matchesEarlier && attempt.now < (key?.earlier_secret_until ?? 0))
  if (!attempt.secure) return plainHttp(key, matches, attempt.now)
  // Worked out for an unknown key too, where it changes nothing, because it takes time.
  const ofOrigin = isOrigins ? { hasSalt: originSalt !== undefined } : undefined
  const secretError = matches ? undefined : errorOf(password, matchesEarlier, ofOrigin)
  if (key === undefined) return { refused: 'unknown_key' }
  const refused = secretError ?? constraintUnmet(key, attempt)
  if (refused !== undefined) return { refused, api_key_id: key.api_key_id }
  const { api_key_id, name, expires_at, may_export, may_submit, may_annotate, front_end, programs, hidden } = key
  const address = addressText(attempt.address!)
  return {
    caller: {
      api_key_id,
      name,
      expires_at,
      may_export,
      may_submit,
      may_annotate,
      front_end,
      programs,
      hidden,
      address,
    },
  }
}

/** The origin's secrets have no checksum, so a garbled one looks like a wrong one. */
function errorOf(password: string, matchesEarlier: boolean, ofOrigin: { hasSalt: boolean } | undefined): Reason {
  const isWhole = isWholePassword(password)
  if (matchesEarlier) return 'rotated_secret'
  if (ofOrigin !== undefined) return ofOrigin.hasSalt ? 'wrong_secret_or_salt' : 'origin_salt_not_set'
  return isWhole ? 'wrong_secret' : 'garbled_secret'
}

/** The first unmet constraint of a key whose secret was right, or undefined. */
export function constraintUnmet(
  key: Pick<KnownKey, 'retired_at' | 'expires_at' | 'disabled_at' | 'allowed_subnets'>,
  { address, now }: Pick<Attempt, 'address' | 'now'>,
): Reason | undefined {
  if (key.retired_at !== null) return 'retired'
  if (now >= key.expires_at) return 'expired'
  if (key.disabled_at !== null) return 'disabled'
  if (address === undefined) return 'unparseable_address'
  return key.allowed_subnets.some(subnet => contains(subnet, address)) ? undefined : 'address_not_allowed'
}

/** Never let in. A key that could still be used is exposed by it, also one that is disabled; one that is retired or expired opens nothing any more. */
function plainHttp(key: KnownKey | undefined, matches: boolean, now: Micros): Admission {
  if (key === undefined) return { refused: 'plain_http' }
  const exposed = matches && key.retired_at === null && now < key.expires_at
  return {
    refused: 'plain_http',
    api_key_id: key.api_key_id,
    ...(exposed ? { exposed: key.exposed_at === null ? 'now' : 'known' } : {}),
  }
}
