// Adds, renames and disables organizations that submit for applicants, and their people. Every change is audited.

import { invalidRequest, notFound, type Problem } from '../../base/problem.ts'
import { inTransaction, type Sql, type Transaction } from '../../db/client.ts'
import {
  findIntermediary,
  findOrganization,
  insertIntermediary,
  insertOrganization,
  type OrganizationRow,
  updateIntermediaryDisabled,
  updateOrganizationDisabled,
  updateOrganizationName,
} from '../../db/people/intermediary-rows.ts'
import { foldText, isName } from '../../domain/values/folded-text.ts'
import { type AuditContext, recordAction } from '../audit/record-action.ts'
import { isEmail } from './people.ts'

/** Adds an organization and gives its id. Throws Problem `invalid_request` when the name will not do. */
export async function addOrganization(sql: Sql, name: string, by: AuditContext): Promise<number> {
  const named = checkName(name)
  return inTransaction(sql, async tx => {
    const id = await insertOrganization(tx, { ...named, created_by: by.actor })
    if (id === undefined) throw nameTaken()
    await recordAction(tx, by, 'intermediary_organization_added', named.name, { organization_id: id })
    return id
  })
}

/** Renames an organization. What was submitted before keeps the name of then. */
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

/** Disables an organization, so that no person of it is listed, or enables it with the people it had. */
export async function setOrganizationDisabled(
  sql: Sql,
  id: number,
  disabled: boolean,
  by: AuditContext,
): Promise<void> {
  await inTransaction(sql, async tx => {
    const { name } = await requireOrganization(tx, id)
    if (!(await updateOrganizationDisabled(tx, id, disabled ? by.actor : null))) return
    const action = disabled ? 'intermediary_organization_disabled' : 'intermediary_organization_enabled'
    await recordAction(tx, by, action, name, { organization_id: id })
  })
}

/** Adds a person to an organization. One person may be in several. Throws Problem `invalid_request` when the e-mail will not do. */
export async function addIntermediary(sql: Sql, organizationId: number, text: string, by: AuditContext): Promise<void> {
  await inTransaction(sql, async tx => {
    const { name } = await requireOrganization(tx, organizationId)
    const email = text.trim()
    if (!isEmail(email)) throw refused('email', 'not_an_email', 'Enter an e-mail address such as name@example.org.')
    const person = { organization_id: organizationId, email, email_folded: foldText(email), created_by: by.actor }
    if (!(await insertIntermediary(tx, person)))
      throw refused('email', 'taken', 'This organization already has a person with this e-mail address.')
    await recordAction(tx, by, 'intermediary_added', email, { organization_id: organizationId, organization: name })
  })
}

/** Disables or enables a person of an organization. */
export async function setIntermediaryDisabled(
  sql: Sql,
  place: { organizationId: number; intermediaryId: number },
  disabled: boolean,
  by: AuditContext,
): Promise<void> {
  const { organizationId, intermediaryId } = place
  await inTransaction(sql, async tx => {
    const { name } = await requireOrganization(tx, organizationId)
    const person =
      (await findIntermediary(tx, organizationId, intermediaryId)) ??
      notFound('There is no person with this ID in this organization.')
    if (!(await updateIntermediaryDisabled(tx, intermediaryId, disabled ? by.actor : null))) return
    const action = disabled ? 'intermediary_disabled' : 'intermediary_enabled'
    await recordAction(tx, by, action, person.email, { organization_id: organizationId, organization: name })
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
