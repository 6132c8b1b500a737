// How far a CiviForm is followed, reported by service and worker alike; no metrics where none is followed.

import { Gauge } from 'prom-client'
import type { Meter } from '../../metrics/meter.ts'
import type { FollowFigures } from '../db/follow-state.ts'

export function watchFollowing(meter: Meter, read: () => Promise<FollowFigures | undefined>): void {
  const gauge = (name: string, help: string, labelNames: string[] = ['none']): Gauge =>
    new Gauge({ name, help, labelNames, registers: meter.registers })
  const lag = gauge(
    'tributary_civiform_lag_seconds',
    'How long ago the time lies up to which all that was submitted to CiviForm is here',
  )
  const reached = gauge(
    'tributary_civiform_reached_seconds',
    'How long ago CiviForm’s database last answered in every way',
  )
  const compared = gauge(
    'tributary_civiform_compared_seconds',
    'How long ago all applications were last compared with CiviForm’s',
  )
  const copying = gauge('tributary_civiform_copying', '1 while the first copy is under way')
  const late = gauge(
    'tributary_civiform_late_applications',
    'Applications that appeared below a watermark that had been used; a clock is wrong',
  )
  const allowance = gauge(
    'tributary_civiform_clock_allowance_seconds',
    'How far clocks of CiviForm’s servers are taken to lag: every application is here that much later',
  )
  const held = gauge(
    'tributary_civiform_held_seconds',
    'How long a transaction has been open in CiviForm’s database that holds back what can be copied; 0 when none does for long',
  )
  const rollbacks = gauge(
    'tributary_civiform_rollbacks',
    'How often CiviForm’s database had lost commits that were here: a standby took over, or a backup was restored',
  )
  const findings = gauge('tributary_civiform_findings', 'What of CiviForm’s data could not be taken as it is', ['kind'])
  const all = [lag, reached, compared, copying, late, allowance, held, rollbacks, findings]
  meter.onRead(async () => {
    const found = await read().catch(() => undefined)
    for (const one of all) one.reset()
    if (found === undefined) return
    if (found.lagSeconds !== null) lag.set(found.lagSeconds)
    if (found.reachedSeconds !== null) reached.set(found.reachedSeconds)
    if (found.comparedSeconds !== null) compared.set(found.comparedSeconds)
    copying.set(found.copying ? 1 : 0)
    late.set(found.late)
    allowance.set(found.allowanceSeconds)
    held.set(found.heldSeconds)
    rollbacks.set(found.rollbacks)
    for (const { kind, findings: count } of found.findings) findings.set({ kind }, count)
  })
}
