// Loads applications in bulk: checks a whole input, then stores it in batches, each as if it had just been submitted.
//
// Guarantees:
//
// - Nothing is stored from an input with an error.
// - Every application is stored once, even if the load is interrupted: run again with the same input, it continues after the last committed
//   batch. A load is identified by the digest of its input; a changed input is another load.
// - A submission waits for at most one batch: no lock is held between batches.
// - Times never go backwards, within the input or before existing submissions, because clients that poll with `Snapshot-Time` would miss the
//   applications. Only a program without submissions accepts any past time: its `Snapshot-Time` is before all times.
// - IDs are kept, so they must be unused, and are never assigned again (checking/check-load).

import { Problem } from '../../../base/problem.ts'
import { type DatabaseSession, inSession, type Sql } from '../../../db/client.ts'
import { requireInstanceTimeZone } from '../../../db/instance.ts'
import { findLoad, type LoadRow, readUnfinishedLoads } from '../../../db/loads/bulk-loads.ts'
import { createStaged, dropStaged } from '../../../db/loads/staged-applications.ts'
import { findOrigin } from '../../../db/origin.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import { LoadCheck } from '../checking/check-load.ts'
import { overtakenByAnother } from './store-batch.ts'
import { type LoadOptions, storeLoad, unfinished } from './store-load.ts'

/** Larger batches are hardly faster, and delay submissions for longer, because each waits for the disk once. */
const batchLimits = { bytes: 4 * 1024 * 1024, applications: 5000 }

export interface LoadReceipt {
  /** Number of applications in the input, whenever they were stored. */
  applications: number
  programs: readonly { slug: string; applications: number }[]
  /** How many of them earlier runs had stored; if all, when the load had ended. */
  before: { stored: number; endedAt: Micros | undefined } | undefined
}

/** Passes on an input, and returns its digest at the end. */
export type ProduceLoad = (check: LoadCheck) => Promise<Uint8Array>

/**
 * Lets `produce` pass on applications, and stores them if none has an error. Otherwise throws one Problem that lists the errors, and nothing is
 * stored. It can also throw the database's error; the load then continues when it is run again.
 */
export async function bulkLoad(sql: Sql, options: LoadOptions, produce: ProduceLoad): Promise<LoadReceipt> {
  const origin = await findOrigin(sql)
  if (origin !== undefined)
    throw new Problem('conflict', {
      detail: `This installation follows a ${origin} and accepts applications from no other source. Load into another installation.`,
    })
  await requireInstanceTimeZone(sql, options.timeZone)
  const { batchBytes = batchLimits.bytes } = options
  return inSession(sql, async session => {
    await createStaged(session)
    try {
      const limits = { ...batchLimits, bytes: batchBytes }
      return await loadInto(
        sql,
        session,
        options,
        await LoadCheck.begin(sql, session, options.timeZone, limits),
        produce,
      )
    } finally {
      await dropStaged(session).catch(() => {})
    }
  })
}

async function loadInto(
  sql: Sql,
  session: DatabaseSession,
  options: LoadOptions,
  check: LoadCheck,
  produce: ProduceLoad,
): Promise<LoadReceipt> {
  const digest = await produce(check)
  const begun = await findLoad(sql, digest)
  if (begun?.ended_at != null) return alreadyEnded(begun, check)
  refuseOtherFrontEnd(begun, options.frontEnd)
  if (begun === undefined) await refuseUnfinished(sql, check, options.insteadOf)
  const checked = await check.finish(begun?.stored).catch(async error => {
    // Rows that another process is storing from the same input look like IDs that are already used.
    const latest = await findLoad(sql, digest)
    throw latest?.stored !== begun?.stored ? overtakenByAnother() : error
  })
  if (checked.applications > 0) await storeLoad({ sql, session }, checked, begun, { ...options, digest })
  const before = begun === undefined ? undefined : { stored: begun.stored, endedAt: undefined }
  return { applications: checked.applications, programs: check.counted(), before }
}

/** Applications loaded earlier need no check. */
function alreadyEnded(load: LoadRow, check: LoadCheck): LoadReceipt {
  const { load_id, stored, applications, ended_at } = load
  if (stored < applications)
    throw new Problem('conflict', {
      detail: `Nothing was loaded: load ${load_id} of this input was given up when ${stored} of its ${applications} applications were stored.`,
    })
  return { applications, programs: check.counted(), before: { stored, endedAt: ended_at! } }
}

function refuseOtherFrontEnd(begun: LoadRow | undefined, frontEnd: string | undefined): void {
  if (begun === undefined || begun.front_end === (frontEnd ?? null)) return
  const as = begun.front_end === null ? 'without --front-end' : `with --front-end ${begun.front_end}`
  throw new Problem('conflict', {
    detail: `Nothing was loaded: this load began ${as}, and must be resumed with the same options.`,
  })
}

/** Reported before errors of the input that only exist because of the other process. */
async function refuseUnfinished(sql: Sql, check: LoadCheck, insteadOf: number | undefined): Promise<void> {
  for (const other of await readUnfinishedLoads(sql, check.programIds()))
    if (other.stored > 0 && other.load_id !== insteadOf) throw unfinished(other)
}
