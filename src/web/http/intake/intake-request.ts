// The first steps of every intake request: authorization, program and applicant.

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

/** Headers of every intake response. */
export type IntakeHeaders = Readonly<Record<string, string>>

/** Throws Problem `unauthenticated` unless the caller may submit, or `rate_limited`. Rejected requests count too. */
export async function enterIntake(
  deps: Deps,
  caller: Caller,
  request: Request,
): Promise<{ key: FrontEndKey; headers: IntakeHeaders }> {
  const headers = await intakeHeaders(deps, caller)
  const key = keyOf(caller, authorizeIntake(caller))
  refuseParameters(request)
  return { key, headers }
}

const keyOf = ({ api_key_id, address }: Caller, front_end: string): FrontEndKey => ({ api_key_id, front_end, address })

/** Like `enterIntake`, but also requires access to the program, which it records for the log. `parameters` lists those the request may have. */
export async function enterProgram(
  deps: Deps,
  caller: Caller,
  request: Request,
  slug: string,
  parameters: readonly string[] = [],
): Promise<{ program_id: number; key: FrontEndKey; headers: IntakeHeaders }> {
  const headers = await intakeHeaders(deps, caller)
  const { program_id, front_end } = authorizeSubmit(caller, slug)
  recordOf(request).fields.program = slug
  refuseParameters(request, parameters)
  return { program_id, key: keyOf(caller, front_end), headers }
}

const intakeHeaders = async (deps: Deps, caller: Caller): Promise<IntakeHeaders> => ({
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  ...quotaHeaders(await deps.limits.takeRequest(caller.api_key_id)),
})

/** Ten times the values of a long form with a large household. Parsing them blocks the event loop for about 5 ms. */
const bodyValuesMax = 50_000

export const bodyLimits = (deps: Deps): BodyLimits => ({
  bytesMax: deps.config.intakeBodyBytesMax,
  depthMax: deps.config.intakeDepthMax,
  valuesMax: bodyValuesMax,
  arrivalMs: bodyArrivalMs,
})

/** Applicant ID in the path. An invalid ID gets the same response as an unknown applicant. */
export function parseApplicantId(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw noSuchApplicant()
  return Number(text)
}

/** `Idempotency-Key`: 1 to 200 characters of printable ASCII. */
export function parseIdempotencyKey(headers: Headers): string {
  const key = headers.get('idempotency-key') ?? ''
  if (/^[\x20-\x7e]{1,200}$/.test(key)) return key
  throw invalidRequest('The Idempotency-Key header is missing or invalid.', [
    {
      parameter: 'Idempotency-Key',
      code: key === '' ? 'required' : 'malformed',
      detail:
        'Must have 1 to 200 printable ASCII characters. Use a new value for each submission and the same value to retry it.',
    },
  ])
}
