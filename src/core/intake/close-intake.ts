// An administrator opens, pauses, closes or archives a program. Exports continue as they were; intake alone stops.

import { invalidRequest, notFound, Problem } from '../../base/problem.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import { type Db, inTransaction, type Sql } from '../../db/client.ts'
import { refuseFollowed } from '../../db/origin.ts'
import {
  findProgramIntake,
  lockProgramIntake,
  type ProgramIntake,
  updateProgramIntake,
} from '../../db/programs/program-intake.ts'
import { intakePaused } from './pause-intake.ts'

/** Longest text for applicants. */
const textMax = 2000

interface IntakeOrder extends ProgramIntake {
  actor: string
  address?: string | undefined
}

/**
 * Once this has returned, no submission to a program that is not open is numbered. Throws Problem `not_found`, `conflict` where the
 * program is followed, `invalid_request` for a text that is too long, or that no applicant would see.
 */
export async function setProgramIntake(sql: Sql, slug: string, order: IntakeOrder): Promise<void> {
  const { intake_state, actor, address } = order
  const intake_text = order.intake_text?.trim() || null
  const error = (detail: string) =>
    invalidRequest('Whether the program takes applications was not changed.', [
      { parameter: 'intake_text', code: 'not_allowed', detail },
    ])
  if (intake_state === 'OPEN' && intake_text !== null) throw error('Must be empty for a program that is open.')
  if ((intake_text?.length ?? 0) > textMax) throw error(`Must be at most ${textMax} characters.`)
  await inTransaction(sql, async tx => {
    await refuseFollowed(tx, 'Programs are opened and closed')
    const before = (await lockProgramIntake(tx, slug)) ?? notFound(`There is no program "${slug}".`)
    if (before.intake_state === intake_state && before.intake_text === intake_text) return
    await updateProgramIntake(tx, before.program_id, { intake_state, intake_text })
    const detail = { intake_state, intake_text, before: before.intake_state }
    await appendAuditEvent(tx, { actor, address, action: 'program_intake_set', subject: slug, detail })
  })
}

/** Why a program takes no submission now. `seconds` is how long an operator's pause lasts, if one is in force. */
export async function intakeRefusal(db: Db, programId: number, seconds: number): Promise<Problem> {
  const { intake_state = 'OPEN', intake_text = null } = (await findProgramIntake(db, programId)) ?? {}
  if (intake_state === 'OPEN' || intake_state === 'PAUSED') return intakePaused(seconds, intake_text)
  const detail = intake_text ?? 'This program is closed and takes no submissions.'
  return new Problem('conflict', {
    detail: 'This program is closed. Nothing was submitted.',
    errors: [{ path: '', code: 'program_closed', detail }],
    internal: 'program_closed',
  })
}
