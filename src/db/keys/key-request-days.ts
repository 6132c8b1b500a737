// Requests of API keys by day and outcome, for the charts on a key's page.

import type { Static } from 'typebox'
import type { Db } from '../client.ts'
import { integer, row, text } from '../row-schemas.ts'

export const keyRequestDay = row({
  /** `2026-01-31`, in the instance's time zone. */
  day: text,
  /** `complete`, `interrupted`, the status of an error such as `400`, or the reason for a 401. */
  outcome: text,
  requests: integer,
})
export type KeyRequestDay = Static<typeof keyRequestDay>

/** Adds to the counts, always in the same order so that processes writing at the same time don’t deadlock. */
export async function addKeyRequests(
  db: Db,
  counts: readonly (KeyRequestDay & { api_key_id: string })[],
): Promise<void> {
  await db`
    insert into api_key_request_day (api_key_id, day, outcome, requests)
    select c.api_key_id, c.day, c.outcome, c.requests
    from json_to_recordset(${JSON.stringify(counts)}::text::json) as c (api_key_id text, day date, outcome text, requests bigint)
    order by c.api_key_id, c.day, c.outcome
    on conflict (api_key_id, day, outcome) do update
    set requests = api_key_request_day.requests + excluded.requests`
}

export async function deleteKeyRequestsBefore(db: Db, day: string): Promise<void> {
  await db`delete from api_key_request_day where day < ${day}::date`
}

/** The requests of a key from a day on, oldest first. */
export async function readKeyRequestDays(db: Db, apiKeyId: string, since: string): Promise<KeyRequestDay[]> {
  return db<KeyRequestDay[]>`
    select day::text as day, outcome, requests
    from api_key_request_day
    where api_key_id = ${apiKeyId}
    and day >= ${since}::date
    order by day, requests desc, outcome`
}
