// Maps an identity of an OpenID provider to a person of the console.

import { Problem } from '../../base/problem.ts'
import { inTransaction, type Sql } from '../../db/client.ts'
import { retireAdminTokensOf } from '../../db/people/admin-token-rows.ts'
import { deleteSessionsOf } from '../../db/people/console-sessions.ts'
import { deleteIdentity, findIdentified, insertIdentity, lockPersonByEmail } from '../../db/people/identity-rows.ts'
import { type AuditContext, recordAction } from '../audit/record-action.ts'
import { foldEmail } from './people.ts'
import { actorOf } from './roles.ts'

/** The person vouched for by the provider. */
export interface Identity {
  issuer: string
  subject: string
  /** Only if verified by the provider. */
  email: string | undefined
}

type Found = { person_id: number; email: string } | { refused: string }

/**
 * The person with this identity, or the reason if there is none, which is only for the audit log. The email address is used once: afterwards, a
 * person is recognized by issuer and subject, and the address may be reassigned. Storing the identity is audited.
 */
export async function findPersonOf(
  sql: Sql,
  { issuer, subject, email }: Identity,
  address: string | undefined,
): Promise<Found> {
  const known = await findIdentified(sql, issuer, subject)
  if (known !== undefined) return enabled(known)
  if (email === undefined) return { refused: 'no_verified_email' }
  return inTransaction(sql, async tx => {
    const person = await lockPersonByEmail(tx, foldEmail(email))
    if (person === undefined) return { refused: 'unknown_email' }
    if (person.disabled) return { refused: 'disabled' }
    if (await insertIdentity(tx, { issuer, subject, person_id: person.person_id })) {
      const by = { actor: actorOf(person), address }
      await recordAction(tx, by, 'identity_remembered', person.email, { issuer, subject })
      return { person_id: person.person_id, email: person.email }
    }
    // The same identity may have arrived twice concurrently; otherwise the address now belongs to someone else.
    const since = await findIdentified(tx, issuer, subject)
    return since === undefined ? { refused: 'another_subject' } : enabled(since)
  })
}

const enabled = ({ person_id, email, disabled }: { person_id: number; email: string; disabled: boolean }): Found =>
  disabled ? { refused: 'disabled' } : { person_id, email }

/**
 * Unlinks a person from a provider's account, and ends their sessions and tokens. The next account with the person's verified email address
 * is linked to them. Throws Problem `not_found` if no account was linked.
 */
export async function forgetIdentity(
  sql: Sql,
  { personId, email, issuer }: { personId: number; email: string; issuer: string },
  by: AuditContext,
): Promise<void> {
  await inTransaction(sql, async tx => {
    const subject = await deleteIdentity(tx, personId, issuer)
    if (subject === undefined)
      throw new Problem('not_found', { detail: 'This person has no linked account at the provider.' })
    await deleteSessionsOf(tx, personId)
    await retireAdminTokensOf(tx, personId, by.actor)
    await recordAction(tx, by, 'identity_forgotten', email, { issuer, subject })
  })
}
