// Computes the start of the next pull with `--since-last`, so that it fetches exactly what the output lacks.
//
// Snapshot-Time is the place, since nothing later comes before it. A walk has everything before it, and as a rule nothing after it. But
// while a bulk load is under way it stays at what the load has come to, and a walk also has what was submitted in the meantime. Tables in a
// database take that again, by its id. To a file it must not come twice: so a walk that is added to one ends at a Snapshot-Time, and one
// that was not must show that it has nothing later.

import type { TributaryClient } from '@tributary/client'
import type { PullContext, PullRequest } from '../requests/pull-request.ts'
import type { WalkUnderWay } from './walk-to-spool.ts'

/** Snapshot-Time of now. */
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
  /** No watermark, since the output has later applications than Snapshot-Time: the next pull gets everything. */
  hasLater?: true
}

/** Of a walk that is over. `takesAgain`: the output takes an application again that it has, and has it once. */
export async function nextBeginning(
  { filters, until, snapshotTime, last }: WalkUnderWay,
  takesAgain: boolean,
  { program, pageSize }: PullRequest,
  client: TributaryClient,
  { signal }: PullContext,
): Promise<NextBeginning> {
  if (filters.toDate !== undefined) return {}
  // Nothing of it came, and it may be later than Snapshot-Time itself: nothing before it is wanted next time either.
  if (last === undefined && filters.fromDate !== undefined) return { watermark: filters.fromDate }
  const watermark = until ?? snapshotTime
  if (takesAgain || until !== undefined || last === undefined || watermark === undefined) return { watermark }
  // Pages contain times in whole seconds. What is before Snapshot-Time stays so, and the walk is in the order of time: if its last
  // application is there, all of them are.
  const window = client.applications(program, { fromDate: last.submitTime, toDate: watermark, pageSize, signal })
  for await (const { application_id: id } of window) if (id === last.id) return { watermark }
  return { hasLater: true }
}
