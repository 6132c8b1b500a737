// Loads the program of an applicants' page: its version, whether it is open, and this applicant's saved answers.

import { Problem } from '../../base/problem.ts'
import { mergeSavedAnswers, readSavedAnswers } from '../../core/intake/answers-in-progress.ts'
import { keepValid } from '../../core/intake/checking/check-all.ts'
import { type KnownVersion, knownActiveVersion } from '../../core/intake/known-versions.ts'
import { loadSavedAnswers } from '../../core/intake/save-answers.ts'
import { ownFrontEnd } from '../../core/keys/api-key-draft.ts'
import { findLastSubmission, type SubmittedRow } from '../../db/applications/submissions.ts'
import { findProgramIntake, type ProgramIntake } from '../../db/programs/program-intake.ts'
import { findProgram } from '../../db/programs/programs.ts'
import type { JsonObject } from '../../domain/values/json-text.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { isSlug } from '../../domain/values/slug.ts'
import { recordOf } from '../http/server/request-record.ts'
import type { ApplyRequest } from './apply-request.ts'
import { type ProgramTexts, programInLanguage } from './texts-in-language.ts'

export interface ProgramInForm extends ProgramIntake, ProgramTexts {
  program_id: number
  slug: string
  known: KnownVersion
  /** `/apply/{slug}` */
  path: string
}

/** Throws Problem `not_found` unless the program in the address has been published here. */
export async function programOf({ deps, request, params, language }: ApplyRequest): Promise<ProgramInForm> {
  const slug = params.slug ?? ''
  const program = isSlug(slug) ? await findProgram(deps.db, slug) : undefined
  if (program === undefined || program.origin_name !== null)
    throw new Problem('not_found', { detail: 'There is no program at this address.' })
  recordOf(request).fields.program = slug
  const { program_id, intake_state } = program
  const active = await knownActiveVersion(deps.intakeDb, program_id)
  const { known, texts } = programInLanguage(active, language)
  const intake = (await findProgramIntake(deps.intakeDb, program_id)) ?? { intake_state, intake_text: null }
  return { program_id, slug, ...texts, known, path: `/apply/${slug}`, ...intake }
}

export interface SavedForm {
  /** When the first answer was saved; null if nothing has been saved since the last application. */
  create_time: Micros | null
  /** The answers that the version still asks for and accepts. */
  answers: JsonObject
  /** The applicant's last application to the program. */
  last: SubmittedRow | undefined
}

/** The applicant's saved answers, or the ones that the next application starts from (D43). */
export async function savedIn({ deps, session }: ApplyRequest, program: ProgramInForm): Promise<SavedForm> {
  const { program_id, known } = program
  if (session === undefined) return { create_time: null, answers: new Map(), last: undefined }
  const { applicant_id } = session
  const last = await findLastSubmission(deps.intakeDb, { program_id, applicant_id })
  const applicant = { applicant_id, front_end: ownFrontEnd }
  const saved = await loadSavedAnswers(deps.intakeDb, program_id, applicant).catch(noneIfNotFound)
  if (saved === undefined) return { create_time: null, answers: new Map(), last }
  const valid = keepValid(known.version, readSavedAnswers(saved.answers))
  return { create_time: saved.create_time, answers: mergeSavedAnswers(new Map(), known.shape, [], valid), last }
}

function noneIfNotFound(error: unknown): undefined {
  if (!(error instanceof Problem) || error.kind !== 'not_found') throw error
}
