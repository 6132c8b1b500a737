// Submits applications.

import { Elysia } from 'elysia'
import { receiptOf } from '../../../core/intake/last-application.ts'
import { submitApplication } from '../../../core/intake/submit.ts'
import { intakeOperations } from '../openapi/intake-operations.ts'
import { routeDetail } from '../openapi/route-detail.ts'
import { authenticate } from '../server/authenticate.ts'
import type { Deps } from '../server/deps.ts'
import { methodNotAllowed } from '../server/errors.ts'
import { readJsonBody } from '../server/json-body.ts'
import { recordOf } from '../server/request-record.ts'
import { parseSubmissionBody } from './bodies.ts'
import { bodyLimits, enterProgram, parseApplicantId, parseIdempotencyKey } from './intake-request.ts'

const path = '/intake/v1/programs/:slug/applicants/:applicantId/submissions'

/**
 * `POST` with a header `Idempotency-Key` and `{"submitter": {"type": "APPLICANT"}}`, or `{"type": "TRUSTED_INTERMEDIARY",
 * "email": …, "organization": …}`: 201 `{application_id, program_version_id, create_time, submit_time, revision_state}`.
 * Repeated with the same key: 200 with the original body. With another key and nothing saved since: 409 with that body as `receipt`. The
 * same key with another applicant or submitter: 409. Missing or invalid answers: 400, each with its path below `/answers`.
 */
export const submissionRoutes = (deps: Deps) =>
  new Elysia({ name: 'intake-submissions' })
    .use(authenticate(deps))
    .post(
      path,
      async ({ caller, params, request }) => {
        const { program_id, key, headers } = await enterProgram(deps, caller, request, params.slug)
        const applicant_id = parseApplicantId(params.applicantId)
        const idempotency_key = parseIdempotencyKey(request.headers)
        const submitter = parseSubmissionBody(await readJsonBody(request, bodyLimits(deps)))
        const { timeZone, intermediaries } = deps.config
        const submission = { program_id, applicant_id, key, submitter, intermediaries, idempotency_key, timeZone }
        const { receipt, repeated } = await deps.submissions.run(program_id, () =>
          submitApplication(deps.intakeDb, submission),
        )
        recordOf(request).fields.application_id = receipt.application_id
        return Response.json(receiptOf(receipt, timeZone), { status: repeated ? 200 : 201, headers })
      },
      { parse: 'none', detail: routeDetail(intakeOperations.submit) },
    )
    .all(path, methodNotAllowed(['POST']), { parse: 'none' })
