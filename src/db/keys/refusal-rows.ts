// Statements for requests that got a 401, with the reasons.

import type { Static } from 'typebox'
import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow } from '../client.ts'
import { row, text, textOrNull, time } from '../row-schemas.ts'

export const refusalRow = row({
  request_id: text,
  happened_at: time,
  reason: text,
  api_key_id: textOrNull,
  address: textOrNull,
  path: text,
})
export type Refusal = Static<typeof refusalRow>

export async function insertRefusals(db: Db, refusals: readonly Refusal[]): Promise<void> {
  await db`insert into refusal ${db(refusals as never)} on conflict (request_id) do nothing`
}

/** Removes refusals before an instant, and the oldest beyond `rowsMax`. */
export async function deleteOldRefusals(db: Db, before: Micros, rowsMax: number): Promise<void> {
  await db`
    delete from refusal
    where happened_at < ${before}
    or refusal_id <= (select max(refusal_id) from refusal) - ${rowsMax}`
}

export async function findRefusal(db: Db, requestId: string): Promise<Refusal | undefined> {
  return findRow<Refusal>(db)`
    select request_id, happened_at, reason, api_key_id, host(address) as address, path
    from refusal
    where request_id = ${requestId}`
}

/** The newest refusals of a recognized key, from the last month or a shorter time. */
export async function readRefusalsOf(
  db: Db,
  apiKeyId: string,
  rowsMax: number,
  { from, to }: { from?: Micros; to?: Micros } = {},
): Promise<Refusal[]> {
  return db<Refusal[]>`
    select request_id, happened_at, reason, api_key_id, host(address) as address, path
    from refusal
    where api_key_id = ${apiKeyId}
    and happened_at > clock_timestamp() - interval '30 days'
    ${from === undefined ? db`` : db`and happened_at >= ${from}`}
    ${to === undefined ? db`` : db`and happened_at < ${to}`}
    order by refusal_id desc
    limit ${rowsMax}`
}
