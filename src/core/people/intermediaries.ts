// Adds, renames and disables organizations that submit for applicants, and their people. Every change is audited.

import { invalidRequest, notFound, Problem } from '../../base/problem.ts'
import { deleteApplySessionsOf, deleteCodesWithin } from '../../db/apply/apply-rows.ts'
import { inTransaction, type Sql, type Transaction } from '../../db/client.ts'
import { deleteSessionsWithin } from '../../db/people/console-sessions.ts'
import {
  findIntermediary,
  findOrganization,
  holdIntermediaries,
  type IntermediaryRow,
  insertIntermediary,
  insertOrganization,
  type OrganizationRow,
  updateIntermediaryDisabled,
  updateOrganizationDisabled,
  updateOrganizationName,
} from '../../db/people/intermediary-rows.ts'
import { insertPerson } from '../../db/people/person-rows.ts'
import { foldText, isName } from '../../domain/values/folded-text.ts'
import { type AuditContext, recordAction } from '../audit/record-action.ts'
import { isEmail, storeInvitation } from './people.ts'

/** Adds an organization and returns its ID. Throws Problem `invalid_request` if the name is invalid. */
export async function addOrganization(sql: Sql, name: string, by: AuditContext): Promise<number> {
  const named = checkName(name)
  return inTransaction(sql, async tx => {
    const id = await insertOrganization(tx, { ...named, created_by: by.actor })
    if (id === undefined) throw nameTaken()
    await recordAction(tx, by, 'intermediary_organization_added', named.name, { organization_id: id })
    return id
  })
}

/** Renames an organization. Earlier submissions keep the previous name. */
export async function renameOrganization(sql: Sql, id: number, name: string, by: AuditContext): Promise<void> {
  const named = checkName(name)
  await inTransaction(sql, async tx => {
    await requireOrganization(tx, id)
    const before = await updateOrganizationName(tx, id, named).catch(error => {
      throw error.code === '23505' ? nameTaken() : error
    })
    if (before === named.name) return
    await recordAction(tx, by, 'intermediary_organization_renamed', named.name, { organization_id: id, before })
  })
}

/** Disables an organization, so that its people are neither listed nor signed in, or enables it with its earlier people. */
export async function setOrganizationDisabled(
  sql: Sql,
  id: number,
  disabled: boolean,
  by: AuditContext,
): Promise<void> {
  await inTransaction(sql, async tx => {
    const { name } = await requireOrganization(tx, id)
    await holdIntermediaries(tx, { organizationId: id })
    if (!(await updateOrganizationDisabled(tx, id, disabled ? by.actor : null))) return
    if (disabled) await deleteSessionsWithin(tx, { organizationId: id })
    const action = disabled ? 'intermediary_organization_disabled' : 'intermediary_organization_enabled'
    await recordAction(tx, by, action, name, { organization_id: id })
  })
}

/** Adds a person to an organization. One person may be in several. Throws Problem `invalid_request` if the email address is invalid. */
export async function addIntermediary(sql: Sql, organizationId: number, text: string, by: AuditContext): Promise<void> {
  await inTransaction(sql, async tx => {
    const { name } = await requireOrganization(tx, organizationId)
    const email = text.trim()
    if (!isEmail(email)) throw refused('email', 'not_an_email', 'Enter an email address such as name@example.org.')
    const person = { organization_id: organizationId, email, email_folded: foldText(email), created_by: by.actor }
    if (!(await insertIntermediary(tx, person)))
      throw refused('email', 'taken', 'This organization already has a person with this email address.')
    await recordAction(tx, by, 'intermediary_added', email, { organization_id: organizationId, organization: name })
  })
}

/**
 * Lets a person of an organization sign in and apply for its clients. Returns the token of their link for choosing a password. Throws Problem
 * `invalid_request` if the name is invalid or another person has the email address, and `conflict` if they are disabled.
 */
export async function inviteIntermediary(
  sql: Sql,
  place: IntermediaryPlace,
  text: string,
  by: AuditContext,
): Promise<{ personId: number; token: string }> {
  const { name } = checkName(text)
  return inTransaction(sql, async tx => {
    const organization = await requireOrganization(tx, place.organizationId)
    const { intermediary_id, email, email_folded, disabled_at } = await requireIntermediary(tx, place)
    if (organization.disabled_at !== null || disabled_at !== null)
      throw new Problem('conflict', { detail: 'The organization or this person is disabled. Enable them first.' })
    const person = { email, email_folded, name, role: 'INTERMEDIARY', intermediary_id, created_by: by.actor } as const
    const personId = await insertPerson(tx, person)
    if (personId === undefined)
      throw refused('name', 'taken', 'A person with this email address can already sign in. See People.')
    const token = await storeInvitation(tx, personId, by)
    const detail = { role: person.role, organization_id: place.organizationId, organization: organization.name }
    await recordAction(tx, by, 'person_invited', email, detail)
    return { personId, token }
  })
}

interface IntermediaryPlace {
  organizationId: number
  intermediaryId: number
}

/** Throws Problem `not_found`. */
export const requireIntermediary = async (
  db: Sql | Transaction,
  { organizationId, intermediaryId }: IntermediaryPlace,
): Promise<IntermediaryRow> =>
  (await findIntermediary(db, organizationId, intermediaryId)) ??
  notFound('There is no person with this ID in this organization.')

/** Disables or enables a person of an organization. */
export async function setIntermediaryDisabled(
  sql: Sql,
  place: IntermediaryPlace,
  disabled: boolean,
  by: AuditContext,
): Promise<void> {
  const { organizationId, intermediaryId } = place
  await inTransaction(sql, async tx => {
    const { name } = await requireOrganization(tx, organizationId)
    const person = await requireIntermediary(tx, place)
    await holdIntermediaries(tx, place)
    if (!(await updateIntermediaryDisabled(tx, intermediaryId, disabled ? by.actor : null))) return
    if (disabled) await deleteSessionsWithin(tx, place)
    const action = disabled ? 'intermediary_disabled' : 'intermediary_enabled'
    await recordAction(tx, by, action, person.email, { organization_id: organizationId, organization: name })
  })
}

/**
 * Revokes the codes of clients that an organization's people, or one of them, have seen, and ends these clients' sessions. They get new codes from
 * their organization or from an administrator. Audited.
 */
export async function revokeClientCodes(
  sql: Sql,
  place: { organizationId: number; intermediaryId?: number },
  by: AuditContext,
): Promise<void> {
  const { organizationId, intermediaryId } = place
  await inTransaction(sql, async tx => {
    const { name } = await requireOrganization(tx, organizationId)
    const person =
      intermediaryId === undefined ? undefined : await requireIntermediary(tx, { organizationId, intermediaryId })
    const applicantIds = await deleteCodesWithin(tx, place)
    if (applicantIds.length === 0) return
    await deleteApplySessionsOf(tx, applicantIds)
    const detail = { organization_id: organizationId, organization: name, codes: applicantIds.length }
    await recordAction(tx, by, 'client_codes_revoked', person?.email ?? name, detail)
  })
}

/** Throws Problem `not_found`. */
export async function requireOrganization(db: Sql | Transaction, id: number): Promise<OrganizationRow> {
  return (await findOrganization(db, id)) ?? notFound('There is no organization with this ID.')
}

function checkName(text: string): { name: string; name_folded: string } {
  const name = text.trim()
  if (!isName(name, 200))
    throw refused('name', 'missing', 'Enter a name on one line, with at most 200 characters and no tabs.')
  return { name, name_folded: foldText(name) }
}

const refused = (parameter: string, code: string, detail: string): Problem =>
  invalidRequest('Some fields are invalid.', [{ parameter, code, detail }])
const nameTaken = (): Problem => refused('name', 'taken', 'An organization with this name already exists.')
