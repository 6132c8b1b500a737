// Where a form front end learns what a program asks.
// It must hold no rule of its own.

import { Elysia } from 'elysia'
import type { Caller } from '../../access/caller.ts'
import type { ProgramVersion } from '../../domain/definitions/program-version.ts'
import { exportedType } from '../../domain/questions/question.ts'
import { loadActiveVersion } from '../../intake/refusals.ts'
import { authenticate } from '../authenticate.ts'
import type { Deps } from '../deps.ts'
import { methodNotAllowed } from '../errors.ts'
import { intakeOperations } from '../openapi/intake-operations.ts'
import { routeDetail } from '../openapi/route-detail.ts'
import { enterProgram } from './door.ts'

const path = '/intake/v1/programs/:slug'

/** `GET /intake/v1/programs/{slug}`: the ACTIVE version, with all that asking its questions takes. */
export const programRoutes = (deps: Deps) => {
  const answer = async (caller: Caller, request: Request, slug: string): Promise<Response> => {
    const { program_id, headers } = await enterProgram(deps, caller, request, slug)
    return Response.json(describe(await loadActiveVersion(deps.intakeDb, program_id)), { headers })
  }
  return new Elysia({ name: 'intake-programs' })
    .use(authenticate(deps))
    .get(path, ({ caller, params, request }) => answer(caller, request, params.slug), {
      detail: routeDetail(intakeOperations.readProgram),
    })
    .head(path, ({ caller, params, request }) => answer(caller, request, params.slug))
    .all(path, methodNotAllowed(['GET', 'HEAD']), { parse: 'none' })
}

/** Questions in the order in which they are asked; conditions name them by `question_id`. `question_type` is null for a text to read. */
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
