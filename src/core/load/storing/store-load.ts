// Stores a checked input in batches, continuing where an earlier run stopped.
//
// Before the first batch, the load is recorded once for all its programs. Until it ends, no other load can start in any of them, and their
// Snapshot-Time doesn't advance beyond the load's progress (G6). Its first application must be later than everything submitted to them.
// So others may submit between two batches, although their times are later: clients that poll still get the loaded applications.

import { notFound, Problem } from '../../../base/problem.ts'
import { appendAuditEvent } from '../../../db/audit/audit.ts'
import { type DatabaseSession, inTransaction, inTransactionOf, type Sql, type Transaction } from '../../../db/client.ts'
import {
  endLoad,
  findLoad,
  findLoadById,
  holdSnapshotTime,
  insertLoad,
  type LoadRow,
  lockLoads,
  lockSubmissionCounter,
  readUnfinishedLoads,
  sketchApplications,
} from '../../../db/loads/bulk-loads.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import type { CheckedLoad } from '../checking/check-load.ts'
import { tooEarly } from '../checking/program-check.ts'
import { overtakenByAnother, storeBatch } from './store-batch.ts'

/** Numbers of batches after which the planner's statistics are updated: more often while the tables are small. */
const sketchedBatches: ReadonlySet<number> = new Set([1, 8, 64])

export interface LoadOptions {
  /** No application may be later than this. */
  now: Micros
  /** The instance's time zone, in which times are rendered. */
  timeZone: string
  /** Who sets a status or note, for its history and the audit log. */
  actor: string
  /** The front end of new applicants (D26). Without one, no key can access them. Existing applicants keep theirs. */
  frontEnd?: string | undefined
  /** The name of the input, shown in lists of unfinished loads. */
  source?: string | undefined
  /** An unfinished load to end at the start of this one, which continues from its position. */
  insteadOf?: number | undefined
  /** Stores everything or nothing, while submissions wait until the end. For demo data. */
  wholeOrNothing?: boolean
  /** Approximate bytes per batch. */
  batchBytes?: number
  /** Called after each batch with the number of applications stored so far; the next batch waits for it. */
  onProgress?: ((stored: number, total: number) => void | Promise<void>) | undefined
}

/** Stores the rest of an input, on the connection that has it. `begun` is the record of an earlier run, if any. */
export async function storeLoad(
  { sql, session }: { sql: Sql; session: DatabaseSession },
  checked: CheckedLoad,
  begun: LoadRow | undefined,
  options: LoadOptions & { digest: Uint8Array },
): Promise<void> {
  const loadId = begun?.load_id ?? (await inTransactionOf(session, tx => begin(tx, checked, options)))

  /** `inOne` runs a batch's work in its transaction. */
  async function storeAll(inOne: (work: (tx: Transaction) => Promise<void>) => Promise<void>): Promise<void> {
    let stored = begun?.stored ?? 0
    let batches = 0
    for (const last of checked.batchEnds) {
      if (last <= stored) continue
      await inOne(async tx => {
        await storeBatch(tx, loadId, { first: stored + 1, last }, options)
        if (last === checked.applications) await end(tx, loadId, options.actor)
      })
      stored = last
      await options.onProgress?.(stored, checked.applications)
      if (sketchedBatches.has(++batches)) await inOne(sketchApplications)
    }
  }

  try {
    if (options.wholeOrNothing) await inTransactionOf(session, tx => storeAll(work => work(tx)))
    else await storeAll(work => inTransactionOf(session, work))
  } catch (error) {
    // Whatever the error: a load of which nothing is stored must not block others.
    await inTransaction(sql, tx => endUnstored(tx, loadId)).catch(() => {})
    throw error
  }
}

async function end(tx: Transaction, loadId: number, actor: string): Promise<void> {
  for (const { slug, stored: applications } of await endLoad(tx, loadId))
    await appendAuditEvent(tx, { actor, action: 'applications_loaded', subject: slug, detail: { applications } })
}

async function endUnstored(tx: Transaction, loadId: number): Promise<void> {
  await lockLoads(tx)
  const load = await findLoadById(tx, loadId)
  if (load?.stored === 0 && load.ended_at === null) await endLoad(tx, loadId)
}

async function begin(
  tx: Transaction,
  checked: CheckedLoad,
  { digest, source = 'an input', actor, frontEnd, insteadOf }: LoadOptions & { digest: Uint8Array },
): Promise<number> {
  await lockLoads(tx)
  if ((await findLoad(tx, digest)) !== undefined) throw overtakenByAnother()
  const shares = checked.programs
    .filter(program => program.applications > 0)
    .map(({ definition, applications, firstTime }) => ({ ...definition, applications, from: firstTime }))
    .sort((a, b) => a.program_id - b.program_id)
  const programIds = shares.map(({ program_id }) => program_id)
  // Must run before conflicting loads finish and Snapshot-Time advances.
  for (const { program_id, slug, from } of shares) {
    const { submit_seq, last_submit_time } = await lockSubmissionCounter(tx, program_id)
    if (submit_seq > 0 && from <= last_submit_time) throw overtaken(slug, last_submit_time)
  }
  for (const other of await readUnfinishedLoads(tx, programIds)) {
    // A load that has not stored its first batch doesn't block. If its process is still running, that batch is rejected.
    if (other.stored === 0) await endLoad(tx, other.load_id)
    else if (other.load_id === insteadOf) await giveUp(tx, other.load_id, actor)
    else throw unfinished(other)
  }
  const load = { digest, source, frontEnd: frontEnd ?? null, applications: checked.applications, actor }
  const loadId = await insertLoad(tx, load, shares)
  for (const { program_id, from } of shares) await holdSnapshotTime(tx, program_id, from)
  for (const { slug, applications } of shares)
    await appendAuditEvent(tx, {
      actor,
      action: 'load_begun',
      subject: slug,
      detail: { load: loadId, applications, source },
    })
  return loadId
}

function overtaken(slug: string, last: Micros): Problem {
  return new Problem('conflict', {
    detail: `Nothing was loaded: the first submit_time of ${slug} ${tooEarly(slug, last).detail}.`,
  })
}

/** The error for an input while another is being loaded into one of its programs. */
export function unfinished({ load_id, source, stored, applications, slugs }: LoadRow): Problem {
  return new Problem('conflict', {
    detail:
      `Nothing was loaded: load ${load_id} of ${source} into ${slugs.join(', ')} is unfinished (${stored} of ${applications} ` +
      'applications are stored), and this input is different. To continue it, run it again with the same input. To replace the rest of it ' +
      `with this input, add --instead-of ${load_id}. To end it, use --give-up ${load_id}.`,
  })
}

/** Gives up a load. Its stored applications are kept. Returns the load as it ended. Throws Problem `not_found` or `conflict`. */
export async function giveUpLoad(sql: Sql, loadId: number, actor: string): Promise<LoadRow> {
  return inTransaction(sql, async tx => {
    await lockLoads(tx)
    const load = (await findLoadById(tx, loadId)) ?? notFound(`There is no load ${loadId}.`)
    if (load.ended_at !== null)
      throw new Problem('conflict', { detail: `Load ${loadId} has already ended.`, internal: 'load_ended' })
    await giveUp(tx, loadId, actor)
    return { ...load, ...(await findLoadById(tx, loadId)) }
  })
}

/** Ends an unfinished load and records how much of it is stored. */
export async function giveUp(tx: Transaction, loadId: number, actor: string): Promise<void> {
  for (const { slug, stored } of await endLoad(tx, loadId)) {
    const detail = { load: loadId, applications: stored }
    await appendAuditEvent(tx, { actor, action: 'load_given_up', subject: slug, detail })
  }
}
