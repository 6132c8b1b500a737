// Checks an intermediary against the administrators' list, as of this submission.

import { invalidRequest, type Problem } from '../../base/problem.ts'
import type { Db } from '../../db/client.ts'
import { findNamedIntermediary } from '../../db/people/intermediary-rows.ts'
import type { Submitter } from '../../domain/questions/application.ts'
import { foldText } from '../../domain/values/folded-text.ts'

/**
 * The submitter, with the organization's name as administrators wrote it. Throws Problem `invalid_request` naming the field when the
 * organization or its person is unknown or disabled. Case and spacing make no difference.
 * Source: spec, `ti_organization`: "as set in the Intermediaries admin panel".
 */
export async function requireListed(db: Db, submitter: Submitter): Promise<Submitter> {
  if (submitter.submitter_type === 'APPLICANT') return submitter
  // The database holds no text with a NUL, and refuses one as a parameter.
  const [name_folded, email_folded] = [submitter.ti_organization, submitter.ti_email].map(text =>
    text.includes('\0') ? '' : foldText(text),
  ) as [string, string]
  const found = await findNamedIntermediary(db, { name_folded, email_folded })
  if (found === undefined)
    throw refused('organization', 'unknown_organization', 'Must be the name of an organization that is listed here.')
  if (found.organization_disabled)
    throw refused('organization', 'organization_disabled', 'Must be an organization that is not disabled here.')
  if (found.person_disabled === null)
    throw refused('email', 'unknown_intermediary', 'Must be the e-mail of a person listed for this organization.')
  if (found.person_disabled)
    throw refused('email', 'intermediary_disabled', 'Must be the e-mail of a person who is not disabled here.')
  return { ...submitter, ti_organization: found.name }
}

const refused = (field: 'email' | 'organization', code: string, detail: string): Problem =>
  invalidRequest('This installation takes submissions only from intermediaries that its administrators have listed.', [
    { path: `/submitter/${field}`, code, detail },
  ])
