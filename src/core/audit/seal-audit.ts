// Seals the audit log: once a minute, a worker hashes new events. A seal covers a segment, the events of at most a minute, and its hash
// includes the previous seal, so the newest seal covers everything before it.

import { createHash, type Hash } from 'node:crypto'
import { Problem } from '../../base/problem.ts'
import {
  type AuditContent,
  type AuditSeal,
  findLastSeal,
  findNewestEvent,
  haveEnded,
  insertAuditSeal,
  lockAuditSeals,
  readAuditContents,
} from '../../db/audit/audit-seals.ts'
import { inTransaction, type Sql, type Transaction } from '../../db/client.ts'

/** The hash before the first segment. */
export const noHash = Buffer.alloc(32)

/** Hash of a segment in progress: SHA-256 of the previous hash and a line per event. */
export class SegmentHash {
  events = 0
  firstEventId = 0
  private readonly hash: Hash

  constructor(previous: Buffer) {
    this.hash = createHash('sha256').update(previous)
  }

  add(eventId: number, content: string): void {
    if (this.events++ === 0) this.firstEventId = eventId
    this.hash.update(content).update('\n')
  }

  digest(): Buffer {
    return this.hash.digest()
  }
}

/** Maximum time span of a segment. */
const segmentMicros = 60_000_000

interface SealOptions {
  /** How long to wait for transactions that can still add an older event. */
  waitMs?: number
  /** Maximum events hashed in a transaction, and so in a segment. */
  batchEvents?: number
}

/**
 * Seals every event committed before this call, and returns their number. Workers can call it concurrently.
 * Throws Problem `unavailable` while an older transaction is open.
 */
export async function sealAuditLog(
  sql: Sql,
  { waitMs = 2000, batchEvents = 10_000 }: SealOptions = {},
): Promise<number> {
  const newest = await findNewestEvent(sql)
  if (newest === undefined) return 0
  const giveUpAt = performance.now() + waitMs
  while (!(await haveEnded(sql, newest.before))) {
    if (performance.now() > giveUpAt)
      throw new Problem('unavailable', {
        detail: 'A transaction that can still add audit events has been open for a long time; sealing waits for it.',
      })
    await Bun.sleep(20)
  }
  for (let sealed = 0; ; ) {
    const events = await inTransaction(sql, tx => sealNext(tx, newest.audit_event_id, batchEvents))
    if (events === 0) return sealed
    sealed += events
  }
}

/** Seals the next events up to this one, and returns their number. */
async function sealNext(tx: Transaction, upTo: number, batchEvents: number): Promise<number> {
  await lockAuditSeals(tx)
  const last = await findLastSeal(tx)
  let next = { segment: (last?.segment ?? 0) + 1, hash: new SegmentHash(last?.hash ?? noHash) }
  let first: AuditContent | undefined
  let newest: AuditContent | undefined
  let sealed = 0
  const close = async (): Promise<void> => {
    const hash = next.hash.digest()
    await insertAuditSeal(tx, sealOf(next.segment, next.hash, hash, newest!))
    sealed += next.hash.events
    next = { segment: next.segment + 1, hash: new SegmentHash(hash) }
    first = undefined
  }
  for await (const event of readAuditContents(tx, last?.last_event_id ?? 0, upTo)) {
    if (first !== undefined && event.happened_at - first.happened_at > segmentMicros) await close()
    first ??= event
    newest = event
    next.hash.add(event.audit_event_id, event.content)
    if (sealed + next.hash.events >= batchEvents) break
  }
  if (first !== undefined) await close()
  return sealed
}

const sealOf = (segment: number, { events, firstEventId }: SegmentHash, hash: Buffer, newest: AuditContent) =>
  ({
    segment,
    first_event_id: firstEventId,
    last_event_id: newest.audit_event_id,
    events,
    newest_at: newest.happened_at,
    hash,
  }) satisfies Omit<AuditSeal, 'file'>
