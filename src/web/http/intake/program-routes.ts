// Returns the questions of a program to form front ends.

import { loadActiveVersion } from '../../../core/intake/refusals.ts'
import { findProgramIntake } from '../../../db/programs/program-intake.ts'
import type { StoredProgramVersion } from '../../../db/programs/programs.ts'
import {
  languagesOf,
  localizedDetails,
  localizedScreens,
  localizedSettings,
  lookupTags,
  offeredLanguage,
} from '../../../domain/languages/localized.ts'
import { exportedType } from '../../../domain/questions/question.ts'
import { intakeOperations } from '../openapi/intake-operations.ts'
import type { Deps } from '../server/deps.ts'
import { requestedLanguages } from '../server/program-request.ts'
import { readByKey } from '../server/read-by-key.ts'
import { enterProgram } from './intake-request.ts'

/** `GET /intake/v1/programs/{slug}`: the ACTIVE version in the best fitting language, with everything needed to ask its questions. */
export const programRoutes = (deps: Deps) =>
  readByKey(deps, '/intake/v1/programs/:slug', intakeOperations.readProgram, async ({ caller, params, request }) => {
    const { program_id, headers } = await enterProgram(deps, caller, request, params.slug!, ['language'])
    const wanted = requestedLanguages(request)
    const version = await loadActiveVersion(deps.intakeDb, program_id)
    const language = offeredLanguage(version.details, wanted)
    return Response.json(
      { ...describe(version, language), ...(await findProgramIntake(deps.intakeDb, program_id)) },
      { headers: { ...headers, 'Content-Language': language, Vary: 'Accept-Language' } },
    )
  })

/** Questions in the order asked; conditions refer to their `question_id`. `question_type` is null for information text. */
function describe(version: StoredProgramVersion, language: string) {
  const tags = lookupTags(language)
  const { display_name } = version
  const details = localizedDetails({ display_name, ...version.details }, tags)
  return {
    program_name: version.slug,
    program_version_id: version.program_version_id,
    language,
    languages: languagesOf(version.details),
    display_name: details.display_name,
    description: details.description ?? null,
    confirmation: details.confirmation ?? null,
    status_details: details.status_details ?? [],
    screens: localizedScreens(version.screens, tags),
    questions: version.questions.map(({ question_id, question_key, kind, enumerator_id, settings }) => ({
      question_id,
      question_key,
      kind,
      question_type: exportedType(kind) ?? null,
      enumerator_id,
      settings: localizedSettings(settings, tags),
    })),
  }
}
