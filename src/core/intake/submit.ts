// Makes an application of the answers in progress: numbered, stored as it is exported, superseding the last.
// prepare-submission makes what it submits.

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
 * this program becomes OBSOLETE in the same transaction, and the next one starts from this one's answers.
 * Source: spec, "States and transitions"; contract G11, D28, D43.
 *
 * Repeated with the same idempotency key by the same API key for the same program: gives the first result again. A duplicate under
 * way is waited for.
 * Throws Problem `invalid_request` naming every error below `/answers` (of the saved answers), `conflict` when nothing was saved since the
 * applicant's last submission, with its receipt, or the idempotency key stands for another submission, `not_found` for an unknown applicant or an unpublished program, `unavailable`.
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
    detail: 'The program was published several times in the meantime. Nothing was submitted; try again.',
    retryAfterSeconds: 1,
    internal: 'version_replaced',
  })
}

async function submitOnce(tx: Transaction, known: KnownVersions, request: SubmitRequest): Promise<SubmitResult> {
  const prepared = await prepareSubmission(tx, known, request)
  if ('submit_time' in prepared) return { receipt: prepared, repeated: true }
  // From here on every other submission to the program waits.
  const drawn = await drawSubmission(tx, prepared.program_id, prepared.create_time)
  // Paused or closed while this was waiting for the counter.
  if (drawn === undefined) throw await intakeRefusal(tx, prepared.program_id, 1)
  // Asked of all that came before this number: another answerless one may have been first since this began.
  if (prepared.empty) await refuseNothingSaved(tx, { ...prepared, timeZone: prepared.time_zone })
  return { receipt: await storeSubmission(tx, prepared, drawn), repeated: false }
}

/**
 * Stores what was prepared under a number and a time, in place of the applicant's last application of this program.
 * Throws `VersionReplaced`, or Problem `unavailable` when the process has another zone than the instance; the transaction is to
 * be rolled back then.
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
  // Sent together: the program's counter is held in the meantime.
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

/** Ids only: no answer, and no submitter's address. */
function auditSubmission(tx: Transaction, { key, ...prepared }: PreparedSubmission): Promise<void> {
  const { application_id, applicant_id, program_id, program_version_id } = prepared
  return appendAuditEvent(tx, {
    actor: `key:${key.api_key_id}`,
    action: 'application_submitted',
    subject: String(application_id),
    address: key.address,
    detail: { program_id, program_version_id, applicant_id, front_end: key.front_end },
  })
}

/** A process that was started before the zone of the instance was changed must not write times any more. */
async function refuseOtherTimeZone(tx: Transaction, timeZone: string): Promise<void> {
  if ((await findInstanceTimeZone(tx)) === timeZone) return
  throw new Problem('unavailable', {
    detail:
      'The service is being reconfigured and takes no submissions just now. Nothing was submitted; try again later.',
    retryAfterSeconds: 30,
    internal: 'other_time_zone',
  })
}

const noAnnotations = { status: null, status_last_modified_time: null, application_note: null }
