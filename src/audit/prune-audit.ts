// Moves the oldest part of the audit log into a file, and only then out of the database. What is left continues from the hashes that the file
// ends with.
//
// The file is on the disk, and this has read it back, before the transaction ends that removes its events. A run that ends before that
// has changed nothing in the database.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { appendAuditEvent } from '../db/audit/audit.ts'
import { lockPruning, readAuditLinks, readChains, recordPruned } from '../db/audit/audit-chains.ts'
import { inTransaction, type Sql, type Transaction } from '../db/client.ts'
import { formatMicros, type Micros } from '../domain/values/offset-time.ts'
import { Problem } from '../problem.ts'
import { auditLine, readAuditFile, writeAuditFile } from './audit-file.ts'
import { BrokenChain, followLinks } from './follow-audit-links.ts'

interface PruneOrder {
  /** Events from then on stay, and those that are linked after one of them. */
  before: Micros
  /** Of the file; must be there. */
  folder: string
  /** `operator:<system user>`. */
  actor: string
}

/**
 * Moves the events before an instant into a file of this folder. Returns its name and the number of events, or undefined when it found
 * none. Throws Problem `conflict` when the log is not as it was written.
 */
export async function pruneAuditLog(
  sql: Sql,
  { before, folder, actor }: PruneOrder,
): Promise<{ file: string; events: number } | undefined> {
  return inTransaction(sql, async tx => {
    await lockPruning(tx)
    const file = `audit-${formatMicros(before).slice(0, 10)}-${crypto.randomUUID().slice(0, 8)}.ndjson`
    const path = join(folder, file)
    await writeAuditFile(path, linesBefore(tx, before)).catch(error => {
      if (!(error instanceof BrokenChain)) throw error
      const detail = `The audit log is not as it was written (${error.message}), so it was not pruned. See scripts/audit verify.`
      throw new Problem('conflict', { detail })
    })
    const parts = await readAuditFile(path)
    if (parts.length === 0) return void (await rm(path))
    for (const { end } of parts) await recordPruned(tx, end, file)
    const events = parts.reduce((sum, { after, end }) => sum + end.link - after.link, 0)
    const chains = parts.map(({ end: { chain, link, hash } }) => ({ chain, link, hash: hash.toString('hex') }))
    const detail = { before: formatMicros(before), events, chains }
    await appendAuditEvent(tx, { actor, action: 'audit_pruned', subject: file, detail })
    return { file, events }
  })
}

/** A transaction that was open for long is linked late, so the times of a chain are only nearly in order: what follows something newer stays. */
async function* linesBefore(tx: Transaction, before: Micros): AsyncGenerator<string> {
  for (const { after } of await readChains(tx)) {
    for await (const { happened_at, content, ...place } of followLinks(after, readAuditLinks(tx, after.chain))) {
      if (happened_at >= before) break
      if (place.link === after.link + 1) yield auditLine(after)
      yield auditLine(place, content)
    }
  }
}
