// Routes that save and return an applicant's answers in progress.

import { Elysia } from 'elysia'
import { loadSavedAnswers, type SavedApplication, saveAnswers } from '../../../core/intake/save-answers.ts'
import type { Caller } from '../../../core/keys/caller.ts'
import { formatOffsetTime } from '../../../domain/values/offset-time.ts'
import { intakeOperations } from '../openapi/intake-operations.ts'
import { routeDetail } from '../openapi/route-detail.ts'
import { authenticate } from '../server/authenticate.ts'
import type { Deps } from '../server/deps.ts'
import { methodNotAllowed } from '../server/errors.ts'
import { readJsonBody } from '../server/json-body.ts'
import { parseAnswersBody } from './bodies.ts'
import { bodyLimits, enterProgram, type IntakeHeaders, parseApplicantId } from './intake-request.ts'

const path = '/intake/v1/programs/:slug/applicants/:applicantId/answers'

/**
 * `PUT` with `{"answers": {question key: answer in the export's shape, or null}}` merges answers by top-level question and responds like
 * `GET`: 200 `{applicant_id, program_name, create_time, answers}`. `GET` responds with 404 until an answer has been saved. After a
 * submission, both start with the answers of the last application.
 */
export const answerRoutes = (deps: Deps) => {
  const answer = (applicantId: number, slug: string, saved: SavedApplication, headers: IntakeHeaders): Response => {
    const createTime = saved.create_time === null ? null : formatOffsetTime(saved.create_time, deps.config.timeZone)
    // Saved answers are already JSON text; parsing them could only change them.
    const body =
      `{"applicant_id":${applicantId},"program_name":${JSON.stringify(slug)},` +
      `"create_time":${JSON.stringify(createTime)},"answers":${saved.answers}}`
    return new Response(body, { headers })
  }
  const read = async (caller: Caller, request: Request, params: { slug: string; applicantId: string }) => {
    const { program_id, key, headers } = await enterProgram(deps, caller, request, params.slug)
    const applicant = { applicant_id: parseApplicantId(params.applicantId), front_end: key.front_end }
    return answer(
      applicant.applicant_id,
      params.slug,
      await loadSavedAnswers(deps.intakeDb, program_id, applicant),
      headers,
    )
  }
  return new Elysia({ name: 'intake-answers' })
    .use(authenticate(deps))
    .put(
      path,
      async ({ caller, params, request }) => {
        const { program_id, key, headers } = await enterProgram(deps, caller, request, params.slug)
        const applicant_id = parseApplicantId(params.applicantId)
        const answers = parseAnswersBody(await readJsonBody(request, bodyLimits(deps)))
        const answersBytesMax = deps.config.intakeBodyBytesMax
        const saved = await deps.saves.run(program_id, () =>
          saveAnswers(deps.intakeDb, {
            program_id,
            applicant_id,
            front_end: key.front_end,
            answers,
            answersBytesMax,
          }),
        )
        return answer(applicant_id, params.slug, saved, headers)
      },
      { parse: 'none', detail: routeDetail(intakeOperations.saveAnswers) },
    )
    .get(path, ({ caller, params, request }) => read(caller, request, params), {
      detail: routeDetail(intakeOperations.readAnswers),
    })
    .head(path, ({ caller, params, request }) => read(caller, request, params))
    .all(path, methodNotAllowed(['GET', 'HEAD', 'PUT']), { parse: 'none' })
}
