// Statements for authenticating API keys. They only handle hashes of secrets.

import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow } from '../client.ts'
import type { ApiKeyFacts, ApiKeyRow } from './api-key-rows.ts'

/** The data needed to decide about one request. */
export interface ApiKeyAuthenticationRow
  extends ApiKeyFacts,
    Pick<ApiKeyRow, 'allowed_subnets' | 'retired_at' | 'disabled_at' | 'exposed_at'> {
  secret_hash: Buffer
  /** Hash of the secret before the last rotation, which is valid until `earlier_secret_until`. */
  earlier_secret_hash: Buffer | null
  earlier_secret_until: Micros | null
  /** Slug and ID of each program it can access; null if it can access none, or the secret was wrong. */
  programs: [string, number][] | null
  /** The questions hidden from it; null if none is, or the secret was wrong. */
  hidden: { names: string[]; ids: number[] } | null
}

/**
 * One statement, whether the key exists or not. Its programs and hidden questions are only read if the hash matches: a wrong secret takes as long for
 * a key with a thousand programs as for one with none. The comparison by PostgreSQL reveals nothing, because without the pepper a caller cannot know
 * the hash of what was sent; `core/keys/credential` decides in constant time whether to accept the key.
 */
export async function findApiKeyForAuthentication(
  db: Db,
  apiKeyId: string,
  hash: Buffer,
): Promise<ApiKeyAuthenticationRow | undefined> {
  return findRow<ApiKeyAuthenticationRow>(db)`
    select
      k.api_key_id, k.name, k.secret_hash, k.earlier_secret_hash, k.earlier_secret_until, k.may_export, k.may_submit, k.may_annotate,
      k.front_end, k.expires_at,
      k.allowed_subnets::text[], k.retired_at, k.disabled_at, k.exposed_at,
      case when ${hash} in (k.secret_hash, k.earlier_secret_hash) then (
        select json_agg(json_build_array(p.slug, p.program_id))
        from api_key_program g
        join program p using (program_id)
        where g.api_key_id = k.api_key_id
      ) end as programs,
      case when k.hidden_questions <> '{}' and ${hash} in (k.secret_hash, k.earlier_secret_hash) then
        json_build_object('names', k.hidden_questions, 'ids', ${idsOfHidden(db)})
      end as hidden
    from api_key k
    where k.api_key_id = ${apiKeyId}`
}

/** For questions from an origin, all that are exported under one key: there, a question of another kind is a separate question with its own name. */
const idsOfHidden = (db: Db) => db`(
  select coalesce(json_agg(found.question_id), '[]')
  from (
    select q.question_id
    from question q
    where q.admin_name = any (k.hidden_questions)
    union
    select q.question_id
    from question h
    join question q using (question_key)
    where h.admin_name = any (k.hidden_questions)
    and h.key_rule = 'origin'
    and q.key_rule = 'origin'
  ) found
)`
