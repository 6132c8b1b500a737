// Pauses and resumes submissions to a program, so that an operator can load applications that another system received meanwhile.

import { Problem } from '../../base/problem.ts'
import { findIntakePause, setIntakePause } from '../../db/applications/intake-pauses.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import { inTransaction, type Sql } from '../../db/client.ts'
import { loadProgram } from '../../db/programs/programs.ts'
import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'

/** Maximum pause. It ends automatically, so that a forgotten pause does not block applicants permanently. */
export const pauseMsMax = 7 * 86_400_000
/** Maximum Retry-After of a rejected request. */
const retrySecondsMax = 60

/**
 * Pauses submissions to a program for at most `pauseMs`, replacing an existing pause. After this has returned, no submission is numbered
 * until the pause ends. Answers in progress can still be saved and read. Throws Problem `not_found`.
 */
export async function pauseIntake(sql: Sql, slug: string, pauseMs: number, actor: string): Promise<Micros> {
  return inTransaction(sql, async tx => {
    const { program_id } = await loadProgram(tx, slug)
    const until = await setIntakePause(tx, program_id, pauseMs)
    if (until === null) throw new Error('a pause must have an end')
    const detail = { until: formatMicros(until) }
    await appendAuditEvent(tx, { actor, action: 'intake_paused', subject: slug, detail })
    return until
  })
}

/** Ends the pause of a program's intake. False if it was not paused. Throws Problem `not_found`. */
export async function resumeIntake(sql: Sql, slug: string, actor: string): Promise<boolean> {
  return inTransaction(sql, async tx => {
    const { program_id } = await loadProgram(tx, slug)
    if ((await findIntakePause(tx, program_id)) === undefined) return false
    await setIntakePause(tx, program_id, 0)
    await appendAuditEvent(tx, { actor, action: 'intake_resumed', subject: slug })
    return true
  })
}

/** Error for a submission to a program whose intake is paused for this many seconds. */
export function intakePaused(seconds: number, text: string | null = null): Problem {
  return new Problem('unavailable', {
    detail: `This program is paused and does not accept submissions at the moment. Saved answers are kept; submit them later.${text === null ? '' : ` ${text}`}`,
    retryAfterSeconds: Math.min(retrySecondsMax, Math.max(1, Math.ceil(seconds))),
    internal: 'intake_paused',
  })
}
