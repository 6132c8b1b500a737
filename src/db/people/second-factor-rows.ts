// Statements for second factors: the sealed secret of a person's codes, and hashes of recovery codes.

import { type Db, findRow, type Transaction } from '../client.ts'

interface SecondFactorRow {
  person_id: number
  sealed_secret: Buffer
  /** The last time step for which a code was accepted. */
  used_step: number
  /** By the number of the code; empty for a used one. */
  recovery_hashes: string[]
}

export async function findSecondFactor(
  db: Db,
  personId: number,
): Promise<Pick<SecondFactorRow, 'sealed_secret' | 'recovery_hashes'> | undefined> {
  return findRow<SecondFactorRow>(db)`
    select sealed_secret, recovery_hashes
    from second_factor
    where person_id = ${personId}`
}

export async function upsertSecondFactor(tx: Transaction, factor: SecondFactorRow): Promise<void> {
  await tx`
    insert into second_factor (person_id, sealed_secret, used_step, recovery_hashes)
    values (${factor.person_id}, ${factor.sealed_secret}, ${factor.used_step}, ${factor.recovery_hashes}::text[])
    on conflict (person_id) do update
    set sealed_secret = excluded.sealed_secret, used_step = excluded.used_step, recovery_hashes = excluded.recovery_hashes,
      created_at = excluded.created_at`
}

/** False if a code of this step or a later one was already accepted. Of two concurrent uses, only one succeeds. */
export async function takeStep(db: Db, personId: number, step: number): Promise<boolean> {
  const { count } = await db`
    update second_factor
    set used_step = ${step}
    where person_id = ${personId}
    and used_step < ${step}`
  return count === 1
}

/** False if it was already used. */
export async function takeRecoveryHash(db: Db, personId: number, hash: string): Promise<boolean> {
  const { count } = await db`
    update second_factor
    set recovery_hashes = array_replace(recovery_hashes, ${hash}, '')
    where person_id = ${personId}
    and ${hash} = any(recovery_hashes)`
  return count === 1
}

export async function deleteSecondFactor(tx: Transaction, personId: number): Promise<boolean> {
  const { count } = await tx`delete from second_factor where person_id = ${personId}`
  return count === 1
}
