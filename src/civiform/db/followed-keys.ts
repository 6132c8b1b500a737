// Keeps CiviForm's API keys in step in this installation.

import type { Db, Transaction } from '../../db/client.ts'
import type { Micros } from '../../domain/values/offset-time.ts'

export interface FollowedKey {
  api_key_id: string
  name: string
  secret_hash: Buffer
  expires_at: Micros
  allowed_subnets: readonly string[]
  created_at: Micros
  retired_at: Micros | null
  /** The programs it grants access to, if they exist here. */
  slugs: readonly string[]
}

/** CiviForm's keys stored here, with their facts for comparison. */
export async function readFollowedKeys(db: Db): Promise<FollowedKey[]> {
  return db<FollowedKey[]>`
    select k.api_key_id, k.name, k.secret_hash, k.expires_at, k.allowed_subnets::text[] as allowed_subnets, k.created_at, k.retired_at,
      array(
        select p.slug
        from api_key_program g
        join program p using (program_id)
        where g.api_key_id = k.api_key_id
        order by p.slug collate "C"
      ) as slugs
    from api_key k
    where k.followed
    order by k.api_key_id`
}

/** Updates a key to its state in CiviForm, with its grants to programs that exist here. */
export async function upsertFollowedKey(tx: Transaction, key: FollowedKey): Promise<void> {
  const retired_by = key.retired_at === null ? null : 'civiform'
  await tx`
    insert into api_key (
      api_key_id, name, secret_hash, may_export, may_submit, expires_at, allowed_subnets, created_at, expiry_set_at, created_by,
      retired_at, retired_by, followed)
    values (
      ${key.api_key_id}, ${key.name}, ${key.secret_hash}, true, false, ${key.expires_at},
      ${[...key.allowed_subnets]}::text[]::cidr[], ${key.created_at}, ${key.created_at}, 'civiform', ${key.retired_at},
      ${retired_by}, true)
    on conflict (api_key_id) do update
    set name = excluded.name, secret_hash = excluded.secret_hash, expires_at = excluded.expires_at,
      allowed_subnets = excluded.allowed_subnets, retired_at = excluded.retired_at, retired_by = excluded.retired_by
    where api_key.followed`
  await tx`
    delete from api_key_program
    where api_key_id = ${key.api_key_id}
    and program_id not in (select program_id from program where slug = any(${[...key.slugs]}::text[]))`
  await tx`
    insert into api_key_program (api_key_id, program_id)
    select ${key.api_key_id}, program_id
    from program
    where slug = any(${[...key.slugs]}::text[])
    on conflict do nothing`
}

/** Retires keys that CiviForm no longer has. */
export async function retireFollowedKeys(tx: Transaction, apiKeyIds: readonly string[], at: Micros): Promise<void> {
  await tx`
    update api_key
    set retired_at = ${at}, retired_by = 'civiform'
    where api_key_id = any(${[...apiKeyIds]}::text[])
    and followed
    and retired_at is null`
}
