// Saves an applicant's answers in progress and returns all saved answers.

import { Problem } from '../../base/problem.ts'
import { type ApplicantName, holdApplicant } from '../../db/applications/applicants.ts'
import {
  findInProgress,
  type InProgress,
  lockInProgress,
  lockOrInsertInProgress,
  notSavedYet,
  updateInProgressAnswers,
} from '../../db/applications/in-progress.ts'
import { type ApplicantPlace, findLastSubmission } from '../../db/applications/submissions.ts'
import type { Sql, Transaction } from '../../db/client.ts'
import type { Answers } from '../../domain/questions/answers.ts'
import { isJsonObject, type Json } from '../../domain/values/json-text.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { mergeSavedAnswers, readSavedAnswers, writeSavedAnswers } from './answers-in-progress.ts'
import { withBoundedWait } from './bounded-wait.ts'
import { checkAnswers } from './checking/check-all.ts'
import { knownActiveVersion } from './known-versions.ts'
import { answersToStartFrom } from './last-application.ts'
import { noSuchApplicant, refusedAnswers, requireApplicant } from './refusals.ts'

interface SaveRequest {
  program_id: number
  applicant_id: number
  /** Key of the front end that the applicant must belong to. */
  front_end: string
  /** Question key → answer in the export's shape, or null to remove an answer. */
  answers: Json
  /** Maximum bytes of all saved answers of an application. */
  answersBytesMax: number
  /** ID of the last application when the form was shown, null for none: a form that arrives after the next submission saves nothing. */
  lastApplicationId?: number | null
}

/** Saved answers. `answers` is JSON text: an object by question key. */
export interface SavedApplication {
  /** When the first answer was saved; null if none was. */
  create_time: Micros | null
  answers: string
}

/**
 * Merges answers into the application in progress by top-level question: an answer replaces the saved one, null removes it, and other answers
 * are unchanged; after a submission, those are the answers of the last application (D43). Checks against the ACTIVE version; nothing is
 * required yet.
 * The first answer in this program starts the application: its time is `create_time` (spec: "Time the first question of the
 * program was submitted. A question shared between programs only starts the clock when submitted as part of this program").
 * Throws Problem `invalid_request` with every error below `/answers`, `not_found` for an unknown applicant or an unpublished program,
 * `conflict` after another submission, `too_large`, `unavailable`.
 */
export async function saveAnswers(sql: Sql, request: SaveRequest): Promise<SavedApplication> {
  const { program_id, applicant_id, front_end } = request
  const known = await knownActiveVersion(sql, program_id)
  const place = { program_id, applicant_id }
  const checked = checkAnswers(known.version, request.answers, 'save')
  if ('errors' in checked) throw refusedAnswers('Nothing was saved, because some answers are invalid.', checked)
  const keys = isJsonObject(request.answers) ? [...request.answers.keys()] : []
  return withBoundedWait(sql, async tx => {
    if (!(await holdApplicant(tx, { applicant_id, front_end }))) throw noSuchApplicant()
    const existing = await lockForAnswers(tx, place, keys, checked.answers)
    // Under the lock, so that no submission comes in between.
    if (request.lastApplicationId !== undefined) await requireLast(tx, place, request.lastApplicationId)
    const saved =
      existing === undefined || existing.answers === notSavedYet
        ? await answersToStartFrom(tx, place, known)
        : readSavedAnswers(existing.answers)
    if (existing === undefined) return { create_time: null, answers: writeSavedAnswers(saved) }
    const merged = mergeSavedAnswers(saved, known.shape, keys, checked.answers)
    const answers = writeSavedAnswers(merged)
    if (Buffer.byteLength(answers) > request.answersBytesMax) {
      throw new Problem('too_large', {
        detail: `The answers of an application must have at most ${request.answersBytesMax} bytes as JSON. Shorten some of them.`,
      })
    }
    await updateInProgressAnswers(tx, program_id, applicant_id, answers)
    return { create_time: existing.create_time, answers }
  })
}

async function requireLast(tx: Transaction, place: ApplicantPlace, applicationId: number | null): Promise<void> {
  const last = await findLastSubmission(tx, place)
  if ((last?.application_id ?? null) !== applicationId)
    throw new Problem('conflict', { detail: 'The application was submitted before these answers arrived.' })
}

/** Empty answers do not start an application, unless they remove answers of the last one. */
async function lockForAnswers(
  tx: Transaction,
  { program_id, applicant_id }: ApplicantPlace,
  keys: readonly string[],
  answers: Answers,
): Promise<InProgress | undefined> {
  const takesBack = async (): Promise<boolean> =>
    keys.length > 0 && (await findLastSubmission(tx, { program_id, applicant_id })) !== undefined
  return answers.size > 0 || (await takesBack())
    ? lockOrInsertInProgress(tx, program_id, applicant_id)
    : lockInProgress(tx, program_id, applicant_id)
}

/**
 * The saved answers, or else those that the applicant's next application starts with. Throws Problem `not_found` if there are none or the
 * applicant does not exist.
 */
export async function loadSavedAnswers(
  sql: Sql,
  programId: number,
  applicant: ApplicantName,
): Promise<SavedApplication> {
  const saved = await findInProgress(sql, programId, applicant)
  if (saved !== undefined) return saved
  await requireApplicant(sql, applicant)
  const place = { program_id: programId, applicant_id: applicant.applicant_id }
  if ((await findLastSubmission(sql, place)) !== undefined) {
    const start = await answersToStartFrom(sql, place, await knownActiveVersion(sql, programId))
    return { create_time: null, answers: writeSavedAnswers(start) }
  }
  throw new Problem('not_found', { detail: 'This applicant has no application in progress in this program.' })
}
