// Background work as the database knows it, reported by service and worker alike: so an alert on it needs only
// one of them.

import type { MaintenanceState } from '../../db/derived/maintenance-state.ts'
import type { Meter } from './meter.ts'

export const watchMaintenance = (meter: Meter, read: () => Promise<MaintenanceState>): void =>
  meter.lookUp(read, [
    ['tributary_outbox_jobs', 'Jobs that wait in the outbox to be handed to the queue', ({ outbox }) => outbox.jobs],
    [
      'tributary_outbox_oldest_seconds',
      'How long the oldest job has been in the outbox; 0 when it is empty',
      ({ outbox }) => outbox.oldestSeconds,
    ],
    [
      'tributary_derived_unfinished',
      'Key maps and docs that are queued or being made, and those that have failed and wait for an operator',
      ({ derived }) => derived.unfinished.map(({ job, state, things }) => [{ job, state }, things]),
      ['job', 'state'],
    ],
    [
      'tributary_derived_oldest_seconds',
      'For how long the oldest open request for a key map or docs has not been met; 0 when none is open',
      ({ derived }) => derived.oldestSeconds,
    ],
    [
      'tributary_workers',
      'Worker processes that reported within the last minute that they are alive',
      ({ workers }) => workers,
    ],
    [
      'tributary_database_set_back_seconds',
      'How long ago it was noticed that the database had been set back to a snapshot of its disk; left out where it never was',
      ({ setBackSeconds }) => setBackSeconds,
    ],
    [
      'tributary_webhook_endpoints',
      'Endpoints of webhooks: working, failing, given up by the worker, or disabled by an administrator',
      ({ webhooks }) => Object.entries(webhooks).map(([state, endpoints]) => [{ state }, endpoints]),
      ['state'],
    ],
  ])
