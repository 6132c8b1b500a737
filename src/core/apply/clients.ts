// The clients of an organization, for whom its people apply. A client is an applicant like any other and has a code.

import { invalidRequest, notFound } from '../../base/problem.ts'
import { findClientOfForm, insertClient, isClient } from '../../db/apply/client-rows.ts'
import { inTransaction, type Sql } from '../../db/client.ts'
import type { ActingIntermediary } from '../../db/people/intermediary-rows.ts'
import { foldText, isName } from '../../domain/values/folded-text.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { isUuid } from '../../domain/values/uuid.ts'
import { recordAction } from '../audit/record-action.ts'
import { actorOfKey, addApplicant, type FrontEndKey } from '../intake/register-applicant.ts'
import { type ApplyRules, beginApplying, beginSession } from './apply-sessions.ts'

interface ClientDraft {
  name: string
  language: string
  /** UUID of the form. If the form is sent again, it opens the client that it registered. */
  formKey: string
}

/**
 * Registers a client of the intermediary's organization and starts a session for them. Returns the cookie's token. Throws Problem `invalid_request`
 * if the name is invalid, `not_found` if the form has registered another organization's client.
 */
export async function registerClient(
  sql: Sql,
  rules: ApplyRules,
  key: FrontEndKey,
  intermediary: ActingIntermediary,
  draft: ClientDraft,
  now: Micros,
): Promise<string> {
  const name = draft.name.trim()
  if (!isName(name, 200) || !isUuid(draft.formKey))
    throw invalidRequest('Some fields are invalid.', [
      { parameter: 'name', code: 'missing', detail: 'Enter a name on one line, with at most 200 characters.' },
    ])
  const { organization_id } = intermediary
  const client = { organization_id, name, name_folded: foldText(name), form_key: draft.formKey }
  try {
    return await inTransaction(sql, async tx => {
      const applicant_id = await addApplicant(tx, key, draft.language)
      await insertClient(tx, { ...client, applicant_id })
      return beginApplying(tx, rules, applicant_id, now, intermediary.intermediary_id)
    })
  } catch (error) {
    if ((error as { code?: string }).code !== '23505') throw error
    // The form may have registered another organization's client.
    const registered = await findClientOfForm(sql, client)
    return registered === undefined ? noSuchClient() : openClient(sql, rules, key, intermediary, registered, now)
  }
}

const noSuchClient = (): never => notFound('The organization has no such client.')

/** Starts a session for a client of the intermediary's organization. Returns the cookie's token. Throws Problem `not_found`. */
export async function openClient(
  sql: Sql,
  rules: ApplyRules,
  key: FrontEndKey,
  { intermediary_id, organization_id }: ActingIntermediary,
  applicantId: number,
  now: Micros,
): Promise<string> {
  return inTransaction(sql, async tx => {
    if (!(await isClient(tx, organization_id, applicantId))) noSuchClient()
    const by = { actor: actorOfKey(key), address: key.address }
    await recordAction(tx, by, 'client_opened', String(applicantId), { organization_id })
    return beginSession(tx, rules, { applicant_id: applicantId, code: '', codeShown: true, intermediary_id }, now)
  })
}
