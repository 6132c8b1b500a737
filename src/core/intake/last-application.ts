// The applicant's last application to a program, which the next one starts from and which must not be superseded by an empty one.

import { Problem } from '../../base/problem.ts'
import {
  type ApplicantPlace,
  findLastSnapshot,
  findLastSubmission,
  hasSubmittedAnother,
  type SubmittedRow,
} from '../../db/applications/submissions.ts'
import type { Db, Transaction } from '../../db/client.ts'
import { type Answers, markerEnd, markerStart } from '../../domain/questions/answers.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json-text.ts'
import { formatOffsetTime } from '../../domain/values/offset-time.ts'
import { mergeSavedAnswers, readSavedAnswers } from './answers-in-progress.ts'
import { keepValid } from './checking/check-all.ts'
import type { KnownVersion } from './known-versions.ts'

/**
 * Answers that the applicant's next application starts with (D43): those of the last one that `known` still asks for and accepts; empty if
 * there is none. They are stored with the first save after the submission; until then only the application contains them.
 */
export async function answersToStartFrom(db: Db, place: ApplicantPlace, known: KnownVersion): Promise<JsonObject> {
  const snapshot = await findLastSnapshot(db, place)
  if (snapshot === undefined) return new Map()
  const answers: Answers = keepValid(known.version, storedAnswers(snapshot))
  return mergeSavedAnswers(new Map(), known.shape, [], answers)
}

const markers = new RegExp(`${markerStart}[0-9]+${markerEnd}`, 'g')

/** Parses the application object of a stored text, which has markers and lacks its two closing braces. */
function storedAnswers(snapshot: string): JsonObject {
  const application = readSavedAnswers(`${snapshot.replace(markers, '')}}}`).get('application')
  if (!isJsonObject(application)) throw new Error('a stored application has no answers')
  return application
}

/** An application as returned to front ends, in its state at submission. */
export const receiptOf = (submitted: SubmittedRow, timeZone: string) => ({
  application_id: submitted.application_id,
  program_version_id: submitted.program_version_id,
  create_time: formatOffsetTime(submitted.create_time, timeZone),
  submit_time: formatOffsetTime(submitted.submit_time, timeZone),
  revision_state: 'CURRENT',
})

/**
 * Throws Problem `conflict` with the receipt of the last application if the applicant has submitted to this program before: only a first
 * application can be without answers (D28). Check again under the program's counter, because two first ones can arrive concurrently.
 */
export async function refuseNothingSaved(
  tx: Transaction,
  { application_id, timeZone, ...place }: ApplicantPlace & { application_id: number; timeZone: string },
): Promise<void> {
  // In this order, because otherwise an application committed in between would look erased.
  const submittedBefore = await hasSubmittedAnother(tx, place, application_id)
  const last = await findLastSubmission(tx, place)
  if (last === undefined && !submittedBefore) return
  const detail =
    last === undefined
      ? 'Save answers first. The previous application of this applicant has been erased.'
      : 'Save answers first. Nothing was saved since the previous submission, which is in `receipt`.'
  throw new Problem('conflict', {
    detail: 'Nothing was submitted.',
    errors: [{ path: '', code: 'nothing_saved', detail }],
    internal: 'nothing_saved',
    ...(last === undefined ? {} : { members: { receipt: receiptOf(last, timeZone) } }),
  })
}
