// The option --front-end of scripts that make applicants.

import { frontEndFault } from '../../src/keys/api-key-draft.ts'
import { usage } from './environment.ts'

/** The name that was given; undefined for none. Throws UsageError for one that no key could have. */
export function readFrontEnd(text: string | undefined): string | undefined {
  const fault = text === undefined ? undefined : frontEndFault(text)
  if (fault !== undefined) throw usage(`--front-end ${fault}.`)
  return text?.trim()
}
