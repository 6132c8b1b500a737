// Applications that CiviForm calls obsolete although nothing superseded them, because accounts were merged or because of a race. They
// become OBSOLETE here with their own change number, so walks that began earlier still see them as CURRENT.

import { inTransaction } from '../../db/client.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { lockFollowState } from '../db/follow-state.ts'
import { advanceCounters, lockCounters, supersedeFollowed } from '../db/followed-applications.ts'
import { noteChanges, readWaiting } from '../db/followed-changes.ts'
import { readLateSubmitters } from '../db/source-marks.ts'
import type { FollowReading } from '../source/followed-source.ts'

/** Call it when everything submitted before the watermark is here. Returns how many became OBSOLETE. */
export async function settleWaiting({ sql, source, options }: FollowReading, watermark: Micros): Promise<number> {
  const waiting = await readWaiting(sql)
  if (waiting.length === 0) return 0
  // Read after it was known that they are obsolete: the submission that superseded them was committed at the same time and is visible now.
  const late = await readLateSubmitters(source, options.databaseZone, watermark)
  const coming = new Set(late.map(item => `${item.applicant_id} ${item.program}`))
  const ready = waiting.filter(item => !coming.has(`${item.applicant_id} ${item.origin_name}`))
  if (ready.length === 0) return 0
  await inTransaction(sql, async tx => {
    await lockFollowState(tx)
    const counters = await lockCounters(tx, [...new Set(ready.map(item => item.program_id))])
    const superseded = ready.map(item => {
      const counter = counters.get(item.program_id)!
      return { ...item, superseded_seq: ++counter.submit_seq }
    })
    await supersedeFollowed(tx, superseded)
    await advanceCounters(
      tx,
      [...counters].map(([program_id, counter]) => ({ program_id, ...counter, submissions: 0 })),
    )
    await noteChanges(
      tx,
      ready.map(item => ({ ...item, what: 'superseded' as const })),
    )
  })
  return ready.length
}
