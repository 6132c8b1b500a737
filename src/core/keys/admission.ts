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
  /** The client's address; undefined if it could not be determined. */
  address: IpAddress | undefined
  secure: boolean
  now: Micros
}

export type Admission =
  | { caller: Caller }
  | {
      refused: Reason
      /** The key, if its ID exists: never the ID as sent, which may be a secret in the wrong field. */
      api_key_id?: string
      /** A valid credential was sent without encryption; `known` if that had happened before. */
      exposed?: 'now' | 'known'
    }

/** The ID that is looked up in place of an invalid one. No key will ever have it: the chance is 62^-20. */
const placeholderId = `tribk_${'0'.repeat(20)}`

/**
 * Decides about one request (spec, "Authentication"; contract D4). With a readable header, it always makes one lookup, one HMAC and two comparisons,
 * so that neither the statements nor their duration reveal whether an ID is known.
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
  // The secret of a followed origin's key is hashed with the origin's own salt.
  const isOrigins = isOriginKeyId(username)
  const hash = hashPassword((isOrigins ? originSalt : undefined) ?? pepper, password)
  const key = await keys.find(isApiKeyId(username) ? username : placeholderId, hash)
  // Both are compared, even if the first matches, so that a rotated key takes as long as any other.
  const matchesPresent = hashMatches(hash, key?.secret_hash)
  const matchesEarlier = hashMatches(hash, key?.earlier_secret_hash ?? undefined)
  const matches = matchesPresent || (matchesEarlier && attempt.now < (key?.earlier_secret_until ?? 0))
  if (!attempt.secure) return plainHttp(key, matches, attempt.now)
  // Computed for an unknown key, too, where it has no effect, because it takes time.
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

/** The origin's secrets have no checksum, so a garbled one cannot be told from a wrong one. */
function errorOf(password: string, matchesEarlier: boolean, ofOrigin: { hasSalt: boolean } | undefined): Reason {
  const isWhole = isWholePassword(password)
  if (matchesEarlier) return 'rotated_secret'
  if (ofOrigin !== undefined) return ofOrigin.hasSalt ? 'wrong_secret_or_salt' : 'origin_salt_not_set'
  return isWhole ? 'wrong_secret' : 'garbled_secret'
}

/** The first unmet constraint of a key with the right secret, or undefined. */
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

/**
 * Always rejected. This exposes a key that could still be used, even a disabled one, but not a retired or expired one, which no longer grants access.
 */
function plainHttp(key: KnownKey | undefined, matches: boolean, now: Micros): Admission {
  if (key === undefined) return { refused: 'plain_http' }
  const exposed = matches && key.retired_at === null && now < key.expires_at
  return {
    refused: 'plain_http',
    api_key_id: key.api_key_id,
    ...(exposed ? { exposed: key.exposed_at === null ? 'now' : 'known' } : {}),
  }
}
