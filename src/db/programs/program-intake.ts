// Whether a program accepts applications, set by an administrator: a state on the program, and a flag on its submission counter.

import { type Static, Type } from 'typebox'
import { type Db, findRow, type Transaction } from '../client.ts'
import { row, textOrNull } from '../row-schemas.ts'

export const programIntake = row({
  /** Paused for a while, closed, or closed and listed separately. */
  intake_state: Type.Enum(['OPEN', 'PAUSED', 'CLOSED', 'ARCHIVED']),
  /** The message that front ends show applicants while the program is not open. */
  intake_text: textOrNull,
})
export type ProgramIntake = Static<typeof programIntake>

export async function findProgramIntake(db: Db, program_id: number): Promise<ProgramIntake | undefined> {
  return findRow<ProgramIntake>(db)`
    select intake_state, intake_text
    from program
    where program_id = ${program_id}`
}

/** Locks the program's row until the end of the transaction. */
export async function lockProgramIntake(
  tx: Transaction,
  slug: string,
): Promise<(ProgramIntake & { program_id: number }) | undefined> {
  const [row] = await tx<(ProgramIntake & { program_id: number })[]>`
    select program_id, intake_state, intake_text
    from program
    where slug = ${slug}
    for no key update`
  return row
}

/** Waits for the submission that is being numbered; later ones see the change. */
export async function updateProgramIntake(tx: Transaction, program_id: number, intake: ProgramIntake): Promise<void> {
  const { intake_state, intake_text } = intake
  await tx`
    update program
    set intake_state = ${intake_state}, intake_text = ${intake_text}
    where program_id = ${program_id}`
  await tx`
    update submission_counter
    set closed = ${intake_state !== 'OPEN'}
    where program_id = ${program_id}`
}
