// Checks that CiviForm's database is still the one that was followed, with everything that was committed, using the recorded facts of its
// history. A database restored to an earlier state reuses IDs, so an equal ID proves nothing.

import type { FollowState } from '../db/follow-state.ts'
import type { SourceStand } from '../db/source.ts'

/** The recorded facts of a database's history, to compare with later ones. */
export type KnownHistory = Omit<SourceStand, 'evolution' | 'inRecovery'>

export const historyOf = ({
  timeline,
  written,
  incarnation,
  application_ids,
  event_ids,
}: KnownHistory): KnownHistory => ({
  timeline,
  written,
  incarnation,
  application_ids,
  event_ids,
})

/** Evidence that its history is not the one followed so far; undefined if there is none. */
export function whyCut(
  before: KnownHistory & Pick<FollowState, 'rollback_evidence'>,
  now: KnownHistory,
): string | undefined {
  if (before.rollback_evidence !== null) return before.rollback_evidence
  const isOther = (name: 'timeline' | 'incarnation'): boolean =>
    before[name] !== null && now[name] !== null && before[name] !== now[name]
  const isLess = (name: 'written' | 'application_ids' | 'event_ids'): boolean =>
    before[name] !== null && now[name] !== null && now[name] < before[name]
  if (isOther('timeline')) return 'its log is on another timeline'
  if (isLess('written')) return 'its log is shorter'
  if (isOther('incarnation')) return 'its database or its table of applications was recreated'
  if (isLess('application_ids')) return 'application IDs are being reused'
  if (isLess('event_ids')) return 'event IDs are being reused'
  return undefined
}

/** Whether everything is still being compared after its history was cut: what is found during that is not another loss. */
export const isSettling = ({ rolled_back_at, whole_scan_ended_at }: FollowState): boolean =>
  rolled_back_at !== null && (whole_scan_ended_at === null || whole_scan_ended_at < rolled_back_at)
