// Saves answers to a program while its applicant is still answering, and returns what is saved.

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
  /** Whose applicant it has to be. */
  front_end: string
  /** Question key → answer in the export's shape, or null to take an answer back. */
  answers: Json
  /** Most bytes of all saved answers of one application. */
  answersBytesMax: number
}

/** What is saved. `answers` is JSON text, an object by question key. */
export interface SavedApplication {
  /** When the first answer was saved; null before that. */
  create_time: Micros | null
  answers: string
}

/**
 * Merges answers into the application in progress, question by question of the top level: each replaces what was saved for
 * its question, null removes it, the rest stays; after a submission, the rest is that of the last application (D43). Checked against the ACTIVE version; nothing has to be complete yet.
 * The first answer in this program starts the application: its time is `create_time` (spec: "Time the first question of the
 * program was submitted. A question shared between programs only starts the clock when submitted as part of this program").
 * Throws Problem `invalid_request` naming every error below `/answers`, `not_found` for an unknown applicant or an unpublished
 * program, `too_large`, `unavailable`.
 */
export async function saveAnswers(sql: Sql, request: SaveRequest): Promise<SavedApplication> {
  const { program_id, applicant_id, front_end } = request
  const known = await knownActiveVersion(sql, program_id)
  const place = { program_id, applicant_id }
  const checked = checkAnswers(known.version, request.answers, 'save')
  if ('errors' in checked) throw refusedAnswers('Some answers cannot be saved as they are.', checked)
  const keys = isJsonObject(request.answers) ? [...request.answers.keys()] : []
  return withBoundedWait(sql, async tx => {
    if (!(await holdApplicant(tx, { applicant_id, front_end }))) throw noSuchApplicant()
    const existing = await lockForAnswers(tx, place, keys, checked.answers)
    const saved =
      existing === undefined || existing.answers === notSavedYet
        ? await answersToStartFrom(tx, place, known)
        : readSavedAnswers(existing.answers)
    if (existing === undefined) return { create_time: null, answers: writeSavedAnswers(saved) }
    const merged = mergeSavedAnswers(saved, known.shape, keys, checked.answers)
    const answers = writeSavedAnswers(merged)
    if (Buffer.byteLength(answers) > request.answersBytesMax) {
      throw new Problem('too_large', {
        detail: `The answers of one application may take ${request.answersBytesMax} bytes as JSON; with these they would take more.`,
      })
    }
    await updateInProgressAnswers(tx, program_id, applicant_id, answers)
    return { create_time: existing.create_time, answers }
  })
}

/** Answers that say nothing start no application, unless they take back what the last one had. */
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
 * What is saved, or else what the applicant's next application starts from. Throws Problem `not_found` when nothing was ever answered, or
 * no such applicant exists.
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
