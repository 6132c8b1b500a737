// Loads key records for authentication from the database, every time.
// It must not cache keys between requests, and unknown IDs take the same steps as known ones.

import { type Db, readThroughLoss } from '../../db/client.ts'
import { type ApiKeyAuthenticationRow, findApiKeyForAuthentication } from '../../db/keys/api-key-authentication.ts'
import { parseSubnet, type Subnet } from '../../domain/values/ip-address.ts'
import { type HiddenQuestions, nothingHidden } from './caller.ts'

/** Everything needed to decide about a request. */
export interface KnownKey extends Omit<ApiKeyAuthenticationRow, 'allowed_subnets' | 'programs' | 'hidden'> {
  allowed_subnets: readonly Subnet[]
  /** Slug → ID of each program it can access. */
  programs: ReadonlyMap<string, number>
  hidden: HiddenQuestions
}

export interface KeySource {
  /** The key's current state. `apiKeyId` has the form of an ID. Unless the hash is of its secret, `programs` and `hidden` are empty. */
  find(apiKeyId: string, hash: Buffer): Promise<KnownKey | undefined>
}

/** One statement per call and no cache, so a change takes effect with the next request on every instance. */
export function databaseKeys(db: Db): KeySource {
  return {
    async find(apiKeyId, hash) {
      const row = await readThroughLoss(() => findApiKeyForAuthentication(db, apiKeyId, hash))
      if (row === undefined) return undefined
      const { allowed_subnets, programs } = row
      const hidden = row.hidden === null ? nothingHidden : { names: row.hidden.names, ids: new Set(row.hidden.ids) }
      return { ...row, allowed_subnets: allowed_subnets.map(storedSubnet), programs: new Map(programs ?? []), hidden }
    },
  }
}

/** Parsed subnets. The meaning of a text never changes, and parsing it costs more than most steps of a request. */
const readSubnets = new Map<string, Subnet>()
const readSubnetsMax = 1000

function storedSubnet(text: string): Subnet {
  const known = readSubnets.get(text)
  if (known !== undefined) return known
  const subnet = parseSubnet(text)
  if ('error' in subnet) throw new Error(`a stored subnet is invalid: ${subnet.error}`)
  if (readSubnets.size >= readSubnetsMax) readSubnets.clear()
  readSubnets.set(text, subnet)
  return subnet
}
