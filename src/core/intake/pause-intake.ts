// Pauses the submissions to a program and resumes them, so that an operator can load into it what another system took in the meantime.

import { Problem } from '../../base/problem.ts'
import { findIntakePause, setIntakePause } from '../../db/applications/intake-pauses.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import { inTransaction, type Sql } from '../../db/client.ts'
import { loadProgram } from '../../db/programs/programs.ts'
import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'

/** Longest pause: it ends by itself, so that a pause that is forgotten does not turn applicants away for good. */
export const pauseMsMax = 7 * 86_400_000
/** Longest Retry-After of a refused request. */
const retrySecondsMax = 60

/**
 * Pauses submissions to a program from now on, for `pauseMs` at most, in place of the pause there may be. Once this has returned, no
 * submission is numbered before the pause ends. Answers in progress can be saved and read all the time. Throws Problem `not_found`.
 */
export async function pauseIntake(sql: Sql, slug: string, pauseMs: number, actor: string): Promise<Micros> {
  return inTransaction(sql, async tx => {
    const { program_id } = await loadProgram(tx, slug)
    const until = await setIntakePause(tx, program_id, pauseMs)
    if (until === null) throw new Error('a pause must last')
    const detail = { until: formatMicros(until) }
    await appendAuditEvent(tx, { actor, action: 'intake_paused', subject: slug, detail })
    return until
  })
}

/** Ends the pause of a program's intake. False when it was not paused. Throws Problem `not_found`. */
export async function resumeIntake(sql: Sql, slug: string, actor: string): Promise<boolean> {
  return inTransaction(sql, async tx => {
    const { program_id } = await loadProgram(tx, slug)
    if ((await findIntakePause(tx, program_id)) === undefined) return false
    await setIntakePause(tx, program_id, 0)
    await appendAuditEvent(tx, { actor, action: 'intake_resumed', subject: slug })
    return true
  })
}

/** The refusal of a submission to a program whose intake is paused for so many seconds more. */
export function intakePaused(seconds: number, text: string | null = null): Problem {
  return new Problem('unavailable', {
    detail: `This program takes no submissions just now: its intake is paused. What was saved is kept; submit it later.${text === null ? '' : ` ${text}`}`,
    retryAfterSeconds: Math.min(retrySecondsMax, Math.max(1, Math.ceil(seconds))),
    internal: 'intake_paused',
  })
}
