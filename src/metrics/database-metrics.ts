// Background work as the database knows it, reported by service and worker alike: so an alert on it needs only
// one of them. Looked up whenever metrics are read; what cannot be looked up is left out.

import { Gauge } from 'prom-client'
import type { UpkeepState } from '../db/derived/upkeep-state.ts'
import type { Meter } from './meter.ts'

export function watchUpkeep(meter: Meter, read: () => Promise<UpkeepState>): void {
  const gauges: Gauge[] = []
  // Labels only so that a value can be left out: an unlabelled gauge always has one.
  const gauge = (name: string, help: string, labelNames: string[] = ['none']): Gauge => {
    const made = new Gauge({ name, help, labelNames, registers: meter.registers })
    gauges.push(made)
    return made
  }
  const outbox = gauge('tributary_outbox_jobs', 'Jobs that wait in the outbox to be handed to the queue')
  const outboxAge = gauge(
    'tributary_outbox_oldest_seconds',
    'How long the oldest job has been in the outbox; 0 when it is empty',
  )
  const unfinished = gauge(
    'tributary_derived_unfinished',
    'Key maps and docs that are queued or being made, and those that have failed and wait for an operator',
    ['job', 'state'],
  )
  const derivedAge = gauge(
    'tributary_derived_oldest_seconds',
    'For how long the oldest open request for a key map or docs has not been met; 0 when none is open',
  )
  const workers = gauge(
    'tributary_workers',
    'Worker processes that reported within the last minute that they are alive',
  )
  const auditErrors = gauge(
    'tributary_audit_faults',
    'What the last check found to be wrong with the audit log, until an operator settles it',
  )
  const auditAge = gauge('tributary_audit_checked_seconds', 'How long ago the audit log was last checked')
  const webhooks = gauge(
    'tributary_webhook_endpoints',
    'Endpoints of webhooks: working, failing, given up by the worker, or disabled by an administrator',
    ['state'],
  )
  meter.onRead(async () => {
    const found = await read().catch(() => undefined)
    for (const one of gauges) one.reset()
    if (found === undefined) return
    const { outbox: waiting, derived, audit } = found
    outbox.set(waiting.jobs)
    outboxAge.set(waiting.oldestSeconds)
    for (const { job, state, things } of derived.unfinished) unfinished.set({ job, state }, things)
    derivedAge.set(derived.oldestSeconds)
    workers.set(found.workers)
    for (const [state, endpoints] of Object.entries(found.webhooks)) webhooks.set({ state }, endpoints)
    auditErrors.set(audit.errors)
    if (audit.checkedSeconds !== undefined) auditAge.set(audit.checkedSeconds)
  })
}
