// The questions of a program version as applicants meet them: in their order, each with the conditions that decide whether it appears.

import { optionIdsOf } from '../../../domain/fields/settings.ts'
import type { Condition, ProgramVersion } from '../../../domain/questions/program-version.ts'
import { type ExportedType, exportedType, type VersionQuestion } from '../../../domain/questions/question.ts'

export interface AskedQuestion {
  question: VersionQuestion
  /** Undefined for STATIC, which has no answer. */
  type: ExportedType | undefined
  /** The ids of the options it offers now. */
  optionIds: ReadonlySet<string>
  optional: boolean
  /** The program asks it when all of these hold: its screen's and its own. */
  conditions: readonly Condition[]
  /** The questions repeated under it, by key. */
  children: ReadonlyMap<string, AskedQuestion>
}

interface Questionnaire {
  /** The questions of the top level, by key. */
  top: ReadonlyMap<string, AskedQuestion>
  /** All questions, at every depth, in the order in which the program asks them: an enumerator before what is repeated under it. */
  order: readonly AskedQuestion[]
}

const planned = new WeakMap<ProgramVersion, Questionnaire>()

/** The questions that a version's screens ask; one that is on no screen is none of them. Made once for a version. */
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
        throw new Error(`version ${version.program_version_id} asks ${question_id} without it or before its enumerator`)
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
