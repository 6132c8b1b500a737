// Submissions whose time is yet to come, by the clock of CiviForm's database: the clock of one of its servers is ahead. They are copied when that
// time has come, or another submission might take a place before them; until then they are hidden here, which is reported.

import { inTransaction, readNow } from '../../db/client.ts'
import { dropFindingsBefore, type FollowState, moveFollowState, noteFindings } from '../db/follow-state.ts'
import { readSubmittedAhead } from '../db/source-applications.ts'
import type { FollowReading } from '../source/followed-source.ts'

/** By less, nothing is reported: it delays a submission by as much. */
const reportedMs = 10_000
const kind = 'clock_ahead'

/** Keeps what is known of them in step, by finding, metric and log. */
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
      'a clock of CiviForm is ahead: submissions are not exported yet',
    )
  else if (applications === 0) log.info({}, 'no submission of CiviForm lies ahead of its database’s clock any more')
}

/** For an operator. */
export const describeAhead = ({
  ahead_applications: applications,
  ahead_seconds,
}: Pick<FollowState, 'ahead_applications' | 'ahead_seconds'>): string =>
  `${applications} submitted up to ${Math.round(ahead_seconds)} s from now by its database's clock, exported when that time has come: ` +
  "correct the clocks of CiviForm's servers"
