// The outbox: jobs requested by transactions, until the relay hands them to the queue.

import type { JSONValue } from 'postgres'
import type { Db, Sql, Transaction } from '../client.ts'

interface OutboxJob {
  job_name: string
  job_id: string
  payload: object
  /** The trace of the request that added it, if it is traced. */
  traceparent?: string | null | undefined
}

const channel = 'outbox'

/** Adds jobs whose ID is not in the outbox yet, and wakes the relay when the transaction commits. */
export async function insertOutbox(db: Db, jobs: readonly OutboxJob[]): Promise<void> {
  if (jobs.length === 0) return
  await db`
    with added as (
      insert into outbox (job_name, job_id, payload, traceparent)
      select job_name, job_id, payload, traceparent
      from jsonb_to_recordset(${db.json(jobs as unknown as JSONValue)})
        as job (job_name text, job_id text, payload jsonb, traceparent text)
      on conflict (job_id) do nothing
    )
    select pg_notify(${channel}::text, '')`
}

/** Removes the oldest jobs that no other transaction is removing, and returns them. Commit only after they have been passed on. */
export async function takeOutbox(tx: Transaction, rowsMax: number): Promise<OutboxJob[]> {
  return tx<OutboxJob[]>`
    with taken as (
      delete from outbox
      where outbox_id in (
        select outbox_id
        from outbox
        order by outbox_id
        limit ${rowsMax}
        for update skip locked
      )
      returning outbox_id, job_name, job_id, payload, traceparent
    )
    select job_name, job_id, payload, traceparent
    from taken
    order by outbox_id`
}

/** Number of waiting jobs, and since when in microseconds (null for none). */
export async function measureOutbox(db: Db): Promise<{ waiting: number; oldest: number | null }> {
  const [row] = await db<{ waiting: number; oldest: number | null }[]>`
    select count(*) as waiting, min(created_at) as oldest
    from outbox`
  return row!
}

/** Calls `wake` when jobs have been committed to the outbox, and when a notification may have been missed. Resolves to a function that stops it. */
export async function listenToOutbox(sql: Sql, wake: () => void): Promise<() => Promise<void>> {
  const { unlisten } = await sql.listen(channel, wake, wake)
  return unlisten
}
