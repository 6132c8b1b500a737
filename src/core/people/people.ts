// Invites people to the console, sets their role and programs, and disables them. Every change is audited.

import { invalidRequest, notFound, Problem, type ProblemItem } from '../../base/problem.ts'
import { type Db, inTransaction, type Sql, type Transaction } from '../../db/client.ts'
import { retireAdminTokensOf } from '../../db/people/admin-token-rows.ts'
import { deleteSessionsOf } from '../../db/people/console-sessions.ts'
import {
  countEnabledAdministrators,
  deleteInvitation,
  deleteInvitationOf,
  findInvited,
  findPerson,
  insertPerson,
  lockPerson,
  type PersonRow,
  replacePersonPrograms,
  updatePasswordHash,
  updatePerson,
  updatePersonDisabled,
  upsertInvitation,
} from '../../db/people/person-rows.ts'
import { foldText, isName } from '../../domain/values/folded-text.ts'
import { type AuditContext, recordAction } from '../audit/record-action.ts'
import { knownPerson } from './password-queue.ts'
import { changedConcurrently, hashPersonPassword, passwordErrors } from './passwords.ts'
import { actorOf, type Role, roles } from './roles.ts'
import { hashToken, mintToken } from './sign-in-tokens.ts'

/** How long the link for choosing a password is valid. */
const invitationMicros = 7 * 86_400 * 1_000_000

/** A person as entered by an administrator. */
interface PersonDraft {
  email: string
  name: string
  role: string
  /** Slugs; only for a program administrator. */
  programs: readonly string[]
}

/** An email address in the form used for comparison. */
export const foldEmail = foldText

/** Whether a text has the form of an email address. */
export const isEmail = (text: string): boolean =>
  /^[^\s@]+@[^\s@]+$/.test(text) && text.length <= 254 && !/\p{C}/u.test(text)

/**
 * Adds a person and returns the token of their link for choosing a password. The token is not stored and not shown again. Throws Problem
 * `invalid_request` naming every invalid field.
 */
export async function invitePerson(
  sql: Sql,
  draft: PersonDraft,
  by: AuditContext,
): Promise<{ personId: number; token: string }> {
  const { email, name, role, programs } = checkDraft(draft)
  return inTransaction(sql, async tx => {
    const personId = await insertPerson(tx, {
      email,
      email_folded: foldEmail(email),
      name,
      role,
      created_by: by.actor,
    })
    if (personId === undefined)
      throw refused([{ parameter: 'email', code: 'taken', detail: 'A person with this email address already exists.' }])
    await givePrograms(tx, personId, programs)
    const token = await storeInvitation(tx, personId, by)
    await recordAction(tx, by, 'person_invited', email, { role, ...programsOf(role, programs) })
    return { personId, token }
  })
}

/** Creates a new link for a person who has lost their password or never chose one. The old password remains valid until the link is used. */
export async function inviteAgain(sql: Sql, personId: number, by: AuditContext): Promise<string> {
  return inTransaction(sql, async tx => {
    const person = (await lockPerson(tx, personId)) ?? noSuchPerson()
    if (person.disabled_at !== null) throw conflict('This person is disabled. Enable them first.')
    const token = await storeInvitation(tx, personId, by)
    await recordAction(tx, by, 'person_invited_again', person.email)
    return token
  })
}

/**
 * Changes name, role and programs. The last administrator and intermediaries cannot get another role. Takes effect with the session's next request.
 */
export async function editPerson(
  sql: Sql,
  personId: number,
  draft: Omit<PersonDraft, 'email'>,
  by: AuditContext,
): Promise<void> {
  await inTransaction(sql, async tx => {
    const person = await requirePerson(tx, personId)
    const open = person.role === 'INTERMEDIARY' ? (['INTERMEDIARY'] as const) : roles
    const { name, role, programs } = checkDraft({ ...draft, email: person.email }, open)
    if (person.role === 'ADMINISTRATOR' && role !== 'ADMINISTRATOR' && person.disabled_at === null)
      await keepOneAdministrator(tx)
    await updatePerson(tx, personId, { name, role })
    await givePrograms(tx, personId, programs)
    await recordAction(tx, by, 'person_edited', person.email, { name, role, ...programsOf(role, programs) })
  })
}

/**
 * Disables a person: ends all of their sessions and tokens and the link for choosing a password, and prevents new ones. Their earlier actions remain.
 * The last administrator cannot be disabled.
 */
export async function disablePerson(sql: Sql, personId: number, by: AuditContext): Promise<void> {
  await inTransaction(sql, async tx => {
    const person = await requirePerson(tx, personId)
    if (person.disabled_at !== null) return
    if (person.role === 'ADMINISTRATOR') await keepOneAdministrator(tx)
    await updatePersonDisabled(tx, personId, by.actor)
    await deleteSessionsOf(tx, personId)
    await retireAdminTokensOf(tx, personId, by.actor)
    await deleteInvitationOf(tx, personId)
    await recordAction(tx, by, 'person_disabled', person.email)
  })
}

export async function enablePerson(sql: Sql, personId: number, by: AuditContext): Promise<void> {
  await inTransaction(sql, async tx => {
    const person = await requirePerson(tx, personId)
    if (await updatePersonDisabled(tx, personId, null)) await recordAction(tx, by, 'person_enabled', person.email)
  })
}

/**
 * Sets the password that the person of a link chose, and ends all their sessions and tokens, because this is how to recover an account that somebody
 * else has used. The link cannot be used again. Throws Problem `not_found` if the link is no longer valid, `invalid_request` for an invalid password.
 */
export async function acceptInvitation(
  sql: Sql,
  token: string,
  password: string,
  by: Omit<AuditContext, 'actor'>,
): Promise<{ person_id: number; email: string }> {
  const invited = await findInvited(sql, hashToken(token), by.now)
  if (invited === undefined) throw usedUp()
  refuse(passwordErrors(password, invited))
  const passwordHash = await hashPersonPassword(password, knownPerson(invited))
  return inTransaction(sql, async tx => {
    // If two people use the same link concurrently, the second finds it already used.
    if (!(await deleteInvitation(tx, hashToken(token)))) throw usedUp()
    await updatePasswordHash(tx, invited.person_id, passwordHash)
    await deleteSessionsOf(tx, invited.person_id)
    const actor = actorOf(invited)
    await retireAdminTokensOf(tx, invited.person_id, actor)
    await recordAction(tx, { ...by, actor }, 'password_chosen', invited.email)
    return invited
  })
}

/**
 * Changes one's own password. All other sessions end; tokens keep working. Throws Problem `invalid_request`, and `unauthenticated` if the
 * password's hash is no longer `earlier`.
 */
export async function changePassword(
  sql: Sql,
  person: { person_id: number; email: string; name: string },
  { password, earlier }: { password: string; earlier: string },
  by: AuditContext,
  session: Buffer,
): Promise<void> {
  refuse(passwordErrors(password, person))
  const passwordHash = await hashPersonPassword(password, knownPerson(person))
  await inTransaction(sql, async tx => {
    if (!(await updatePasswordHash(tx, person.person_id, passwordHash, earlier))) throw changedConcurrently()
    await deleteSessionsOf(tx, person.person_id, session)
    await recordAction(tx, by, 'password_changed', person.email)
  })
}

/** `open`: the roles that the person may be given. */
function checkDraft(draft: PersonDraft, open: readonly Role[] = roles): PersonDraft & { role: Role } {
  const email = draft.email.trim()
  const name = draft.name.trim()
  const role = open.find(known => known === draft.role)
  const errors: ProblemItem[] = []
  if (!isName(name, 200))
    errors.push({
      parameter: 'name',
      code: 'missing',
      detail: 'Enter a name on one line, with at most 200 characters and no tabs.',
    })
  if (!isEmail(email))
    errors.push({
      parameter: 'email',
      code: 'not_an_email',
      detail: 'Enter an email address such as name@example.gov.',
    })
  if (role === undefined) errors.push({ parameter: 'role', code: 'unknown_role', detail: 'Choose a role.' })
  const programs = [...new Set(draft.programs)]
  if (role === 'PROGRAM_ADMINISTRATOR' && programs.length === 0)
    errors.push({ parameter: 'programs', code: 'missing', detail: 'Choose at least one program.' })
  if (role !== undefined && role !== 'PROGRAM_ADMINISTRATOR' && programs.length > 0)
    errors.push({
      parameter: 'programs',
      code: 'not_allowed',
      detail: 'Clear the selection. This role has access to all programs.',
    })
  refuse(errors)
  return { email, name, role: role!, programs }
}

/** For the audit log: the programs of a role that is limited to some; nothing for other roles. */
const programsOf = (role: Role, programs: readonly string[]) => (role === 'PROGRAM_ADMINISTRATOR' ? { programs } : {})

async function givePrograms(tx: Transaction, personId: number, programs: readonly string[]): Promise<void> {
  const unknown = await replacePersonPrograms(tx, personId, programs)
  refuse(
    unknown.map(slug => ({ parameter: 'programs', code: 'unknown_program', detail: `There is no program "${slug}".` })),
  )
}

/** Creates a person's link for choosing a password, and returns its token. */
export async function storeInvitation(
  tx: Transaction,
  personId: number,
  { actor, now }: AuditContext,
): Promise<string> {
  const token = mintToken()
  await upsertInvitation(tx, {
    person_id: personId,
    token_hash: hashToken(token),
    created_at: now,
    created_by: actor,
    expires_at: now + invitationMicros,
  })
  return token
}

const noSuchPerson = () => notFound('There is no person with this ID.')

/** Throws Problem `not_found`. */
export const requirePerson = async (db: Db, personId: number): Promise<PersonRow> =>
  (await findPerson(db, personId)) ?? noSuchPerson()

async function keepOneAdministrator(tx: Transaction): Promise<void> {
  if ((await countEnabledAdministrators(tx)) > 1) return
  throw conflict('This is the only administrator who can sign in. Make someone else an administrator first.')
}

function refuse(errors: readonly ProblemItem[]): void {
  if (errors.length > 0) throw refused(errors)
}
const refused = (errors: readonly ProblemItem[]): Problem => invalidRequest('Some fields are invalid.', errors)
const conflict = (detail: string): Problem => new Problem('conflict', { detail })
const usedUp = (): Problem =>
  new Problem('not_found', {
    detail: 'This link has expired or has already been used or replaced. Ask an administrator for a new one.',
  })
