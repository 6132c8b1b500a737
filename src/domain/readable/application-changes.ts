// Lists the changes between two applications of an applicant, by question.

import type { AnswerLine } from '../fields/question-type.ts'
import { type ExportedObject, entitiesOf, isSame, linesOf, nameOf, questionObject } from './exported-answers.ts'
import { matchEntities } from './match-entities.ts'
import { type PlacedQuestion, placedScreens, type ReadableVersion } from './placed-questions.ts'

/** An application with the version it was submitted to. */
interface ComparedApplication {
  version: ReadableVersion
  /** The member `application` of the exported object. */
  application: ExportedObject
}

export interface ApplicationChange {
  /** From the outside in: the question, or the enumerator, the entity and then the question. */
  path: readonly string[]
  /** An entity that was added or removed: its lines are its name and the answers about it. */
  isEntity?: boolean
  /** No lines: unanswered. */
  before: readonly AnswerLine[]
  now: readonly AnswerLine[]
}

/** Maximum number of changes listed. */
export const changesMax = 1000

/** `more` says that there are more changes than `changesMax`. They are in the order of the newer version's screens. */
export function applicationChanges(
  now: ComparedApplication,
  before: ComparedApplication,
): { changes: ApplicationChange[]; more: boolean } {
  const changes: ApplicationChange[] = []
  compare(topLevel(now), now.application, topLevel(before), before.application, [], changes)
  return { changes: changes.slice(0, changesMax), more: changes.length > changesMax }
}

const topLevel = ({ version }: ComparedApplication): PlacedQuestion[] =>
  placedScreens(version).flatMap(({ questions }) => questions)

function compare(
  questions: readonly PlacedQuestion[],
  now: ExportedObject,
  earlierQuestions: readonly PlacedQuestion[],
  before: ExportedObject,
  path: readonly string[],
  changes: ApplicationChange[],
): void {
  const earlierByKey = new Map(earlierQuestions.map(placed => [placed.question.question_key, placed]))
  const keys = new Set(questions.map(({ question }) => question.question_key))
  // Questions that only the earlier version asked come last, because their answers are gone.
  const both = [...questions, ...earlierQuestions.filter(({ question }) => !keys.has(question.question_key))]
  for (const placed of both) {
    if (changes.length > changesMax) return
    const { question_key, settings } = placed.question
    const [newer, older] = [questionObject(now, question_key), questionObject(before, question_key)]
    if (isSame(newer, older)) continue
    const at = [...path, settings.text]
    const earlier = earlierByKey.get(question_key) ?? placed
    if (placed.type === 'ENUMERATOR') compareEntities(placed, newer, earlier, older, at, changes)
    else {
      const [linesBefore, linesNow] = [linesOf(earlier, older), linesOf(placed, newer)]
      if (linesBefore.length + linesNow.length > 0) changes.push({ path: at, before: linesBefore, now: linesNow })
    }
  }
}

function compareEntities(
  placed: PlacedQuestion,
  newer: ExportedObject | undefined,
  earlier: PlacedQuestion,
  older: ExportedObject | undefined,
  path: readonly string[],
  changes: ApplicationChange[],
): void {
  const { pairs, gone } = matchEntities(entitiesOf(newer), entitiesOf(older))
  for (const pair of pairs) {
    const at = [...path, nameOf(pair.entity)]
    if (pair.earlier === undefined)
      changes.push({ path: at, isEntity: true, before: [], now: entityLines(placed, pair.entity) })
    else compare(placed.repeated, pair.entity, earlier.repeated, pair.earlier, at, changes)
    if (changes.length > changesMax) return
  }
  for (const entity of gone)
    changes.push({ path: [...path, nameOf(entity)], isEntity: true, before: entityLines(earlier, entity), now: [] })
}

/** An added or removed entity: its name and the answers about it. */
function entityLines(enumerator: PlacedQuestion, entity: ExportedObject): AnswerLine[] {
  const lines: AnswerLine[] = [{ text: nameOf(entity) }]
  for (const placed of enumerator.repeated) {
    const object = questionObject(entity, placed.question.question_key)
    const about = placed.question.settings.text
    if (placed.type === 'ENUMERATOR') {
      for (const inner of entitiesOf(object))
        for (const { text } of entityLines(placed, inner)) lines.push({ text: `${about} ${text}`, look: 'aside' })
    } else {
      const answer = linesOf(placed, object)
      if (answer.length > 0)
        lines.push({ text: `${about} ${answer.map(({ text }) => text).join(', ')}`, look: 'aside' })
    }
  }
  return lines
}
