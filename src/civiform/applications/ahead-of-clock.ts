// Finds submissions dated in the future by the clock of CiviForm's database, because a CiviForm server's clock is ahead. They are copied
// when that time comes; otherwise a later submission could be placed before them. Until then, they are reported as missing.

import { inTransaction, readNow } from '../../db/client.ts'
import { dropFindingsBefore, type FollowState, moveFollowState, noteFindings } from '../db/follow-state.ts'
import { readSubmittedAhead } from '../db/source-marks.ts'
import type { FollowReading } from '../source/followed-source.ts'

/** Smaller differences are not reported: they only delay a submission by as much. */
const reportedMs = 10_000
const kind = 'clock_ahead'

/** Updates the finding, the metric and the log together. */
export async function reportAhead({ sql, source, options, log }: FollowReading, before: FollowState): Promise<void> {
  const { applications, seconds } = await readSubmittedAhead(source, options.databaseZone, reportedMs)
  if (applications === 0 && before.ahead_applications === 0) return
  const ahead = { ahead_applications: applications, ahead_seconds: seconds }
  const now = await readNow(sql)
  await inTransaction(sql, async tx => {
    await moveFollowState(tx, ahead)
    if (applications > 0) await noteFindings(tx, [{ kind, subject: 'applications', detail: describeAhead(ahead) }])
    await dropFindingsBefore(tx, [kind], now)
  })
  if (applications > before.ahead_applications)
    log.error(
      { applications, ahead_s: Math.round(seconds) },
      'the clock of a CiviForm server is ahead: some submissions are not exported yet',
    )
  else if (applications === 0) log.info({}, 'CiviForm submissions are no longer ahead of the database clock')
}

/** For an operator. */
export const describeAhead = ({
  ahead_applications: applications,
  ahead_seconds,
}: Pick<FollowState, 'ahead_applications' | 'ahead_seconds'>): string =>
  `${applications} submitted up to ${Math.round(ahead_seconds)} s ahead of the database clock, exported when that time comes. ` +
  "Correct the clocks of CiviForm's servers"
