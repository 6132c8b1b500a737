// Errors shared by saving and submitting.

import { invalidRequest, Problem } from '../../base/problem.ts'
import { type ApplicantName, isApplicant } from '../../db/applications/applicants.ts'
import type { Db } from '../../db/client.ts'
import { findActiveVersion, type StoredProgramVersion } from '../../db/programs/programs.ts'
import type { Refused } from './checking/check-all.ts'
import { errorsMax } from './checking/validation-errors.ts'

export const noSuchApplicant = (): Problem =>
  new Problem('not_found', { detail: 'No applicant has this ID. Register the applicant first.' })

export const notPublished = (): Problem =>
  new Problem('not_found', { detail: 'This program has not been published yet. Publish it in the console first.' })

export function refusedAnswers(detail: string, refused: Refused): Problem {
  return invalidRequest(
    refused.more ? `${detail} Only the first ${errorsMax} errors are listed.` : detail,
    refused.errors,
  )
}

/** The ACTIVE version. Throws Problem `not_found` before the first publication. */
export async function loadActiveVersion(db: Db, programId: number): Promise<StoredProgramVersion> {
  const version = await findActiveVersion(db, programId)
  if (version === undefined) throw notPublished()
  return version
}

/** Throws Problem `not_found` if the front end has no such applicant, whether or not another front end does (D26). */
export async function requireApplicant(db: Db, name: ApplicantName): Promise<void> {
  if (!(await isApplicant(db, name))) throw noSuchApplicant()
}
