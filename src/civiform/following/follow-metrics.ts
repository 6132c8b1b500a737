// How far a CiviForm is followed, reported by service and worker alike; no metrics where none is followed.

import type { Meter } from '../../core/metrics/meter.ts'
import type { Sql } from '../../db/client.ts'
import { readFollowFigures } from '../db/follow-state.ts'

export const watchFollowing = (meter: Meter, db: Sql): void =>
  meter.lookUp(
    () => readFollowFigures(db),
    [
      [
        'tributary_civiform_lag_seconds',
        'How long ago the time lies up to which all that was submitted to CiviForm is here',
        ({ lagSeconds }) => lagSeconds,
      ],
      [
        'tributary_civiform_reached_seconds',
        'How long ago CiviForm’s database last answered in every way',
        ({ reachedSeconds }) => reachedSeconds,
      ],
      [
        'tributary_civiform_compared_seconds',
        'How long ago all applications were last compared with CiviForm’s',
        ({ comparedSeconds }) => comparedSeconds,
      ],
      ['tributary_civiform_copying', '1 while the first copy is under way', ({ copying }) => (copying ? 1 : 0)],
      [
        'tributary_civiform_late_applications',
        'Applications that appeared below a watermark that had been used; a clock is wrong',
        ({ late }) => late,
      ],
      [
        'tributary_civiform_clock_allowance_seconds',
        'How far clocks of CiviForm’s servers are taken to lag: every application is here that much later',
        ({ allowanceSeconds }) => allowanceSeconds,
      ],
      [
        'tributary_civiform_held_seconds',
        'How long a transaction has been open in CiviForm’s database that holds back what can be copied; 0 when none does for long',
        ({ heldSeconds }) => heldSeconds,
      ],
      [
        'tributary_civiform_ahead_seconds',
        'How far the newest submission lies ahead of the clock of CiviForm’s database: it is copied when that time has come. 0 below 10 s',
        ({ aheadSeconds }) => aheadSeconds,
      ],
      [
        'tributary_civiform_rollbacks',
        'How often CiviForm’s database had lost commits that were here: a standby took over, or a backup was restored',
        ({ rollbacks }) => rollbacks,
      ],
      [
        'tributary_civiform_findings',
        'What of CiviForm’s data could not be taken as it is',
        ({ findings }) => findings.map(({ kind, findings: count }) => [{ kind }, count]),
        ['kind'],
      ],
    ],
  )
