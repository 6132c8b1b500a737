// Writes the times of every application again, for another zone of the instance.
//
// One transaction, which readers see happen in one moment: an export under way continues with the texts it began with, and none ever has
// times of two zones on a page. It locks everything that writes applications: submissions by their counters, loads and changes
// of status by the zone they hold. Writers that were blocked still carry the old zone; when they continue they see the new one and abort.

import {
  allowRerendering,
  countApplications,
  lockInstanceTimeZone,
  lockSubmissionCounters,
  type RenderedTimes,
  readStoredTimes,
  type StoredTimes,
  updateRenderedTimes,
} from '../db/applications/stored-times.ts'
import { appendAuditEvent } from '../db/audit/audit.ts'
import type { Sql } from '../db/client.ts'
import { setInstanceTimeZone } from '../db/instance.ts'
import { analyzeApplications } from '../db/loads/bulk-loads.ts'
import { refuseDistributed } from '../db/migrate.ts'
import { findOrigin } from '../db/origin.ts'
import { renderAnnotations, renderTimes } from '../domain/questions/application.ts'

interface RerenderOptions {
  /** The zone to write times in. */
  timeZone: string
  actor: string
  /** Applications in one statement; 2000 unless given. */
  batchRows?: number
  onProgress?: (applications: number, of: number) => void
}

interface RerenderReceipt {
  applications: number
  /** The zone they were written in; undefined for a database that was never used. */
  from: string | undefined
}

/** Re-renders all stored times for the zone and makes it the instance's, all or nothing. Does nothing when it is already. */
export async function rerenderTimes(sql: Sql, options: RerenderOptions): Promise<RerenderReceipt> {
  const { timeZone, actor, batchRows = 2000 } = options
  const receipt = await sql.begin('isolation level read committed', async tx => {
    const from = await lockInstanceTimeZone(tx)
    if (from === timeZone) return { applications: 0, from }
    await refuseDistributed(tx, 'The times of an installation are not written again')
    if ((await findOrigin(tx)) !== undefined) {
      // The follower renders all of them again when it starts in another zone; it alone can, since they may lack times.
      await setInstanceTimeZone(tx, timeZone)
      const subject = {
        action: 'times_rerendered',
        subject: 'instance',
        detail: { from: from ?? null, to: timeZone, applications: 0 },
      }
      await appendAuditEvent(tx, { actor, ...subject })
      return { applications: 0, from }
    }
    await lockSubmissionCounters(tx)
    await allowRerendering(tx)
    const total = await countApplications(tx)
    let applications = 0
    let last = { program_id: 0, application_id: 0 }
    for (;;) {
      const rows = await readStoredTimes(tx, last, batchRows)
      const end = rows.at(-1)
      if (end === undefined) break
      const updated = await updateRenderedTimes(
        tx,
        rows.map(row => render(row, timeZone)),
      )
      if (updated !== rows.length)
        throw new Error(`${rows.length - updated} of ${rows.length} snapshots do not begin with their times`)
      last = end
      applications += rows.length
      options.onProgress?.(applications, total)
    }
    await setInstanceTimeZone(tx, timeZone)
    const detail = { from: from ?? null, to: timeZone, applications }
    await appendAuditEvent(tx, { actor, action: 'times_rerendered', subject: 'instance', detail })
    return { applications, from }
  })
  if (receipt.applications > 0) await analyzeApplications(sql)
  return receipt
}

function render(row: StoredTimes, timeZone: string): RenderedTimes {
  const { program_id, application_id } = row
  return {
    program_id,
    application_id,
    times: renderTimes(row, timeZone),
    annotations: renderAnnotations(row, timeZone),
  }
}
