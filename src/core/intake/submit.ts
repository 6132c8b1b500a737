// Submits the answers in progress as an application: numbers it, stores it in its exported form and supersedes the previous one.
// prepare-submission prepares the application.

import { Problem } from '../../base/problem.ts'
import { drawSubmission, insertApplication } from '../../db/applications/submissions.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import type { Sql, Transaction } from '../../db/client.ts'
import { findInstanceTimeZone } from '../../db/instance.ts'
import { renderAnnotations, renderTimes } from '../../domain/questions/application.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { withBoundedWait } from './bounded-wait.ts'
import { intakeRefusal } from './close-intake.ts'
import { type KnownVersions, knownVersions } from './known-versions.ts'
import { refuseNothingSaved } from './last-application.ts'
import {
  type PreparedSubmission,
  prepareSubmission,
  type Receipt,
  type SubmitRequest,
  VersionReplaced,
} from './prepare-submission.ts'
import { actorOfKey } from './register-applicant.ts'

export interface SubmitResult {
  receipt: Receipt
  /** Whether it was already submitted under the same idempotency key. */
  repeated: boolean
}

/** Publications tolerated between checking and storing before the submission is rejected. */
const attemptsMax = 5

/**
 * Submits the applicant's saved answers to a program. Answers to hidden questions, and to questions no longer asked, are dropped; the rest is
 * checked against the version that is ACTIVE when the application is stored. The applicant's previous application to this program becomes
 * OBSOLETE in the same transaction, and the next one starts with the answers of this one.
 * Source: spec, "States and transitions"; contract G11, D28, D43.
 *
 * If the same API key repeats the idempotency key for the same program, returns the first result, waiting for a submission in progress.
 * Throws Problem `invalid_request` with every error in the saved answers, below `/answers`; `conflict` if nothing was saved since the
 * applicant's last submission, with its receipt, or if the idempotency key was used for another submission; `not_found` for an unknown
 * applicant or an unpublished program; `unavailable`.
 */
export async function submitApplication(sql: Sql, request: SubmitRequest): Promise<SubmitResult> {
  const known = knownVersions(sql)
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    try {
      return await withBoundedWait(sql, tx => submitOnce(tx, known, request))
    } catch (error) {
      if (!(error instanceof VersionReplaced)) throw error
    }
  }
  throw new Problem('unavailable', {
    detail: 'The program was published several times during the submission. Nothing was submitted; try again.',
    retryAfterSeconds: 1,
    internal: 'version_replaced',
  })
}

async function submitOnce(tx: Transaction, known: KnownVersions, request: SubmitRequest): Promise<SubmitResult> {
  const prepared = await prepareSubmission(tx, known, request)
  if ('submit_time' in prepared) return { receipt: prepared, repeated: true }
  // From here on, every other submission to the program waits.
  const drawn = await drawSubmission(tx, prepared.program_id, prepared.create_time)
  // The program may have been paused or closed while this was waiting for the counter.
  if (drawn === undefined) throw await intakeRefusal(tx, prepared.program_id, 1)
  // Checked again under the counter, because another application without answers may have been submitted meanwhile.
  if (prepared.empty) await refuseNothingSaved(tx, { ...prepared, timeZone: prepared.time_zone })
  return { receipt: await storeSubmission(tx, prepared, drawn), repeated: false }
}

/**
 * Stores the prepared application with a number and a time, superseding the applicant's previous application to this program.
 * Throws `VersionReplaced`, or Problem `unavailable` if the process has another time zone than the installation; roll back the transaction
 * in both cases.
 */
export async function storeSubmission(
  tx: Transaction,
  prepared: PreparedSubmission,
  drawn: { submit_seq: number; submit_time: Micros },
): Promise<Receipt> {
  const { afterTimes, time_zone, key, empty, ...ids } = prepared
  const create_time = prepared.create_time ?? drawn.submit_time
  const application = { ...ids, ...drawn, create_time }
  const snapshot = renderTimes(application, time_zone) + afterTimes
  const annotations = renderAnnotations(noAnnotations, time_zone)
  // Sent together, because the program's counter is locked meanwhile.
  const [stored] = await Promise.all([
    insertApplication(tx, { ...application, snapshot, annotations, time_zone }),
    auditSubmission(tx, prepared),
  ])
  if (!stored) {
    await refuseOtherTimeZone(tx, time_zone)
    throw new VersionReplaced()
  }
  const { application_id, program_version_id } = prepared
  return {
    application_id,
    program_version_id,
    create_time,
    submit_time: drawn.submit_time,
    revision_state: 'CURRENT',
  }
}

/** Contains IDs only: no answers and no email address. */
function auditSubmission(tx: Transaction, { key, ...prepared }: PreparedSubmission): Promise<void> {
  const { application_id, applicant_id, program_id, program_version_id } = prepared
  return appendAuditEvent(tx, {
    actor: actorOfKey(key),
    action: 'application_submitted',
    subject: String(application_id),
    address: key.address,
    detail: { program_id, program_version_id, applicant_id, front_end: key.front_end },
  })
}

/** A process started before the installation's time zone was changed must no longer write times. */
async function refuseOtherTimeZone(tx: Transaction, timeZone: string): Promise<void> {
  if ((await findInstanceTimeZone(tx)) === timeZone) return
  throw new Problem('unavailable', {
    detail:
      'The service is being reconfigured and does not accept submissions at the moment. Nothing was submitted; try again later.',
    retryAfterSeconds: 30,
    internal: 'other_time_zone',
  })
}

const noAnnotations = { status: null, status_last_modified_time: null, application_note: null }
