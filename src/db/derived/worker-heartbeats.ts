// Heartbeats of worker processes.

import type { Db } from '../client.ts'

/** Records that a worker is alive, and removes workers that have reported nothing for a day. */
export async function recordWorkerHeartbeat(db: Db, workerId: string): Promise<void> {
  await db`
    with forgotten as (
      delete from worker_heartbeat
      where heartbeat_at < clock_timestamp() - interval '1 day'
      and worker_id <> ${workerId}
    )
    insert into worker_heartbeat (worker_id)
    values (${workerId})
    on conflict (worker_id) do update
    set heartbeat_at = clock_timestamp()`
}

/** For a worker that stops. */
export async function removeWorkerHeartbeat(db: Db, workerId: string): Promise<void> {
  await db`delete from worker_heartbeat where worker_id = ${workerId}`
}
