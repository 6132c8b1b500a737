// What worker processes leave in the database so that others see that they are alive.

import type { Db } from '../client.ts'

/** Says that a worker is alive, and forgets those that have said nothing for a day. */
export async function noteWorkerBeat(db: Db, workerId: string): Promise<void> {
  await db`
    with forgotten as (
      delete from worker_beat
      where beat_at < clock_timestamp() - interval '1 day'
      and worker_id <> ${workerId}
    )
    insert into worker_beat (worker_id)
    values (${workerId})
    on conflict (worker_id) do update
    set beat_at = clock_timestamp()`
}

/** For a worker that ends. */
export async function removeWorkerBeat(db: Db, workerId: string): Promise<void> {
  await db`delete from worker_beat where worker_id = ${workerId}`
}
