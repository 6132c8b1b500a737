// Stores the content of a definition: creates the questions and question versions that the bank lacks.
// Callers must hold the question bank's lock.

import type { Transaction } from '../../db/client.ts'
import type { VersionContent } from '../../db/programs/program-versions.ts'
import { type BankQuestion, insertQuestion, insertQuestionVersion } from '../../db/programs/questions.ts'
import { sameSettings } from '../../domain/comparison/version-diff.ts'
import {
  detailSchemas,
  type NamedCondition,
  type ProgramDefinition,
  type QuestionDefinition,
} from '../../domain/definitions/program-definition.ts'
import { screenTextsOf, storedCondition } from '../../domain/definitions/version-definition.ts'
import type { ProgramDetails } from '../../domain/questions/program-version.ts'
import type { QuestionSettings } from '../../domain/questions/question.ts'
import { foldedKeyOf, questionKey } from '../../domain/questions/question-key.ts'

/**
 * The content of a complete definition (see `completeDefinition`), by IDs. A question keeps its newest published version if its settings are the
 * same; otherwise it gets a new version based on that.
 */
export async function storeContent(
  tx: Transaction,
  definition: ProgramDefinition,
  bank: readonly BankQuestion[],
): Promise<VersionContent> {
  const known = new Map(bank.map(question => [question.admin_name, question]))
  const ids = new Map<string, number>()
  const questions: { question_id: number; question_version_id: number }[] = []
  for (const question of definition.questions) {
    const stored = known.get(question.admin_name)
    const question_id =
      stored?.question_id ??
      (await insertQuestion(tx, {
        admin_name: question.admin_name,
        question_key: questionKey(question.admin_name),
        question_key_folded: foldedKeyOf(question.admin_name),
        kind: question.kind,
        enumerator_id: question.enumerator === undefined ? null : idOf(question.enumerator),
      }))
    ids.set(question.admin_name, question_id)
    const settings = settingsOf(question)
    const based_on = stored?.published === true ? stored.question_version_id : null
    const question_version_id =
      stored !== undefined && sameSettings(stored.settings, settings)
        ? stored.question_version_id
        : await insertQuestionVersion(tx, { question_id, settings, based_on })
    questions.push({ question_id, question_version_id })
  }
  return {
    display_name: definition.display_name,
    statuses: definition.statuses,
    details: detailsOf(definition),
    screens: definition.screens.map(screen => ({
      ...screenTextsOf(screen),
      visible_when: stored(screen.visible_when),
      questions: screen.questions.map(placement => ({
        question_id: idOf(placement.question),
        optional: placement.optional ?? false,
        visible_when: stored(placement.visible_when),
      })),
    })),
    questions,
  }

  function idOf(name: string): number {
    const id = ids.get(name)
    if (id === undefined) throw new Error(`question ${name} is used before it is stored`)
    return id
  }
  function stored(condition: NamedCondition | null | undefined) {
    return condition == null ? null : storedCondition(condition, idOf)
  }
}

/** The parts of a program's definition that a version stores as its details. */
function detailsOf(definition: ProgramDefinition): ProgramDetails {
  const kept = Object.entries(definition).filter(([name]) => Object.hasOwn(detailSchemas, name))
  return Object.fromEntries(kept)
}

/** The parts of a question's definition that a question version stores. */
export function settingsOf({ admin_name, kind, enumerator, ...settings }: QuestionDefinition): QuestionSettings {
  if (settings.options === undefined) return settings
  return { ...settings, options: settings.options.map(({ legacy_id, ...option }) => option) }
}
