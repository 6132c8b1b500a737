// How far the check of the audit trail that runs all the time has come, chain by chain.

import type { ChainPlace } from './audit-chains.ts'
import type { Db } from './client.ts'

export interface AuditCheck extends ChainPlace {
  /** What was found to be wrong with the chain, and not taken back since. */
  fault: string | null
}

export async function readAuditChecks(db: Db): Promise<AuditCheck[]> {
  return db<AuditCheck[]>`
    select chain, link, hash, fault
    from audit_check
    order by chain`
}

/** Notes up to where a chain was checked; `round` says that this ended a way through all of it, with or without a fault. */
export async function noteAuditCheck(db: Db, check: AuditCheck, round: boolean): Promise<void> {
  const { chain, link, hash, fault } = check
  await db`
    update audit_check
    set link = ${link}, hash = ${hash}, fault = ${fault}, round_ended_at = ${round ? db`clock_timestamp()` : db`round_ended_at`}
    where chain = ${chain}`
}

/** Takes back what was found to be wrong. Returns the chains that this was. */
export async function clearAuditFaults(db: Db): Promise<number[]> {
  const rows = await db<{ chain: number }[]>`
    update audit_check
    set fault = null
    where fault is not null
    returning chain`
  return rows.map(row => row.chain)
}
