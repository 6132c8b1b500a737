// Metrics of background work, read from the database. Service and worker both report them, so alerts need only one of them.

import type { MaintenanceState } from '../../db/derived/maintenance-state.ts'
import type { Meter } from './meter.ts'

export const watchMaintenance = (meter: Meter, read: () => Promise<MaintenanceState>): void =>
  meter.lookUp(read, [
    ['tributary_outbox_jobs', 'Jobs not handed to the queue yet', ({ outbox }) => outbox.jobs],
    [
      'tributary_outbox_oldest_seconds',
      'Age of the oldest job not handed to the queue yet; 0 if none',
      ({ outbox }) => outbox.oldestSeconds,
    ],
    [
      'tributary_derived_unfinished',
      'Unfinished key maps and docs by job and state',
      ({ derived }) => derived.unfinished.map(({ job, state, things }) => [{ job, state }, things]),
      ['job', 'state'],
    ],
    [
      'tributary_derived_oldest_seconds',
      'Age of the oldest unfinished key map or docs',
      ({ derived }) => derived.oldestSeconds,
    ],
    ['tributary_workers', 'Workers that reported within the last minute', ({ workers }) => workers],
    [
      'tributary_database_set_back_seconds',
      'Time since a rollback of the database was detected, if ever',
      ({ setBackSeconds }) => setBackSeconds,
    ],
    [
      'tributary_webhook_endpoints',
      'Webhooks by state: working, failing, given_up or disabled',
      ({ webhooks }) => Object.entries(webhooks).map(([state, endpoints]) => [{ state }, endpoints]),
      ['state'],
    ],
  ])
