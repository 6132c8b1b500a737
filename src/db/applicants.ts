// Applicants, as stored.
// It must not decide what a language may be; tags come in canonical form.

import type { Db } from './client.ts'

export interface Applicant {
  applicant_id: number
  /** Canonical language tag (BCP 47). */
  language: string
}

/** Makes an applicant and gives its id. */
export async function insertApplicant(db: Db, language: string): Promise<number> {
  const [row] = await db<{ applicant_id: number }[]>`
    insert into applicant (language)
    values (${language})
    returning applicant_id`
  return row!.applicant_id
}

/** Whether there was such an applicant to change. */
export async function updateApplicantLanguage(db: Db, applicantId: number, language: string): Promise<boolean> {
  const rows = await db`
    update applicant
    set language = ${language}, updated_at = clock_timestamp()
    where applicant_id = ${applicantId}
    returning applicant_id`
  return rows.length === 1
}

export async function findApplicant(db: Db, applicantId: number): Promise<Applicant | undefined> {
  const [row] = await db<Applicant[]>`
    select applicant_id, language
    from applicant
    where applicant_id = ${applicantId}`
  return row
}
