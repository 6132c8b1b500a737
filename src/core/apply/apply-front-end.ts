// The applicants' pages as a front end of intake, like any other but without an API key.

import type { FrontEndKey } from '../intake/register-applicant.ts'
import { ownFrontEnd } from '../keys/api-key-draft.ts'

/** The key that registers, saves and submits for applicants' pages. No API key has this ID, and none may name this front end. */
export const applyKey = (address: string): FrontEndKey => ({ api_key_id: 'apply', front_end: ownFrontEnd, address })
