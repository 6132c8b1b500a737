// Stores a checked input, batch by batch, from where an earlier run has stopped.
//
// Before the first batch the load is noted, once for all its programs. From then on no other load begins in one of them, and their
// Snapshot-Time stays at what this one has come to (G6). Its first application must be later than all that was submitted to them. So
// others may submit between two batches, although their times are later: clients that poll still get what the load brings.

import { appendAuditEvent } from '../../db/audit.ts'
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
} from '../../db/bulk-loads.ts'
import { addApplicants, sketchApplications } from '../../db/bulk-rows.ts'
import { inTransaction, type Sql, type Transaction } from '../../db/client.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { Problem } from '../../problem.ts'
import type { CheckedLoad } from '../checking/check-load.ts'
import { tooEarly } from '../checking/program-check.ts'
import { giveUp } from './give-up.ts'
import { type Batch, type BatchTarget, batchesOf, overtakenByAnother, storeBatch, unpackBatch } from './store-batch.ts'

/** Each waits for the disk once. Larger batches are hardly faster, and submissions wait longer for each. */
const batchLimits = { bytes: 4 * 1024 * 1024, applications: 5000 }
/** Batches after which the planner's statistics are refreshed: more often while the tables are small. */
const sketchedBatches: ReadonlySet<number> = new Set([1, 8, 64])

export interface StoreOptions {
  digest: Uint8Array
  /** What the input is called, for those who look at loads that have not ended. */
  source: string
  /** An unfinished load that ends when this one begins, which goes on where that one has come to. */
  insteadOf: number | undefined
  actor: string
  timeZone: string
  frontEnd: string | undefined
  /** Stores all of it or nothing, with submissions waiting to the end. For demo data. */
  wholeOrNothing: boolean
  batchBytes: number | undefined
  onProgress: (stored: number) => void | Promise<void>
}

/** Stores what is not stored yet of an input. `begun` is what there is of it, if it was begun before. */
export async function storeLoad(
  sql: Sql,
  checked: CheckedLoad,
  begun: LoadRow | undefined,
  options: StoreOptions,
): Promise<void> {
  const { timeZone, actor } = options
  const frontEnd = options.frontEnd ?? null
  const programs = checked.programs.map(({ definition }) => definition)
  const alone = new Map<number, number>()
  const loadId = begun?.load_id ?? (await inTransaction(sql, tx => begin(tx, checked, options, alone)))
  const target: BatchTarget = { loadId, programs, languages: checked.languages, timeZone, frontEnd, alone }
  const total = checked.applications
  let stored = begun?.stored ?? 0
  const batches = batchesOf(checked.spool.read(stored), {
    ...batchLimits,
    bytes: options.batchBytes ?? batchLimits.bytes,
  })

  async function* prepared(): AsyncGenerator<Batch> {
    for await (const packed of batches) {
      const batch = unpackBatch(target, packed)
      // On a connection beside, while the batch before is stored, which then has to hold them only. Should this one never be stored, they
      // stay: applicants who have submitted nothing.
      if (!options.wholeOrNothing) await addApplicants(sql, batch.applicants, frontEnd)
      yield batch
    }
  }

  async function store(tx: Transaction, batch: Batch): Promise<number> {
    await storeBatch(tx, target, stored, batch)
    const now = stored + batch.all.length
    if (now === total)
      for (const { slug, stored: applications } of await endLoad(tx, loadId))
        await appendAuditEvent(tx, { actor, action: 'applications_loaded', subject: slug, detail: { applications } })
    return now
  }

  /** `inOne` runs the work of a batch in its transaction. */
  async function storeAll(inOne: (work: (tx: Transaction) => Promise<number>) => Promise<number>): Promise<void> {
    let done = 0
    for await (const batch of oneAhead(prepared())) {
      stored = await inOne(tx => store(tx, batch))
      await options.onProgress(stored)
      if (sketchedBatches.has(++done)) await inOne(tx => sketchApplications(tx).then(() => stored))
    }
  }

  try {
    if (options.wholeOrNothing) await inTransaction(sql, tx => storeAll(work => work(tx)))
    else await storeAll(work => inTransaction(sql, work))
  } catch (error) {
    // Whatever it was: a load of which nothing is stored holds nothing up.
    await inTransaction(sql, tx => endUnstored(tx, loadId)).catch(() => {})
    throw error
  }
}

/** The same, each already under way while the one before is used. */
async function* oneAhead<T>(items: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  let next = items.next()
  try {
    for (;;) {
      const { value, done } = await next
      if (done) return
      next = items.next()
      // Its failure is told in its turn.
      next.catch(() => {})
      yield value
    }
  } finally {
    await next.catch(() => {})
  }
}

async function endUnstored(tx: Transaction, loadId: number): Promise<void> {
  await lockLoads(tx)
  const load = await findLoadById(tx, loadId)
  if (load?.stored === 0 && load.ended_at === null) await endLoad(tx, loadId)
}

async function begin(
  tx: Transaction,
  checked: CheckedLoad,
  options: StoreOptions,
  alone: BatchTarget['alone'],
): Promise<number> {
  const { digest, source, actor, frontEnd } = options
  await lockLoads(tx)
  if ((await findLoad(tx, digest)) !== undefined) throw overtakenByAnother()
  const shares = checked.programs
    .filter(program => program.applications > 0)
    .map(({ definition, applications, firstTime }) => ({ ...definition, applications, from: firstTime }))
    .sort((a, b) => a.program_id - b.program_id)
  const programIds = shares.map(({ program_id }) => program_id)
  // Before those that are in the way end, and Snapshot-Time with them goes on.
  for (const { program_id, slug, from } of shares) {
    const { submit_seq, last_submit_time } = await lockSubmissionCounter(tx, program_id)
    if (submit_seq > 0 && from <= last_submit_time) throw overtaken(slug, last_submit_time)
    if (submit_seq === 0) alone.set(program_id, 0)
  }
  for (const other of await readUnfinishedLoads(tx, programIds)) {
    // One that has not come to its first batch is not in the way; should its process be alive, that batch is refused.
    if (other.stored === 0) await endLoad(tx, other.load_id)
    else if (other.load_id === options.insteadOf) await giveUp(tx, other.load_id, actor)
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

/** The refusal of an input while another is being loaded into one of its programs. */
export function unfinished({ load_id, source, stored, applications, slugs }: LoadRow & { slugs: string[] }): Problem {
  return new Problem('conflict', {
    detail:
      `Nothing was loaded: load ${load_id} of ${source} into ${slugs.join(', ')} has not ended (${stored} of ${applications} ` +
      'applications are stored), and this is another input. Run that one again, unchanged, and it goes on where it stopped; load what ' +
      `is to come in its place, in the order of time, with --instead-of ${load_id}; or end it with --give-up ${load_id}.`,
  })
}
