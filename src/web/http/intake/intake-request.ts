// The first steps of every intake request: authentication, the program, the applicant.

import { invalidRequest } from '../../../base/problem.ts'
import { noSuchApplicant } from '../../../core/intake/refusals.ts'
import type { FrontEndKey } from '../../../core/intake/register-applicant.ts'
import { authorizeIntake, authorizeSubmit, type Caller } from '../../../core/keys/caller.ts'
import { quotaHeaders } from '../headers/quota-headers.ts'
import type { Deps } from '../server/deps.ts'
import { bodyArrivalMs } from '../server/in-time.ts'
import type { BodyLimits } from '../server/json-body.ts'
import { refuseParameters } from '../server/program-request.ts'
import { recordOf } from '../server/request-record.ts'

/** Fields of every answer of intake. */
export type AnswerHeaders = Readonly<Record<string, string>>

/** Throws the 401 unless the caller may submit, or Problem `rate_limited`: what is refused counts too. */
export async function enterIntake(
  deps: Deps,
  caller: Caller,
  request: Request,
): Promise<{ key: FrontEndKey; headers: AnswerHeaders }> {
  const headers = await answerHeaders(deps, caller)
  const key = keyOf(caller, authorizeIntake(caller))
  refuseParameters(request)
  return { key, headers }
}

const keyOf = ({ api_key_id, address }: Caller, front_end: string): FrontEndKey => ({ api_key_id, front_end, address })

/** As `enterIntake`, for one program: also the 401 unless it is granted. Notes the program for the log. */
export async function enterProgram(
  deps: Deps,
  caller: Caller,
  request: Request,
  slug: string,
): Promise<{ program_id: number; key: FrontEndKey; headers: AnswerHeaders }> {
  const headers = await answerHeaders(deps, caller)
  const { program_id, front_end } = authorizeSubmit(caller, slug)
  recordOf(request).fields.program = slug
  refuseParameters(request)
  return { program_id, key: keyOf(caller, front_end), headers }
}

const answerHeaders = async (deps: Deps, caller: Caller): Promise<AnswerHeaders> => ({
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  ...quotaHeaders(await deps.limits.takeRequest(caller.api_key_id)),
})

/** Ten times what a long form with a large household has. They are read in some 5 ms, while no other request has its turn. */
const bodyValuesMax = 50_000

export const bodyLimits = (deps: Deps): BodyLimits => ({
  bytesMax: deps.config.intakeBodyBytesMax,
  depthMax: deps.config.intakeDepthMax,
  valuesMax: bodyValuesMax,
  arrivalMs: bodyArrivalMs,
})

/** The applicant's id in the path. Anything that is not an id is answered like an unknown applicant. */
export function parseApplicantId(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw noSuchApplicant()
  return Number(text)
}

/** `Idempotency-Key`: 1 to 200 characters of printable ASCII. */
export function parseIdempotencyKey(headers: Headers): string {
  const key = headers.get('idempotency-key') ?? ''
  if (/^[\x20-\x7e]{1,200}$/.test(key)) return key
  throw invalidRequest('The request needs an idempotency key.', [
    {
      parameter: 'Idempotency-Key',
      code: key === '' ? 'required' : 'malformed',
      detail:
        'Must be 1 to 200 characters of printable ASCII, new for each submission and the same when it is sent again.',
    },
  ])
}
