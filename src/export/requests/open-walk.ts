// The start of a walk, and the walk that begins there.
//
// A walk is frozen to the counter of the primary, whichever servers its pages are read from: everything that was committed before its
// first page was served is then in it (G1), and its Snapshot-Time can be the next fromDate (G6). A standby's counter would leave out
// what the standby has yet to replay. So a server in recovery begins no walk; it serves pages, if it has come as far as they need. Where
// an operator has a service that only exports on a standby (EXPORT_ONLY), what the standby has replayed is all there is.

import { readThroughLoss } from '../../db/client.ts'
import { readWalkStart, type WalkStart } from '../../db/walks/walks.ts'
import { Problem } from '../../problem.ts'
import { traced } from '../../tracing/current-span.ts'
import { byDeadline, type Exports } from '../servers/exports.ts'

/** Throws Problem `unavailable` where the answer is not there by `deadlineMs`, and while no primary is. */
export async function readStartOfWalk(
  exports: Exports,
  programId: number,
  { exportOnly }: { exportOnly: boolean },
  deadlineMs: number,
): Promise<WalkStart> {
  const reading = traced('start of walk', () =>
    exports.read(sql => readThroughLoss(() => readWalkStart(sql, programId))),
  )
  const start = await byDeadline(deadlineMs, reading)
  if (start.in_recovery && !exportOnly) throw primaryMissing()
  return start
}

/** While one server takes over from another, the address of the primary may lead to one that is not the primary yet. */
const primaryMissing = (): Problem =>
  new Problem('unavailable', {
    detail:
      'The database that takes submissions is being replaced by another one just now. Try again in a few seconds.',
    retryAfterSeconds: 5,
    internal: 'start_in_recovery',
  })

export const newWalkId = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex')
