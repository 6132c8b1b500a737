// Where a form front end registers applicants.
// It must hold no rule of its own.

import { Elysia } from 'elysia'
import { insertApplicant, updateApplicantLanguage } from '../../db/applicants.ts'
import { noSuchApplicant } from '../../intake/refusals.ts'
import { authenticate } from '../authenticate.ts'
import type { Deps } from '../deps.ts'
import { methodNotAllowed } from '../errors.ts'
import { intakeOperations } from '../openapi/intake-operations.ts'
import { routeDetail } from '../openapi/route-detail.ts'
import { parseLanguageBody } from './bodies.ts'
import { bodyLimits, enterIntake, parseApplicantId } from './door.ts'
import { readJsonBody } from './json-body.ts'

const applicants = '/intake/v1/applicants'
const applicant = '/intake/v1/applicants/:applicantId'

/**
 * `POST /intake/v1/applicants` with `{"language": "en-us"}`: 201 `{applicant_id, language}`, the language in canonical form.
 * `PUT /intake/v1/applicants/{id}` with the same: 200 likewise. Applications carry the language at their submission
 * (spec, `language`: "The applicant's preferred language").
 */
export const applicantRoutes = (deps: Deps) =>
  new Elysia({ name: 'intake-applicants' })
    .use(authenticate(deps))
    .post(
      applicants,
      async ({ caller, request }) => {
        const { headers } = enterIntake(deps, caller)
        const language = parseLanguageBody(await readJsonBody(request, bodyLimits(deps)))
        const applicant_id = await insertApplicant(deps.intakeDb, language)
        return Response.json({ applicant_id, language }, { status: 201, headers })
      },
      { parse: 'none', detail: routeDetail(intakeOperations.registerApplicant) },
    )
    .all(applicants, methodNotAllowed(['POST']), { parse: 'none' })
    .put(
      applicant,
      async ({ caller, params, request }) => {
        const { headers } = enterIntake(deps, caller)
        const applicant_id = parseApplicantId(params.applicantId)
        const language = parseLanguageBody(await readJsonBody(request, bodyLimits(deps)))
        if (!(await updateApplicantLanguage(deps.intakeDb, applicant_id, language))) throw noSuchApplicant()
        return Response.json({ applicant_id, language }, { headers })
      },
      { parse: 'none', detail: routeDetail(intakeOperations.changeLanguage) },
    )
    .all(applicant, methodNotAllowed(['PUT']), { parse: 'none' })
