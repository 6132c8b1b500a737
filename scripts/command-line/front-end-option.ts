// The --front-end option of scripts that create applicants.

import { frontEndError } from '../../src/core/keys/api-key-draft.ts'
import { usage } from './environment.ts'

/** The name in the arguments; undefined for none. Throws UsageError if no key could have it. */
export function readFrontEnd(text: string | undefined): string | undefined {
  const error = text === undefined ? undefined : frontEndError(text)
  if (error !== undefined) throw usage(`--front-end ${error}.`)
  return text?.trim()
}
