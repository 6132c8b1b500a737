// Statements for applicants. An applicant is found only together with its front end (D26). Language tags must be canonical.

import { type Db, readValue, type Transaction } from '../client.ts'

/** An applicant named in a request. A key of another front end than `front_end` cannot see it. */
export interface ApplicantName {
  applicant_id: number
  front_end: string
}

/** Adds an applicant of a front end and returns its ID, which was never issued before, not even by a server that has since been lost. */
export async function insertApplicant(db: Db, front_end: string, language: string): Promise<number> {
  return readValue<number>(db)`
    with noted as materialized (select note_history())
    insert into applicant (front_end, language)
    select ${front_end}::text, ${language}::text
    from noted
    returning applicant_id`
}

/** Whether the front end has this applicant, for a change. */
export async function updateApplicantLanguage(db: Db, name: ApplicantName, language: string): Promise<boolean> {
  const { count } = await db`
    update applicant
    set language = ${language}, updated_at = clock_timestamp()
    where applicant_id = ${name.applicant_id}
    and front_end = ${name.front_end}`
  return count === 1
}

/** Like `isApplicant`; the applicant cannot be erased until the transaction ends. Call it before any other lock. */
export async function holdApplicant(tx: Transaction, name: ApplicantName): Promise<boolean> {
  const rows = await tx`
    select applicant_id
    from applicant
    where applicant_id = ${name.applicant_id}
    and front_end = ${name.front_end}
    for key share`
  return rows.length === 1
}

/** Whether the front end has this applicant. */
export async function isApplicant(db: Db, name: ApplicantName): Promise<boolean> {
  const rows = await db`
    select applicant_id
    from applicant
    where applicant_id = ${name.applicant_id}
    and front_end = ${name.front_end}`
  return rows.length === 1
}
