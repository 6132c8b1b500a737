// Recovers after CiviForm's database lost commits, because a standby without them took over or a backup was restored. What they contained
// was copied and exported here, no longer exists there, and its numbers may be issued again. Equal numbers therefore prove nothing:
// recent submissions are compared immediately, and everything else in full in the following rounds.

import { appendAuditEvent } from '../../db/audit/audit.ts'
import { inTransaction, readNow } from '../../db/client.ts'
import type { FollowedCatalogue } from '../catalogue/followed-catalogue.ts'
import { type FollowState, moveFollowState } from '../db/follow-state.ts'
import { readKeptSince } from '../db/followed-changes.ts'
import type { SourceStand } from '../db/source.ts'
import { readFirstEvent, readMarksById } from '../db/source-marks.ts'
import type { FollowReading } from '../source/followed-source.ts'
import { historyOf } from '../source/known-history.ts'
import { applyChanges } from './apply-changes.ts'
import { removeMissing } from './scan-changes.ts'

/** How far before the watermark submissions are compared immediately: more than the lag of a standby that takes over. */
const lateMicros = 3_600_000_000
const usualIds = 1000

/** Returns the number of lost applications among recent submissions. Recorded at the end, so that it is repeated if interrupted. */
export async function settleRollback(
  deps: FollowReading,
  catalogue: FollowedCatalogue,
  state: FollowState,
  stand: SourceStand,
  why: string,
): Promise<number> {
  const { sql, source, log } = deps
  const recent = await readKeptSince(sql, (state.watermark ?? 0) - lateMicros)
  const { batchRows: batchIds = usualIds } = deps.options
  const missing: number[] = []
  for (let at = 0; at < recent.length; at += batchIds) {
    const ids = recent.slice(at, at + batchIds)
    const there = new Set((await readMarksById(source, ids)).map(mark => mark.id))
    missing.push(...ids.filter(id => !there.has(id)))
    await applyChanges(
      deps,
      catalogue,
      ids.filter(id => there.has(id)),
    )
  }
  const lost = (await removeMissing(deps, missing, recent.length)).length
  const event_after = await readFirstEvent(source)
  const [from, to] = [historyOf(state), historyOf(stand)]
  await inTransaction(sql, async tx => {
    await moveFollowState(tx, {
      ...to,
      event_after,
      rollback_evidence: null,
      rollbacks: state.rollbacks + 1,
      rolled_back_at: await readNow(tx),
      scan_whole: true,
      scan_after: 0,
    })
    const detail = { why, from: { ...from }, to: { ...to }, lost }
    await appendAuditEvent(tx, { actor: 'civiform', action: 'civiform_rolled_back', subject: state.identity, detail })
  })
  log.error(
    { why, now: to, before: from, lost },
    'CiviForm’s database has a different history than before: applications that it lost are removed, and all others are compared',
  )
  return lost
}
