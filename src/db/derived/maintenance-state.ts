// The state of background work: outbox, derived data and workers. Ages are measured by the database's clock.

import type { Db } from '../client.ts'
import { countWebhooks, type WebhookState } from '../webhooks/webhook-rows.ts'

export interface MaintenanceState {
  outbox: { jobs: number; oldestSeconds: number }
  derived: { unfinished: { job: string; state: string; things: number }[]; oldestSeconds: number }
  /** Worker processes that are alive. */
  workers: number
  /** When it was detected that the database had been restored; undefined if it never was. */
  setBackSeconds: number | undefined
  /** Number of endpoints by state. */
  webhooks: Partial<Record<WebhookState, number>>
}

/** A worker that has not reported for this long counts as dead. */
const aliveSeconds = 60

export async function readMaintenanceState(db: Db): Promise<MaintenanceState> {
  const [[row], unfinished, webhooks] = await Promise.all([
    db<MaintenanceRow[]>`
      select
        o.jobs as outbox_jobs,
        o.oldest_seconds as outbox_oldest_seconds,
        (
          select coalesce(extract(epoch from clock_timestamp() - min(asked_at)), 0)::float8
          from derived_status
          where state in ('queued', 'running')
        ) as derived_oldest_seconds,
        (
          select count(*)
          from worker_heartbeat
          where heartbeat_at > clock_timestamp() - ${aliveSeconds} * interval '1 second'
        ) as workers,
        (
          select extract(epoch from clock_timestamp() - max(h.noticed_at))::float8
          from database_history h
          join database_history before on before.number = h.number - 1
          where h.place = before.place
        ) as set_back_seconds
      from (
        select count(*) as jobs, coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as oldest_seconds
        from outbox
      ) o`,
    db<{ job: string; state: string; things: number }[]>`
      select job_name as job, state, count(*) as things
      from derived_status
      where state <> 'done'
      group by job_name, state`,
    countWebhooks(db, 'all'),
  ])
  const { outbox_jobs, outbox_oldest_seconds, derived_oldest_seconds, workers, set_back_seconds } = row!
  return {
    outbox: { jobs: outbox_jobs, oldestSeconds: outbox_oldest_seconds },
    derived: { unfinished, oldestSeconds: derived_oldest_seconds },
    workers,
    setBackSeconds: set_back_seconds ?? undefined,
    webhooks,
  }
}

interface MaintenanceRow {
  outbox_jobs: number
  outbox_oldest_seconds: number
  derived_oldest_seconds: number
  workers: number
  set_back_seconds: number | null
}
