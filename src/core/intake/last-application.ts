// The applicant's last application to a program: what the next one starts from, and what must not be superseded by nothing.

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
 * The answers that the applicant's next application starts from (D43): those of the last one that `known` still asks for and takes. Empty
 * where there is none. They are stored when the first of them is saved over, so before that nothing but the application itself holds them.
 */
export async function answersToStartFrom(db: Db, place: ApplicantPlace, known: KnownVersion): Promise<JsonObject> {
  const snapshot = await findLastSnapshot(db, place)
  if (snapshot === undefined) return new Map()
  const answers: Answers = keepValid(known.version, storedAnswers(snapshot))
  return mergeSavedAnswers(new Map(), known.shape, [], answers)
}

const markers = new RegExp(`${markerStart}[0-9]+${markerEnd}`, 'g')

/** The application object of a stored text, which lacks its two closing braces and has markers. */
function storedAnswers(snapshot: string): JsonObject {
  const application = readSavedAnswers(`${snapshot.replace(markers, '')}}}`).get('application')
  if (!isJsonObject(application)) throw new Error('a stored application has no answers')
  return application
}

/** An application as front ends get it, as it was at its submission, whatever has become of it since. */
export const receiptOf = (submitted: SubmittedRow, timeZone: string) => ({
  application_id: submitted.application_id,
  program_version_id: submitted.program_version_id,
  create_time: formatOffsetTime(submitted.create_time, timeZone),
  submit_time: formatOffsetTime(submitted.submit_time, timeZone),
  revision_state: 'CURRENT',
})

/**
 * Throws Problem `conflict` with the receipt of the last application when the applicant has submitted to this program before: only a first
 * application may be without answers (D28). To be asked again under the program's counter, for two first ones may come at once.
 */
export async function refuseNothingSaved(
  tx: Transaction,
  { application_id, timeZone, ...place }: ApplicantPlace & { application_id: number; timeZone: string },
): Promise<void> {
  // In this order: one that is committed in between would look as if it had been erased.
  const submittedBefore = await hasSubmittedAnother(tx, place, application_id)
  const last = await findLastSubmission(tx, place)
  if (last === undefined && !submittedBefore) return
  const detail =
    last === undefined
      ? 'No answers are saved; the application that this applicant submitted before has been erased.'
      : 'Nothing was saved since this applicant submitted before; `receipt` is of that submission.'
  throw new Problem('conflict', {
    detail: 'Nothing was submitted.',
    errors: [{ path: '', code: 'nothing_saved', detail }],
    internal: 'nothing_saved',
    ...(last === undefined ? {} : { members: { receipt: receiptOf(last, timeZone) } }),
  })
}
