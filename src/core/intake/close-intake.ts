// Opens, pauses, closes or archives a program. This affects intake only; exports continue.

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

/** Maximum length of the message for applicants. */
const textMax = 2000

interface IntakeOrder extends ProgramIntake {
  actor: string
  address?: string | undefined
}

/**
 * After this has returned, no submission to a program that is not open is numbered. Throws Problem `not_found`, `conflict` if the program is
 * copied from another system, or `invalid_request` if the message is too long or the program is open.
 */
export async function setProgramIntake(sql: Sql, slug: string, order: IntakeOrder): Promise<void> {
  const { intake_state, actor, address } = order
  const intake_text = order.intake_text?.trim() || null
  const error = (detail: string) =>
    invalidRequest('The state of the program was not changed.', [
      { parameter: 'intake_text', code: 'not_allowed', detail },
    ])
  if (intake_state === 'OPEN' && intake_text !== null) throw error('Must be empty while the program is open.')
  if ((intake_text?.length ?? 0) > textMax) throw error(`Must have at most ${textMax} characters.`)
  await inTransaction(sql, async tx => {
    await refuseFollowed(tx, 'Programs are opened and closed')
    const before = (await lockProgramIntake(tx, slug)) ?? notFound(`There is no program "${slug}".`)
    if (before.intake_state === intake_state && before.intake_text === intake_text) return
    await updateProgramIntake(tx, before.program_id, { intake_state, intake_text })
    const detail = { intake_state, intake_text, before: before.intake_state }
    await appendAuditEvent(tx, { actor, address, action: 'program_intake_set', subject: slug, detail })
  })
}

/** Why a program does not accept submissions. `seconds`: remaining time of an operator's pause, if there is one. */
export async function intakeRefusal(db: Db, programId: number, seconds: number): Promise<Problem> {
  const { intake_state = 'OPEN', intake_text = null } = (await findProgramIntake(db, programId)) ?? {}
  if (intake_state === 'OPEN' || intake_state === 'PAUSED') return intakePaused(seconds, intake_text)
  const detail = intake_text ?? 'This program is closed and does not accept applications.'
  return new Problem('conflict', {
    detail: 'This program is closed. Nothing was submitted.',
    errors: [{ path: '', code: 'program_closed', detail }],
    internal: 'program_closed',
  })
}
