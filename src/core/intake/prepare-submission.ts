// Prepares an application from the answers in progress: validated, and rendered except for its times.
// Its number and its time are drawn later, in submit: nothing here waits for another submission.

import { createHash } from 'node:crypto'
import { Problem } from '../../base/problem.ts'
import { type TakenInProgress, takeInProgress } from '../../db/applications/in-progress.ts'
import { findSubmissionRequest, insertSubmissionRequest, type SubmittedRow } from '../../db/applications/submissions.ts'
import type { Transaction } from '../../db/client.ts'
import { findActiveVersionName, type VersionName } from '../../db/programs/programs.ts'
import { renderAfterTimes, type Submitter } from '../../domain/questions/application.ts'
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
  /** Who asks. An applicant of another front end does not exist for it (D26). */
  key: FrontEndKey
  submitter: Submitter
  /** Whether the console must have the intermediary; any will do unless given. */
  intermediaries?: 'any' | 'listed'
  idempotency_key: string
  /** The instance's zone. */
  timeZone: string
}

/** An application as it was at its submission: CURRENT, whatever has become of it since. */
export interface Receipt extends SubmittedRow {
  revision_state: 'CURRENT'
}

/** Everything about an application that is to be stored, but for its number and its time. */
export interface PreparedSubmission {
  program_id: number
  application_id: number
  applicant_id: number
  program_version_id: number
  /** When the first answer was saved; null when none was, so that the application begins with its submission (D28). */
  create_time: Micros | null
  /** Whether it has no answers at all, which only an applicant's first application may. */
  empty: boolean
  key: FrontEndKey
  /** The part of its snapshot that follows the times. */
  afterTimes: string
  /** The zone its times are to be rendered in. */
  time_zone: string
}

/** A version was published after the answers had been checked. Thrown to undo the transaction. */
export class VersionReplaced extends Error {}

/**
 * Takes what the applicant has saved and checks it against the ACTIVE version; or gives what was submitted under the idempotency
 * key before. Throws what `submitApplication` throws, and `VersionReplaced`.
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
    // Answers that were saved while this waited may be to a newer version.
    if ((await findActiveVersionName(tx, program_id))?.program_version_id !== program_version_id)
      throw new VersionReplaced()
    throw refusedAnswers('The application cannot be submitted as it is.', checked)
  }
  const ids = { application_id, applicant_id, program_version_id }
  const details = { ...ids, language: saved.language, program_name: slug, submitter, answers: checked.answers }
  return {
    ...ids,
    program_id,
    key,
    create_time: saved.create_time,
    empty: checked.answers.size === 0,
    afterTimes: renderAfterTimes(details, shape),
    time_zone: timeZone,
  }
}

const nothingAnswered = '{}'

/** The id of the application to be, or what was submitted under the idempotency key before. */
async function beginSubmission(tx: Transaction, request: SubmitRequest): Promise<number | Receipt> {
  const { program_id, applicant_id, idempotency_key } = request
  const { api_key_id, front_end } = request.key
  const request_hash = hashOf(request)
  const key = { program_id, api_key_id, idempotency_key }
  const application_id = await insertSubmissionRequest(tx, { ...key, applicant_id, front_end, request_hash })
  if (application_id !== undefined) return application_id
  // Before anything of an earlier request is revealed: the key may belong to another front end by now.
  await requireApplicant(tx, { applicant_id, front_end })
  const earlier = await findSubmissionRequest(tx, key)
  if (earlier !== undefined && !earlier.request_hash.equals(request_hash)) {
    throw new Problem('conflict', {
      detail: 'This Idempotency-Key stands for another submission.',
      errors: [
        {
          parameter: 'Idempotency-Key',
          code: 'idempotency_key_reused',
          detail: 'Must be new for each submission: it came with another applicant or submitter before.',
        },
      ],
    })
  }
  // The request may have been removed at this very moment, together with an application that has expired.
  if (earlier?.submitted == null)
    throw new Problem('conflict', {
      detail: 'The application submitted under this Idempotency-Key has been erased since.',
    })
  return { ...earlier.submitted, revision_state: 'CURRENT' }
}

/** What makes two requests the same, apart from program, API key and idempotency key. */
function hashOf({ applicant_id, submitter }: SubmitRequest): Buffer {
  const { submitter_type } = submitter
  const intermediary = submitter_type === 'APPLICANT' ? [] : [submitter.ti_email, submitter.ti_organization]
  return createHash('sha256')
    .update(JSON.stringify([applicant_id, submitter_type, ...intermediary]))
    .digest()
}

/** What the applicant has saved, and the name of the version that applicants answer now. */
async function takeSaved(
  tx: Transaction,
  { program_id, applicant_id, key: { front_end }, timeZone }: SubmitRequest,
  application_id: number,
): Promise<TakenInProgress & VersionName> {
  const saved = await takeInProgress(tx, program_id, { applicant_id, front_end })
  if (saved === undefined) throw noSuchApplicant()
  // Before anything else: a submission that is sent twice gets its receipt, whatever happened to the program since.
  if (saved.answers === null) await refuseNothingSaved(tx, { program_id, applicant_id, application_id, timeZone })
  if (saved.paused_seconds !== null) throw await intakeRefusal(tx, program_id, saved.paused_seconds)
  if (saved.was_saved && saved.answers === null) {
    // Erased as abandoned at this very moment, or with an application that they were a copy of.
    throw new Problem('conflict', {
      detail: 'The saved answers of this applicant have just been erased. Nothing was submitted.',
      internal: 'erased_concurrently',
    })
  }
  const { program_version_id, published_at } = saved
  if (program_version_id === null || published_at === null) throw notPublished()
  return { ...saved, program_version_id, published_at }
}
