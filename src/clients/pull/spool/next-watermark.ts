// Computes where the next pull with `--since-last` starts, so that it fetches exactly what the output lacks.
//
// It starts at Snapshot-Time, because no later submission gets an earlier time. A walk normally contains everything before Snapshot-Time
// and nothing after it. During a bulk load, though, Snapshot-Time stays at the time that the load has reached, and a walk also contains what was
// submitted meanwhile. Tables in a database accept those applications again, by ID. A file must not contain them twice: a walk that is
// appended to ends at a Snapshot-Time, and any other walk must prove that it contains nothing later.

import type { TributaryClient } from '@tributary/client'
import type { PullContext, PullRequest } from '../requests/pull-request.ts'
import type { WalkUnderWay } from './walk-to-spool.ts'

/** The current Snapshot-Time. */
export async function askSnapshotTime(
  client: TributaryClient,
  { program }: PullRequest,
  fromDate: string | undefined,
  { signal }: PullContext,
): Promise<string | undefined> {
  for await (const { page } of client.steps(program, { fromDate, pageSize: 1, signal }))
    if (page !== undefined) return page.snapshotTime
  return undefined
}

export interface NextBeginning {
  watermark?: string
  /** No watermark, because the output has applications after Snapshot-Time: the next pull gets everything. */
  hasLater?: true
}

/** The watermark of a completed walk. `takesAgain`: the output accepts an application again and has it once. */
export async function nextBeginning(
  { filters, until, snapshotTime, last }: WalkUnderWay,
  takesAgain: boolean,
  { program, pageSize }: PullRequest,
  client: TributaryClient,
  { signal }: PullContext,
): Promise<NextBeginning> {
  if (filters.toDate !== undefined) return {}
  // Nothing arrived, and it may be later than Snapshot-Time itself: the next pull doesn't need anything before it either.
  if (last === undefined && filters.fromDate !== undefined) return { watermark: filters.fromDate }
  const watermark = until ?? snapshotTime
  if (takesAgain || until !== undefined || last === undefined || watermark === undefined) return { watermark }
  // Pages contain times in whole seconds. The applications before Snapshot-Time no longer change, and the walk is in order of time: if its
  // last application is among them, all of them are.
  const window = client.applications(program, { fromDate: last.submitTime, toDate: watermark, pageSize, signal })
  for await (const { application_id: id } of window) if (id === last.id) return { watermark }
  return { hasLater: true }
}
