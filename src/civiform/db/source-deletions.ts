// Reads CiviForm's records of its deletions, which it has kept since evolution 92.

import type { Source } from './source.ts'

/** By the record's ID, after one. */
export async function readDeletedApplications(
  source: Source,
  afterId: number,
): Promise<{ id: number; application_id: number }[]> {
  return source`
    select id, application_id
    from application_deletion_record
    where id > ${afterId}
    and application_id is not null
    order by id`
}

/** With the applicants of each account, which are stored as a text that lists them. */
export async function readDeletedAccounts(
  source: Source,
  afterId: number,
): Promise<{ id: number; applicant_ids: number[] }[]> {
  const rows = await source<{ id: number; applicant_ids: string }[]>`
    select id, applicant_ids
    from account_deletion_record
    where id > ${afterId}
    order by id`
  return rows.map(({ id, applicant_ids }) => ({
    id,
    applicant_ids: (applicant_ids.match(/[0-9]{1,15}/g) ?? []).map(Number),
  }))
}
