// Checks the intermediary of a submission against the administrators' list.

import { invalidRequest, type Problem } from '../../base/problem.ts'
import type { Db } from '../../db/client.ts'
import { findNamedIntermediary } from '../../db/people/intermediary-rows.ts'
import type { Submitter } from '../../domain/questions/application.ts'
import { foldText } from '../../domain/values/folded-text.ts'

/**
 * The submitter, with the organization's name in the administrators' spelling. Throws Problem `invalid_request` for the field if the
 * organization or person is unknown or disabled. Ignores case and spacing.
 * Source: spec, `ti_organization`: "as set in the Intermediaries admin panel".
 */
export async function requireListed(db: Db, submitter: Submitter): Promise<Submitter> {
  if (submitter.submitter_type === 'APPLICANT') return submitter
  // The database rejects parameters that contain NUL.
  const [name_folded, email_folded] = [submitter.ti_organization, submitter.ti_email].map(text =>
    text.includes('\0') ? '' : foldText(text),
  ) as [string, string]
  const found = await findNamedIntermediary(db, { name_folded, email_folded })
  if (found === undefined)
    throw refused(
      'organization',
      'unknown_organization',
      'Must be the name of a listed organization. Ask an administrator to add it.',
    )
  if (found.organization_disabled)
    throw refused(
      'organization',
      'organization_disabled',
      'Must be an enabled organization. Ask an administrator to enable it.',
    )
  if (found.person_disabled === null)
    throw refused(
      'email',
      'unknown_intermediary',
      'Must be the email address of a person listed for this organization.',
    )
  if (found.person_disabled)
    throw refused(
      'email',
      'intermediary_disabled',
      'Must be the email address of an enabled person. Ask an administrator to enable the person.',
    )
  return { ...submitter, ti_organization: found.name }
}

const refused = (field: 'email' | 'organization', code: string, detail: string): Problem =>
  invalidRequest('This installation accepts submissions from listed intermediaries only.', [
    { path: `/submitter/${field}`, code, detail },
  ])
