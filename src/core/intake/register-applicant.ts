// Registers applicants of a front end and changes their preferred language.

import { type ApplicantName, insertApplicant, updateApplicantLanguage } from '../../db/applications/applicants.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import { inTransaction, type Sql, type Transaction } from '../../db/client.ts'
import { noSuchApplicant } from './refusals.ts'

/** The API key of a front end, for intake and its audit entries. */
export interface FrontEndKey {
  api_key_id: string
  /** The front end whose applicants the key can access (D26). */
  front_end: string
  /** Client address of the request. */
  address: string
  /** Who acts, for the audit log; the API key by default. */
  actor?: string
}

/** The actor's name in the audit log. */
export const actorOfKey = ({ actor, api_key_id }: FrontEndKey): string => actor ?? `key:${api_key_id}`

/** Creates an applicant of the key's front end and returns its ID. `language` is canonical. */
export async function registerApplicant(sql: Sql, key: FrontEndKey, language: string): Promise<number> {
  return inTransaction(sql, tx => addApplicant(tx, key, language))
}

/** The same within a transaction. */
export async function addApplicant(tx: Transaction, key: FrontEndKey, language: string): Promise<number> {
  const applicantId = await insertApplicant(tx, key.front_end, language)
  await auditApplicant(tx, key, 'applicant_registered', applicantId)
  return applicantId
}

/** Throws Problem `not_found` if the key's front end has no such applicant. `language` is canonical. */
export async function changeLanguage(sql: Sql, key: FrontEndKey, applicantId: number, language: string): Promise<void> {
  await inTransaction(sql, async tx => {
    const name: ApplicantName = { applicant_id: applicantId, front_end: key.front_end }
    if (!(await updateApplicantLanguage(tx, name, language))) throw noSuchApplicant()
    await auditApplicant(tx, key, 'applicant_language_changed', applicantId)
  })
}

/** Contains IDs only: personal data, including the language, stays out of the audit log. */
async function auditApplicant(tx: Transaction, key: FrontEndKey, action: string, applicantId: number): Promise<void> {
  const { front_end, address } = key
  const subject = String(applicantId)
  await appendAuditEvent(tx, { actor: actorOfKey(key), action, subject, address, detail: { front_end } })
}
