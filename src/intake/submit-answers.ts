// Saves and submits in one go, for scripts and tests that have all answers of an application at hand.
// It must not know a rule that saving and submitting do not have.

import type { Sql } from '../db/client.ts'
import type { Json } from '../domain/values/json-text.ts'
import type { SubmitRequest } from './prepare-submission.ts'
import { saveAnswers } from './save-answers.ts'
import { type SubmitResult, submitApplication } from './submit.ts'

export interface SubmitAnswersRequest extends SubmitRequest {
  /** Question key → answer in the export's shape. */
  answers: Json
  answersBytesMax: number
}

/** As `saveAnswers` and then `submitApplication`, in two transactions. Throws what they throw. */
export async function submitAnswers(sql: Sql, request: SubmitAnswersRequest): Promise<SubmitResult> {
  await saveAnswers(sql, request)
  return submitApplication(sql, request)
}
