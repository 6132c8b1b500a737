// Statements for an organization's clients: applicants registered by its people.

import { type Db, findRow, findValue, type Transaction } from '../client.ts'

export interface OrganizationClient {
  applicant_id: number
  name: string
}

interface ClientSearch {
  organizationId: number
  /** Folded for comparison. */
  search: string
  /** Only clients with a lower ID. */
  before: number
  rowsMax: number
}

/** Clients of an organization whose name contains the search text, newest first; all clients for an empty text. */
export async function readClients(db: Db, wanted: ClientSearch): Promise<OrganizationClient[]> {
  return db<OrganizationClient[]>`
    select applicant_id, name
    from intermediary_client
    where organization_id = ${wanted.organizationId}
    and applicant_id < ${wanted.before}
    and strpos(name_folded, ${wanted.search}) > 0
    order by applicant_id desc
    limit ${wanted.rowsMax}`
}

/** Which of these applicants have saved answers that are not submitted yet. */
export async function readWhoStarted(db: Db, applicantIds: readonly number[]): Promise<Set<number>> {
  const rows = await db<{ applicant_id: number }[]>`
    select distinct applicant_id
    from application_in_progress
    where applicant_id = any(${applicantIds as number[]}::bigint[])`
  return new Set(rows.map(({ applicant_id }) => applicant_id))
}

export interface NewClient extends OrganizationClient {
  organization_id: number
  name_folded: string
  form_key: string
}

/** Throws a unique violation if this form has already registered a client. */
export async function insertClient(tx: Transaction, client: NewClient): Promise<void> {
  await tx`insert into intermediary_client ${tx({ ...client })}`
}

/** The applicant that the organization registered with this form. */
export async function findClientOfForm(
  db: Db,
  { organization_id, form_key }: Pick<NewClient, 'organization_id' | 'form_key'>,
): Promise<number | undefined> {
  return findValue<number>(db)`
    select applicant_id
    from intermediary_client
    where organization_id = ${organization_id}
    and form_key = ${form_key}`
}

/** Whether an applicant is a client of any organization, and who saw their code when it was created; undefined if the applicant is no client. */
export async function findClientCode(
  db: Db,
  applicantId: number,
): Promise<{ has_code: boolean; email: string | null } | undefined> {
  return findRow<{ has_code: boolean; email: string | null }>(db)`
    select code.applicant_id is not null as has_code, i.email
    from intermediary_client k
    left join apply_code code using (applicant_id)
    left join intermediary i using (intermediary_id)
    where k.applicant_id = ${applicantId}`
}

/** Whether this is a client of the organization. */
export async function isClient(db: Db, organizationId: number, applicantId: number): Promise<boolean> {
  const rows = await db`
    select applicant_id
    from intermediary_client
    where organization_id = ${organizationId}
    and applicant_id = ${applicantId}`
  return rows.length === 1
}
