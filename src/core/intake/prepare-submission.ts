// Prepares an application from the answers in progress: validates them and renders everything except the times.
// Its number and time are assigned later, in submit, so nothing here waits for another submission.

import { createHash } from 'node:crypto'
import { Problem } from '../../base/problem.ts'
import { type TakenInProgress, takeInProgress } from '../../db/applications/in-progress.ts'
import { findSubmissionRequest, insertSubmissionRequest, type SubmittedRow } from '../../db/applications/submissions.ts'
import type { Transaction } from '../../db/client.ts'
import { findActiveVersionName, type VersionName } from '../../db/programs/programs.ts'
import { renderAfterTimes, type Submitter } from '../../domain/questions/application.ts'
import { searchedTexts } from '../../domain/questions/searched-texts.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { readSavedAnswers } from './answers-in-progress.ts'
import { checkAnswers } from './checking/check-all.ts'
import { intakeRefusal } from './close-intake.ts'
import type { KnownVersions } from './known-versions.ts'
import { refuseNothingSaved } from './last-application.ts'
import { requireListed } from './listed-intermediaries.ts'
import { noSuchApplicant, notPublished, refusedAnswers, requireApplicant } from './refusals.ts'
import type { FrontEndKey } from './register-applicant.ts'

export interface SubmitRequest {
  program_id: number
  applicant_id: number
  /** The caller, for whom applicants of other front ends do not exist (D26). */
  key: FrontEndKey
  submitter: Submitter
  /** Whether intermediaries must be listed in the console; by default any are accepted. */
  intermediaries?: 'any' | 'listed'
  idempotency_key: string
  /** The installation's time zone. */
  timeZone: string
}

/** An application in its state at submission, which is CURRENT. */
export interface Receipt extends SubmittedRow {
  revision_state: 'CURRENT'
}

/** Everything to store about an application except its number and time. */
export interface PreparedSubmission {
  program_id: number
  application_id: number
  applicant_id: number
  program_version_id: number
  /** When the first answer was saved; null if none was, in which case the application starts with its submission (D28). */
  create_time: Micros | null
  /** Whether it has no answers, which is allowed for an applicant's first application only. */
  empty: boolean
  key: FrontEndKey
  /** The part of the stored text after the times. */
  afterTimes: string
  /** Its texts by which people find the application. */
  searched: string | undefined
  /** Time zone of its rendered times. */
  time_zone: string
}

/** Thrown to roll back the transaction if a version was published after the answers were checked. */
export class VersionReplaced extends Error {}

/**
 * Checks the applicant's saved answers against the ACTIVE version, or returns what was submitted earlier under the idempotency key. Throws
 * what `submitApplication` throws, and `VersionReplaced`.
 */
export async function prepareSubmission(
  tx: Transaction,
  known: KnownVersions,
  request: SubmitRequest,
): Promise<PreparedSubmission | Receipt> {
  const { program_id, applicant_id, key, timeZone } = request
  const application_id = await beginSubmission(tx, request)
  if (typeof application_id === 'object') return application_id
  const saved = await takeSaved(tx, request, application_id)
  const submitter = request.intermediaries === 'listed' ? await requireListed(tx, request.submitter) : request.submitter
  const { version, shape } = await known.load(tx, saved)
  const { program_version_id, slug } = version
  const checked = checkAnswers(version, readSavedAnswers(saved.answers ?? nothingAnswered), 'submit')
  if ('errors' in checked) {
    // Answers saved while this was waiting may be for a newer version.
    if ((await findActiveVersionName(tx, program_id))?.program_version_id !== program_version_id)
      throw new VersionReplaced()
    throw refusedAnswers('The application cannot be submitted until its errors are fixed.', checked)
  }
  const ids = { application_id, applicant_id, program_version_id }
  const details = { ...ids, language: saved.language, program_name: slug, submitter, answers: checked.answers }
  const afterTimes = renderAfterTimes(details, shape)
  return {
    ...ids,
    program_id,
    key,
    create_time: saved.create_time,
    empty: checked.answers.size === 0,
    afterTimes,
    searched: searchedTexts(program_id, afterTimes),
    time_zone: timeZone,
  }
}

const nothingAnswered = '{}'

/** ID of the new application, or what was submitted earlier under the idempotency key. */
async function beginSubmission(tx: Transaction, request: SubmitRequest): Promise<number | Receipt> {
  const { program_id, applicant_id, idempotency_key } = request
  const { api_key_id, front_end } = request.key
  const request_hash = hashOf(request)
  const key = { program_id, api_key_id, idempotency_key }
  const application_id = await insertSubmissionRequest(tx, { ...key, applicant_id, front_end, request_hash })
  if (application_id !== undefined) return application_id
  // Checked before an earlier response is revealed, because the key may belong to another front end.
  await requireApplicant(tx, { applicant_id, front_end })
  const earlier = await findSubmissionRequest(tx, key)
  if (earlier !== undefined && !earlier.request_hash.equals(request_hash)) {
    throw new Problem('conflict', {
      detail: 'This Idempotency-Key was used for another submission.',
      errors: [
        {
          parameter: 'Idempotency-Key',
          code: 'idempotency_key_reused',
          detail: 'Must be new for each submission; this value was sent with another applicant or submitter.',
        },
      ],
    })
  }
  // The request may have just been deleted together with an expired application.
  if (earlier?.submitted == null)
    throw new Problem('conflict', {
      detail: 'The application submitted with this Idempotency-Key has since been erased.',
    })
  return { ...earlier.submitted, revision_state: 'CURRENT' }
}

/** Identifies equal requests, in addition to program, API key and idempotency key. */
function hashOf({ applicant_id, submitter }: SubmitRequest): Buffer {
  const { submitter_type } = submitter
  const intermediary = submitter_type === 'APPLICANT' ? [] : [submitter.ti_email, submitter.ti_organization]
  return createHash('sha256')
    .update(JSON.stringify([applicant_id, submitter_type, ...intermediary]))
    .digest()
}

/** The applicant's saved answers, and the ACTIVE version's name. */
async function takeSaved(
  tx: Transaction,
  { program_id, applicant_id, key: { front_end }, timeZone }: SubmitRequest,
  application_id: number,
): Promise<TakenInProgress & VersionName> {
  const saved = await takeInProgress(tx, program_id, { applicant_id, front_end })
  if (saved === undefined) throw noSuchApplicant()
  // First of all: a repeated submission gets its receipt regardless of what has happened to the program since.
  if (saved.answers === null) await refuseNothingSaved(tx, { program_id, applicant_id, application_id, timeZone })
  if (saved.paused_seconds !== null) throw await intakeRefusal(tx, program_id, saved.paused_seconds)
  if (saved.was_saved && saved.answers === null) {
    // Just erased as abandoned, or together with the application that they were copied from.
    throw new Problem('conflict', {
      detail: 'The saved answers of this applicant have just been erased. Nothing was submitted.',
      internal: 'erased_concurrently',
    })
  }
  const { program_version_id, published_at } = saved
  if (program_version_id === null || published_at === null) throw notPublished()
  return { ...saved, program_version_id, published_at }
}
