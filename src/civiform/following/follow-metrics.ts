// Metrics about following a CiviForm, reported by both service and worker. There are none if no CiviForm is followed.

import type { Meter } from '../../core/metrics/meter.ts'
import type { Sql } from '../../db/client.ts'
import { readFollowFigures } from '../db/follow-state.ts'

export const watchFollowing = (meter: Meter, db: Sql): void =>
  meter.lookUp(
    () => readFollowFigures(db),
    [
      [
        'tributary_civiform_lag_seconds',
        'Replication lag: older submissions have all been copied',
        ({ lagSeconds }) => lagSeconds,
      ],
      [
        'tributary_civiform_reached_seconds',
        'Time since the last complete round of reading CiviForm’s database',
        ({ reachedSeconds }) => reachedSeconds,
      ],
      [
        'tributary_civiform_compared_seconds',
        'Time since all applications were last compared with CiviForm',
        ({ comparedSeconds }) => comparedSeconds,
      ],
      ['tributary_civiform_copying', '1 during the first copy', ({ copying }) => (copying ? 1 : 0)],
      [
        'tributary_civiform_late_applications',
        'Applications that appeared too late because a clock is wrong; should always be 0',
        ({ late }) => late,
      ],
      [
        'tributary_civiform_clock_allowance_seconds',
        'Assumed lag of CiviForm’s clocks, which delays every application',
        ({ allowanceSeconds }) => allowanceSeconds,
      ],
      [
        'tributary_civiform_held_seconds',
        'Age of the transaction that delays copying; 0 below 10 s',
        ({ heldSeconds }) => heldSeconds,
      ],
      [
        'tributary_civiform_ahead_seconds',
        'How far submissions are ahead of the database clock; 0 below 10 s',
        ({ aheadSeconds }) => aheadSeconds,
      ],
      [
        'tributary_civiform_rollbacks',
        'Times CiviForm’s database lost commits that had been copied',
        ({ rollbacks }) => rollbacks,
      ],
      [
        'tributary_civiform_findings',
        'CiviForm data that couldn’t be copied exactly, by kind',
        ({ findings }) => findings.map(({ kind, findings: count }) => [{ kind }, count]),
        ['kind'],
      ],
    ],
  )
