// Records facts that only an operator knows: many applications were deleted in CiviForm, or its database has moved.

import { Problem } from '../../base/problem.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import { type Db, inTransaction, readNow, type Sql } from '../../db/client.ts'
import { acceptDeletions, findFollowState, moveFollowState } from '../db/follow-state.ts'
import { readIdentity } from '../db/source.ts'

/** For a day, everything missing in CiviForm counts as deleted. Throws Problem `conflict` if nothing is followed. */
export async function settleDeletions(sql: Sql, actor: string): Promise<void> {
  await inTransaction(sql, async tx => {
    await requireFollowing(tx)
    await acceptDeletions(tx)
    await appendAuditEvent(tx, { actor, action: 'civiform_deletions_accepted', subject: 'civiform' })
  })
}

/** Confirms that the database at the configured address is the followed one, which has moved. Returns its earlier and current identity. */
export async function settleMove(sql: Sql, source: Sql, actor: string): Promise<{ from: string; to: string }> {
  const to = await readIdentity(source)
  return inTransaction(sql, async tx => {
    const { identity: from } = await requireFollowing(tx)
    // It has another log, and its rows have other versions, so none of them can be compared.
    const history = { timeline: null, written: null, incarnation: null, application_ids: null, event_ids: null }
    await moveFollowState(tx, { identity: to, ...history, scan_whole: true, scan_after: 0 })
    await appendAuditEvent(tx, { actor, action: 'civiform_moved', subject: 'civiform', detail: { from, to } })
    return { from, to }
  })
}

/** Reports that its database was restored to an earlier state; the next round then settles what was lost. */
export async function settleRestore(sql: Sql, actor: string): Promise<void> {
  await inTransaction(sql, async tx => {
    await requireFollowing(tx)
    await moveFollowState(tx, { rollback_evidence: 'an operator reported a restore' })
    await appendAuditEvent(tx, { actor, action: 'civiform_restored', subject: 'civiform' })
  })
}

/** Sets for a day how far clocks there may lag; 0 for the configured value. */
export async function settleAllowance(sql: Sql, ms: number, actor: string): Promise<void> {
  await inTransaction(sql, async tx => {
    await requireFollowing(tx)
    await moveFollowState(tx, { slack_ms: ms, slack_widened_at: ms === 0 ? null : await readNow(tx) })
    await appendAuditEvent(tx, { actor, action: 'civiform_allowance_set', subject: 'civiform', detail: { ms } })
  })
}

async function requireFollowing(db: Db) {
  const state = await findFollowState(db)
  if (state === undefined) throw new Problem('conflict', { detail: 'This installation does not follow a CiviForm.' })
  return state
}
