// Checks the audit log once a night: what scripts/audit verify does, but for the files.

import { findDueAuditCheck, noteAuditCheck } from '../db/audit/audit-chains.ts'
import type { Sql } from '../db/client.ts'
import { verifyAuditLog } from './verify-audit.ts'

/**
 * Verifies the log unless that was done since last night, also against where it ended then, and notes the outcome. Returns what is wrong.
 * Two workers may do so at the same time, which does no harm.
 */
export async function checkAuditLog(sql: Sql): Promise<string[]> {
  const due = await findDueAuditCheck(sql)
  if (due === undefined) return []
  const { errors, note } = await verifyAuditLog(sql, due.note ?? undefined)
  await noteAuditCheck(sql, errors, note)
  return errors
}
