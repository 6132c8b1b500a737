// Makes an application of the answers in progress: checked, numbered, stored as it is exported, superseding the last.
// It must not know how a request for it comes in or who may make one.

import { createHash } from 'node:crypto'
import type { Sql, Transaction } from '../db/client.ts'
import { deleteInProgress, type InProgress, lockInProgress } from '../db/in-progress.ts'
import { findInstanceTimeZone } from '../db/instance.ts'
import {
  drawApplicationId,
  drawSubmission,
  findSubmissionRequest,
  insertApplication,
  insertSubmissionRequest,
  type SubmittedRow,
} from '../db/submissions.ts'
import { renderAnnotations, renderSnapshot, type Submitter } from '../domain/application.ts'
import { buildKeyMap } from '../domain/key-map.ts'
import { Problem } from '../problem.ts'
import { withBoundedWait } from './bounded-wait.ts'
import { checkAnswers } from './check-answers.ts'
import { loadActiveVersion, refusedAnswers, requireApplicant } from './intake-problems.ts'
import { readSavedAnswers } from './saved-answers.ts'

export interface SubmitRequest {
  program_id: number
  applicant_id: number
  submitter: Submitter
  /** Undefined for operators' scripts, which have no API key: their submissions are not recognised when repeated. */
  idempotency: { api_key_id: string; idempotency_key: string } | undefined
  /** The instance's zone. */
  timeZone: string
}

/** An application as it was at its submission: CURRENT, whatever has become of it since. */
export interface Receipt extends SubmittedRow {
  revision_state: 'CURRENT'
}

export interface SubmitResult {
  receipt: Receipt
  /** Whether this had been submitted before, under the same idempotency key. */
  repeated: boolean
}

/** Publications that may come between checking and storing before the submission is refused for now. */
const attemptsMax = 5

/**
 * Submits what the applicant has saved in a program. Hidden answers, and answers to what is not asked any more, are dropped;
 * the rest is checked against the version that is ACTIVE as the application is stored. The applicant's last application of
 * this program becomes OBSOLETE in the same transaction; the answers in progress are gone.
 * Source: spec, "States and transitions"; contract G11.
 *
 * Repeated with the same idempotency key by the same API key for the same program: gives the first result again. A twin under
 * way is waited for.
 * Throws Problem `invalid_request` naming every fault below `/answers` (of the saved answers), `conflict` when nothing is saved or
 * the idempotency key stands for another submission, `not_found` for an unknown applicant or an unpublished program, `unavailable`.
 */
export async function submitApplication(sql: Sql, request: SubmitRequest): Promise<SubmitResult> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    try {
      return await withBoundedWait(sql, tx => submitOnce(tx, request))
    } catch (error) {
      if (!(error instanceof VersionReplaced)) throw error
    }
  }
  throw new Problem('unavailable', {
    detail: 'The program is being published over and over just now. Nothing was submitted; try again.',
    headers: { 'Retry-After': '1' },
    internal: 'version_replaced',
  })
}

/** A version was published after the answers had been checked. Thrown to undo the transaction. */
class VersionReplaced extends Error {}

async function submitOnce(tx: Transaction, request: SubmitRequest): Promise<SubmitResult> {
  const { program_id, applicant_id, timeZone } = request
  const application_id = await beginSubmission(tx, request)
  if (typeof application_id === 'object') return { receipt: application_id, repeated: true }
  const saved = await lockSaved(tx, program_id, applicant_id)
  const version = await loadActiveVersion(tx, program_id)
  const checked = checkAnswers(version, readSavedAnswers(saved.answers), 'submit')
  if ('errors' in checked) throw refusedAnswers('The application cannot be submitted as it is.', checked)
  const { language } = await requireApplicant(tx, applicant_id)
  await deleteInProgress(tx, program_id, applicant_id)
  const shape = buildKeyMap([version])
  const { program_version_id } = version

  // From here on every other submission to the program waits.
  const { submit_seq, submit_time } = await drawSubmission(tx, program_id, saved.create_time)
  const submitted = { application_id, program_version_id, create_time: saved.create_time, submit_time }
  const submission = {
    ...submitted,
    applicant_id,
    language,
    program_name: version.slug,
    submitter: request.submitter,
    answers: checked.answers,
  }
  const stored = await insertApplication(tx, {
    ...submitted,
    program_id,
    applicant_id,
    submit_seq,
    snapshot: renderSnapshot(submission, shape, timeZone),
    annotations: renderAnnotations(noAnnotations, timeZone),
    time_zone: timeZone,
  })
  if (!stored) {
    await refuseOtherTimeZone(tx, timeZone)
    throw new VersionReplaced()
  }
  return { receipt: { ...submitted, revision_state: 'CURRENT' }, repeated: false }
}

/** A process that was started before the zone of the instance was changed must not write times any more. */
async function refuseOtherTimeZone(tx: Transaction, timeZone: string): Promise<void> {
  if ((await findInstanceTimeZone(tx)) === timeZone) return
  throw new Problem('unavailable', {
    detail:
      'The service is being set up anew and takes no submissions just now. Nothing was submitted; try again later.',
    headers: { 'Retry-After': '30' },
    internal: 'other_time_zone',
  })
}

const noAnnotations = { status: null, status_last_modified_time: null, application_note: null }

/** The id of the application to be, or what was submitted under the idempotency key before. */
async function beginSubmission(tx: Transaction, request: SubmitRequest): Promise<number | Receipt> {
  const { program_id, applicant_id, idempotency } = request
  if (idempotency === undefined) return drawApplicationId(tx)
  const request_hash = hashOf(request)
  const key = { program_id, ...idempotency }
  const application_id = await insertSubmissionRequest(tx, { ...key, applicant_id, request_hash })
  if (application_id !== undefined) return application_id
  const earlier = await findSubmissionRequest(tx, key)
  if (earlier === undefined) throw new Error('a submission request that stood in the way is not there')
  if (!earlier.request_hash.equals(request_hash)) {
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
  if (earlier.submitted === null)
    throw new Problem('conflict', { detail: 'What was submitted under this Idempotency-Key has been removed since.' })
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

async function lockSaved(tx: Transaction, programId: number, applicantId: number): Promise<InProgress> {
  const saved = await lockInProgress(tx, programId, applicantId)
  if (saved !== undefined) return saved
  await requireApplicant(tx, applicantId)
  throw new Problem('conflict', {
    detail: 'This applicant has nothing in progress in this program: save answers before submitting them.',
    internal: 'nothing_saved',
  })
}
