// Turns this installation permanently into a follower.

import { Problem } from '../../base/problem.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import { inTransaction, type Sql } from '../../db/client.ts'
import { readPrograms } from '../../db/programs/programs.ts'
import { beginFollowing, type FollowState } from '../db/follow-state.ts'

/** Throws Problem `conflict` while this installation has its own programs: their IDs would collide with CiviForm's. */
export async function beginOrRefuse(
  sql: Sql,
  begin: Pick<FollowState, 'identity' | 'rendering' | 'slack_ms'>,
): Promise<void> {
  await inTransaction(sql, async tx => {
    const [own] = await readPrograms(tx)
    if (own !== undefined)
      throw new Problem('conflict', {
        detail: `This installation has its own programs, such as "${own.slug}". To follow a CiviForm, use an empty database.`,
      })
    await beginFollowing(tx, begin)
    await appendAuditEvent(tx, { actor: 'civiform', action: 'civiform_followed', subject: begin.identity })
  })
}
