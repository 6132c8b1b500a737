// The questions of a program version in the order applicants see them, each with the conditions for showing it.

import { optionIdsOf } from '../../../domain/fields/settings.ts'
import type { Condition, ProgramVersion } from '../../../domain/questions/program-version.ts'
import { type ExportedType, exportedType, type VersionQuestion } from '../../../domain/questions/question.ts'

export interface AskedQuestion {
  question: VersionQuestion
  /** Undefined for information text (STATIC), which has no answer. */
  type: ExportedType | undefined
  /** IDs of the options that it currently offers. */
  optionIds: ReadonlySet<string>
  optional: boolean
  /** The question is asked if all of these are true: its screen's conditions and its own. */
  conditions: readonly Condition[]
  /** Questions repeated under it, by key. */
  children: ReadonlyMap<string, AskedQuestion>
}

interface Questionnaire {
  /** Top-level questions, by key. */
  top: ReadonlyMap<string, AskedQuestion>
  /** All questions at any depth in the order asked, enumerators before the questions repeated under them. */
  order: readonly AskedQuestion[]
}

const planned = new WeakMap<ProgramVersion, Questionnaire>()

/** The questions on a version's screens; questions on no screen are left out. Computed once per version. */
export function questionnaireOf(version: ProgramVersion): Questionnaire {
  const questionnaire = planned.get(version) ?? planQuestionnaire(version)
  planned.set(version, questionnaire)
  return questionnaire
}

function planQuestionnaire(version: ProgramVersion): Questionnaire {
  const questions = new Map(version.questions.map(question => [question.question_id, question]))
  const order: AskedQuestion[] = []
  const top = new Map<string, AskedQuestion>()
  const childrenOf = new Map<number | null, Map<string, AskedQuestion>>([[null, top]])
  for (const screen of version.screens) {
    for (const { question_id, optional, visible_when } of screen.questions) {
      const question = questions.get(question_id)
      const siblings = question && childrenOf.get(question.enumerator_id)
      if (question === undefined || siblings === undefined) {
        throw new Error(
          `version ${version.program_version_id} asks ${question_id} without its enumerator, or before it`,
        )
      }
      const children = new Map<string, AskedQuestion>()
      childrenOf.set(question_id, children)
      const conditions = [screen.visible_when, visible_when].filter(condition => condition !== null)
      const optionIds = new Set(optionIdsOf(question.settings))
      const asked = { question, type: exportedType(question.kind), optionIds, optional, conditions, children }
      siblings.set(question.question_key, asked)
      order.push(asked)
    }
  }
  return { top, order }
}
