// Routes that register applicants and change their language.

import { Elysia } from 'elysia'
import { changeLanguage, registerApplicant } from '../../../core/intake/register-applicant.ts'
import { intakeOperations } from '../openapi/intake-operations.ts'
import { routeDetail } from '../openapi/route-detail.ts'
import { authenticate } from '../server/authenticate.ts'
import type { Deps } from '../server/deps.ts'
import { methodNotAllowed } from '../server/errors.ts'
import { readJsonBody } from '../server/json-body.ts'
import { parseLanguageBody } from './bodies.ts'
import { bodyLimits, enterIntake, parseApplicantId } from './intake-request.ts'

const applicants = '/intake/v1/applicants'
const applicant = '/intake/v1/applicants/:applicantId'

/**
 * `POST /intake/v1/applicants` with `{"language": "en-us"}`: 201 `{applicant_id, language}`, with the language in canonical form.
 * `PUT /intake/v1/applicants/{id}` with the same body: 200 with the same response. Applications keep the language of their submission
 * (spec, `language`: "The applicant's preferred language").
 */
export const applicantRoutes = (deps: Deps) =>
  new Elysia({ name: 'intake-applicants' })
    .use(authenticate(deps))
    .post(
      applicants,
      async ({ caller, request }) => {
        const { key, headers } = await enterIntake(deps, caller, request)
        const language = parseLanguageBody(await readJsonBody(request, bodyLimits(deps)))
        const applicant_id = await registerApplicant(deps.intakeDb, key, language)
        return Response.json({ applicant_id, language }, { status: 201, headers })
      },
      { parse: 'none', detail: routeDetail(intakeOperations.registerApplicant) },
    )
    .all(applicants, methodNotAllowed(['POST']), { parse: 'none' })
    .put(
      applicant,
      async ({ caller, params, request }) => {
        const { key, headers } = await enterIntake(deps, caller, request)
        const applicant_id = parseApplicantId(params.applicantId)
        const language = parseLanguageBody(await readJsonBody(request, bodyLimits(deps)))
        await changeLanguage(deps.intakeDb, key, applicant_id, language)
        return Response.json({ applicant_id, language }, { headers })
      },
      { parse: 'none', detail: routeDetail(intakeOperations.changeLanguage) },
    )
    .all(applicant, methodNotAllowed(['PUT']), { parse: 'none' })
