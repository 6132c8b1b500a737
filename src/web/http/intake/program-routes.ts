// Returns the questions of a program to form front ends.

import { loadActiveVersion } from '../../../core/intake/refusals.ts'
import { findProgramIntake } from '../../../db/programs/program-intake.ts'
import type { ProgramVersion } from '../../../domain/questions/program-version.ts'
import { exportedType } from '../../../domain/questions/question.ts'
import { intakeOperations } from '../openapi/intake-operations.ts'
import type { Deps } from '../server/deps.ts'
import { readByKey } from '../server/read-by-key.ts'
import { enterProgram } from './intake-request.ts'

/** `GET /intake/v1/programs/{slug}`: the ACTIVE version, with everything needed to ask its questions. */
export const programRoutes = (deps: Deps) =>
  readByKey(deps, '/intake/v1/programs/:slug', intakeOperations.readProgram, async ({ caller, params, request }) => {
    const { program_id, headers } = await enterProgram(deps, caller, request, params.slug!)
    const version = await loadActiveVersion(deps.intakeDb, program_id)
    return Response.json({ ...describe(version), ...(await findProgramIntake(deps.intakeDb, program_id)) }, { headers })
  })

/** Questions in the order asked; conditions refer to their `question_id`. `question_type` is null for information text. */
const describe = (version: ProgramVersion) => ({
  program_name: version.slug,
  program_version_id: version.program_version_id,
  screens: version.screens,
  questions: version.questions.map(({ question_id, question_key, kind, enumerator_id, settings }) => ({
    question_id,
    question_key,
    kind,
    question_type: exportedType(kind) ?? null,
    enumerator_id,
    settings,
  })),
})
