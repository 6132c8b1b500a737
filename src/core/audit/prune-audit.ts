// Moves the oldest segments of the audit log to a file and then deletes them from the database. Their seals are kept, so the rest can still
// be verified.
//
// The file is on disk and has been read back before the transaction that deletes its events commits. An interrupted run changes nothing in
// the database.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '../../base/problem.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import {
  type AuditSeal,
  findLastPruned,
  lockAuditSeals,
  readAuditContents,
  readAuditSeals,
  recordPruned,
} from '../../db/audit/audit-seals.ts'
import { inTransaction, type Sql, type Transaction } from '../../db/client.ts'
import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import { AlteredAudit, eventLine, readAuditFile, segmentLine, writeAuditFile } from './audit-file.ts'
import { noHash } from './seal-audit.ts'

interface PruneOrder {
  /** Segments with an event at or after this time are kept, and so are unsealed events. */
  before: Micros
  /** Folder of the file; must exist. */
  folder: string
  /** `operator:<system user>`. */
  actor: string
}

/**
 * Moves whole segments before a time to a file in this folder. Returns its name and number of events, or undefined if there are none. Throws
 * Problem `conflict` if a segment has been altered.
 */
export async function pruneAuditLog(
  sql: Sql,
  { before, folder, actor }: PruneOrder,
): Promise<{ file: string; events: number } | undefined> {
  return inTransaction(sql, async tx => {
    await lockAuditSeals(tx)
    const pruned = await findLastPruned(tx)
    const seals = await readAuditSeals(tx, (pruned?.segment ?? 0) + 1)
    const kept = seals.findIndex(({ newest_at }) => newest_at >= before)
    const moved = kept < 0 ? seals : seals.slice(0, kept)
    const [first, last] = [moved[0], moved.at(-1)]
    if (first === undefined || last === undefined) return undefined
    const file = `audit-${formatMicros(before).slice(0, 10)}-${crypto.randomUUID().slice(0, 8)}.ndjson`
    const path = join(folder, file)
    await writeAuditFile(path, linesOf(tx, moved, pruned))
    await requireWhole(path, moved).catch(async error => {
      await rm(path)
      throw error
    })
    await recordPruned(tx, last.segment, file)
    const events = moved.reduce((sum, seal) => sum + seal.events, 0)
    const detail = {
      before: formatMicros(before),
      events,
      segments: [first.segment, last.segment],
      seal: last.hash.toString('hex'),
    }
    await appendAuditEvent(tx, { actor, action: 'audit_pruned', subject: file, detail })
    return { file, events }
  })
}

async function* linesOf(
  tx: Transaction,
  moved: readonly AuditSeal[],
  previous: AuditSeal | undefined,
): AsyncGenerator<string> {
  let at = -1
  let [after, hash] = [previous?.last_event_id ?? 0, previous?.hash ?? noHash]
  for await (const { audit_event_id: id, content } of readAuditContents(tx, after, moved.at(-1)!.last_event_id)) {
    while (at < 0 || id > after) {
      const seal = moved[++at]!
      yield segmentLine(seal.segment, hash, seal.hash)
      ;[after, hash] = [seal.last_event_id, seal.hash]
    }
    yield eventLine(content)
  }
}

/** Reads the file back: it must contain each segment to delete, as it was sealed. */
async function requireWhole(path: string, moved: readonly AuditSeal[]): Promise<void> {
  const altered = (what: string): Problem =>
    new Problem('conflict', {
      detail: `The audit log has been altered (${what}), so it was not pruned. See scripts/audit verify.`,
      internal: 'altered',
    })
  const filed = await readAuditFile(path).catch(error => {
    throw error instanceof AlteredAudit ? altered(error.message) : error
  })
  for (const [i, { segment, events }] of moved.entries())
    if (filed[i]?.segment !== segment || filed[i]?.events !== events) throw altered(`segment ${segment}`)
}
