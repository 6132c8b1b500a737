// The questions of a program version as people see them: screen by screen, repeated questions within their enumerator.

import type { Condition, ProgramVersion } from '../questions/program-version.ts'
import { type ExportedType, exportedType, type VersionQuestion } from '../questions/question.ts'

/** The parts of a version needed to show answers to it. */
export type ReadableVersion = Pick<ProgramVersion, 'screens' | 'questions'>

export interface PlacedQuestion {
  question: VersionQuestion
  type: ExportedType
  /** The question is asked if all of these conditions are true: its screen's and its own. */
  conditions: readonly Condition[]
  /** The questions repeated under it, on any screen. */
  repeated: readonly PlacedQuestion[]
}

interface PlacedScreen {
  /** Undefined for questions on no screen. */
  name: string | undefined
  condition: Condition | null
  /** Those at the top level. STATIC questions have no answer and are omitted. */
  questions: readonly PlacedQuestion[]
}

interface GrowingQuestion extends PlacedQuestion {
  repeated: GrowingQuestion[]
}

export function placedScreens({ screens, questions }: ReadableVersion): PlacedScreen[] {
  const byId = new Map(questions.map(question => [question.question_id, question]))
  const placed = new Map<number, GrowingQuestion>()
  const place = (question: VersionQuestion | undefined, conditions: readonly Condition[]) => {
    const type = question && exportedType(question.kind)
    if (question === undefined || type === undefined || placed.has(question.question_id)) return
    placed.set(question.question_id, { question, type, conditions, repeated: [] })
  }
  const shown = screens.map(({ name, visible_when, questions: placements }) => {
    for (const placement of placements)
      place(
        byId.get(placement.question_id),
        [visible_when, placement.visible_when].filter(condition => condition !== null),
      )
    const ids = placements.map(({ question_id }) => question_id)
    return { name: name as string | undefined, condition: visible_when, ids }
  })
  const onScreens = new Set(placed.keys())
  for (const question of questions) place(question, [])
  const left = [...placed.keys()].filter(id => !onScreens.has(id))
  for (const question of placed.values()) {
    const { enumerator_id } = question.question
    if (enumerator_id !== null) placed.get(enumerator_id)?.repeated.push(question)
  }
  return [...shown, { name: undefined, condition: null, ids: left }]
    .map(({ ids, ...screen }) => ({
      ...screen,
      questions: ids
        .map(id => placed.get(id))
        .filter(item => item !== undefined)
        .filter(({ question }) => question.enumerator_id === null),
    }))
    .filter(({ questions }) => questions.length > 0)
}
