// Statements for administrators' API tokens.

import type { Static } from 'typebox'
import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, readValue, type Transaction } from '../client.ts'
import { integer, row, text, textOrNull, texts, time, timeOrNull } from '../row-schemas.ts'
import type { PersonRow, SignedInRow } from './person-rows.ts'

export const adminTokenRow = row({
  admin_token_id: text,
  person_id: integer,
  name: text,
  scopes: texts,
  created_at: time,
  expires_at: time,
  retired_at: timeOrNull,
  last_used_at: timeOrNull,
  last_used_address: textOrNull,
})
export type AdminTokenRow = Static<typeof adminTokenRow>

type NewAdminToken = Pick<
  AdminTokenRow,
  'admin_token_id' | 'person_id' | 'name' | 'scopes' | 'created_at' | 'expires_at'
> & { token_hash: Buffer }

export async function insertAdminToken(tx: Transaction, token: NewAdminToken): Promise<void> {
  await tx`insert into admin_token ${tx(token as unknown as Record<string, never>)}`
}

const columns = (db: Db) => db`
  admin_token_id, person_id, name, scopes, created_at, expires_at, retired_at, last_used_at,
  host(last_used_address) as last_used_address`

/** The newest tokens of a person, at most `rowsMax`, valid ones first. */
export async function readAdminTokens(
  db: Db,
  personId: number,
  now: Micros,
  rowsMax: number,
): Promise<AdminTokenRow[]> {
  return db<AdminTokenRow[]>`
    select ${columns(db)}
    from admin_token
    where person_id = ${personId}
    order by (retired_at is null and expires_at > ${now}) desc, created_at desc, admin_token_id
    limit ${rowsMax}`
}

/**
 * Number of valid tokens of a person, with the person locked, so that two created concurrently are both counted; undefined if the person is disabled.
 */
export async function countGoodTokens(tx: Transaction, personId: number, now: Micros): Promise<number | undefined> {
  const { count } = await tx`
    select from person where person_id = ${personId} and disabled_at is null for no key update`
  if (count === 0) return undefined
  return readValue<number>(tx)`
    select count(*)::integer as count
    from admin_token
    where person_id = ${personId}
    and retired_at is null
    and expires_at > ${now}`
}

interface TokenHolder
  extends SignedInRow,
    Pick<AdminTokenRow, 'admin_token_id' | 'scopes' | 'expires_at' | 'last_used_at'>,
    Pick<PersonRow, 'has_password' | 'has_second_factor'> {}

/** A valid token with its owner's permissions; undefined if it has ended or its owner is disabled. */
export async function findAdminToken(db: Db, tokenHash: Buffer, now: Micros): Promise<TokenHolder | undefined> {
  const [row] = await db<TokenHolder[]>`
    select t.admin_token_id, t.scopes, t.expires_at, t.last_used_at, p.person_id, p.email, p.name, p.role,
      p.password_hash is not null as has_password,
      exists (select from second_factor f where f.person_id = p.person_id) as has_second_factor,
      array(select program_id from person_program where person_id = p.person_id) as program_ids
    from admin_token t
    join person p using (person_id)
    where t.token_hash = ${tokenHash}
    and t.retired_at is null
    and t.expires_at > ${now}
    and p.disabled_at is null`
  return row === undefined ? undefined : { ...row, program_ids: row.program_ids.map(Number) }
}

export async function updateAdminTokenUsed(
  db: Db,
  tokenId: string,
  now: Micros,
  address: string | undefined,
): Promise<void> {
  await db`
    update admin_token
    set last_used_at = ${now}, last_used_address = ${address ?? null}
    where admin_token_id = ${tokenId}`
}

/** Ends all valid tokens of a person. */
export async function retireAdminTokensOf(tx: Transaction, personId: number, actor: string): Promise<void> {
  await tx`
    update admin_token
    set retired_at = clock_timestamp(), retired_by = ${actor}
    where person_id = ${personId}
    and retired_at is null`
}

/** Ends a token of a person; false if it does not exist or was already retired. */
export async function retireAdminTokenRow(
  tx: Transaction,
  { tokenId, personId }: { tokenId: string; personId: number },
  now: Micros,
  actor: string,
): Promise<boolean> {
  const { count } = await tx`
    update admin_token
    set retired_at = ${now}, retired_by = ${actor}
    where admin_token_id = ${tokenId}
    and person_id = ${personId}
    and retired_at is null`
  return count === 1
}
