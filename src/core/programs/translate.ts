// Applies a translators' file to a program's draft, or starts a draft with it.

import { decodeText } from '../../base/csv-records.ts'
import { invalidRequest } from '../../base/problem.ts'
import type { Sql } from '../../db/client.ts'
import type { ProgramDefinition } from '../../domain/definitions/program-definition.ts'
import type { EditOptions } from './edit.ts'
import { parseDefinition } from './parse-definition.ts'
import { type DraftResult, saveDraft } from './save-draft.ts'
import { planTranslations, type TranslationPlan } from './translation-file.ts'

/** Maximum length of a file. */
export const translationBytesMax = 2 * 1024 * 1024

/** The changes that a file makes to a definition. Throws `invalid_request` for an unusable file, or if the definition can't have its texts. */
export async function previewTranslations(definition: ProgramDefinition, file: Uint8Array): Promise<TranslationPlan> {
  const text = file.length > translationBytesMax ? undefined : decodeText(file)
  if (text === undefined) throw refused('no_csv', 'The file must be a CSV file in UTF-8 or UTF-16 of at most 2 MB.')
  const plan = planTranslations(definition, text)
  if ('code' in plan) throw refused(plan.code, plan.detail)
  await parseDefinition(plan.definition, undefined, Number.POSITIVE_INFINITY)
  return plan
}

const refused = (code: string, detail: string) =>
  invalidRequest(detail, [{ path: '', parameter: 'file', code, detail }])

/** Saves the draft with the file's translations. `definition` names the version it is based on. */
export async function saveTranslations(
  sql: Sql,
  definition: ProgramDefinition,
  file: Uint8Array,
  actor: string,
  options: EditOptions,
): Promise<DraftResult> {
  const plan = await previewTranslations(definition, file)
  return saveDraft(sql, plan.definition, actor, options)
}
