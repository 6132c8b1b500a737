// Statements for applicants. An applicant is found only together with its front end (D26). Language tags must be canonical.

import { type Db, readValue, type Transaction } from '../client.ts'

/** An applicant as a request names it: to a key of another front end than `front_end` it does not exist. */
export interface ApplicantName {
  applicant_id: number
  front_end: string
}

/** Makes an applicant of a front end and gives its id, one that was never given, by a server that is lost neither. */
export async function insertApplicant(db: Db, front_end: string, language: string): Promise<number> {
  return readValue<number>(db)`
    with noted as materialized (select note_history())
    insert into applicant (front_end, language)
    select ${front_end}::text, ${language}::text
    from noted
    returning applicant_id`
}

/** Whether the front end has such an applicant to change. */
export async function updateApplicantLanguage(db: Db, name: ApplicantName, language: string): Promise<boolean> {
  const { count } = await db`
    update applicant
    set language = ${language}, updated_at = clock_timestamp()
    where applicant_id = ${name.applicant_id}
    and front_end = ${name.front_end}`
  return count === 1
}

/** As `isApplicant`; the applicant is not erased until the transaction ends. Call it before any other lock. */
export async function holdApplicant(tx: Transaction, name: ApplicantName): Promise<boolean> {
  const rows = await tx`
    select applicant_id
    from applicant
    where applicant_id = ${name.applicant_id}
    and front_end = ${name.front_end}
    for key share`
  return rows.length === 1
}

/** Whether the front end has such an applicant. */
export async function isApplicant(db: Db, name: ApplicantName): Promise<boolean> {
  const rows = await db`
    select applicant_id
    from applicant
    where applicant_id = ${name.applicant_id}
    and front_end = ${name.front_end}`
  return rows.length === 1
}
