// Ends a load that is not to go on. What is stored of it stays.

import { appendAuditEvent } from '../../db/audit/audit.ts'
import { inTransaction, type Sql, type Transaction } from '../../db/client.ts'
import { endLoad, findLoadById, type LoadRow, lockLoads } from '../../db/loads/bulk-loads.ts'
import { Problem } from '../../problem.ts'

/** Returns the load as it ended. Throws Problem `not_found` or `conflict`. */
export async function giveUpLoad(sql: Sql, loadId: number, actor: string): Promise<LoadRow> {
  return inTransaction(sql, async tx => {
    await lockLoads(tx)
    const load = await findLoadById(tx, loadId)
    if (load === undefined) throw new Problem('not_found', { detail: `There is no load ${loadId}.` })
    if (load.ended_at !== null) throw new Problem('conflict', { detail: `Load ${loadId} has ended already.` })
    await giveUp(tx, loadId, actor)
    return { ...load, ...(await findLoadById(tx, loadId)) }
  })
}

/** Ends a load that has not ended, and notes what is stored of it. */
export async function giveUp(tx: Transaction, loadId: number, actor: string): Promise<void> {
  for (const { slug, stored } of await endLoad(tx, loadId)) {
    const detail = { load: loadId, applications: stored }
    await appendAuditEvent(tx, { actor, action: 'load_given_up', subject: slug, detail })
  }
}
