// Statements for people's identities at an OpenID provider.

import type { Static } from 'typebox'
import { type Db, findRow, findValue, type Transaction } from '../client.ts'
import { row, text, time } from '../row-schemas.ts'
import { isEnabled } from './person-rows.ts'

interface Identified {
  person_id: number
  email: string
  disabled: boolean
}

/** Whose identity this is. */
export async function findIdentified(db: Db, issuer: string, subject: string): Promise<Identified | undefined> {
  return findRow<Identified>(db)`
    select p.person_id, p.email, not (${isEnabled(db)}) as disabled
    from person_identity i
    join person p using (person_id)
    where i.issuer = ${issuer}
    and i.subject = ${subject}`
}

/** The person with an email, locked so that of two concurrent identities one is linked. */
export async function lockPersonByEmail(tx: Transaction, emailFolded: string): Promise<Identified | undefined> {
  return findRow<Identified>(tx)`
    select person_id, email, not (${isEnabled(tx)}) as disabled
    from person p
    where email_folded = ${emailFolded}
    for update of p`
}

export const identityRow = row({
  issuer: text,
  subject: text,
  created_at: time,
})
export type IdentityRow = Static<typeof identityRow>

/** A person's linked accounts at providers. */
export async function readIdentities(db: Db, personId: number): Promise<IdentityRow[]> {
  return db<IdentityRow[]>`
    select issuer, subject, created_at
    from person_identity
    where person_id = ${personId}
    order by issuer`
}

/** Unlinks a person's account at a provider, and returns the link; undefined if there was none. */
export async function deleteIdentity(tx: Transaction, personId: number, issuer: string): Promise<string | undefined> {
  return findValue<string>(tx)`
    delete from person_identity
    where person_id = ${personId}
    and issuer = ${issuer}
    returning subject`
}

/** Links an account to this person; false if it is already linked, or the person has another account of the same issuer. */
export async function insertIdentity(
  tx: Transaction,
  identity: { issuer: string; subject: string; person_id: number },
): Promise<boolean> {
  const { count } = await tx`
    insert into person_identity (issuer, subject, person_id)
    values (${identity.issuer}, ${identity.subject}, ${identity.person_id})
    on conflict do nothing`
  return count === 1
}
