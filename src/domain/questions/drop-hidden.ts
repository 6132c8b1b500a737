// Removes sample answers to questions that would not have been shown, just as submitting does.

import type { Answer } from './answers.ts'
import type { Condition, Screen } from './program-version.ts'
import type { VersionQuestion } from './question.ts'
import { holds } from './visibility.ts'

/** Where questions are answered: the application itself, or an entity of an enumerator. */
interface Scope {
  enumeratorId: number | null
  answers: Map<string, Answer>
  outer: Scope | undefined
}

interface ConditionalQuestion {
  question: VersionQuestion
  conditions: readonly Condition[]
  /** The enumerators that contain it, outermost first. */
  path: readonly VersionQuestion[]
}

/**
 * Creates a function that removes hidden answers, in the order of the screens, so that later conditions no longer see them. The answers of entities
 * must be mutable Maps.
 */
export function hiddenAnswersDropper(
  questions: readonly VersionQuestion[],
  screens: readonly Screen[],
): (answers: Map<string, Answer>) => void {
  const byId = new Map(questions.map(question => [question.question_id, question]))
  const conditional = screens.flatMap(screen =>
    screen.questions.flatMap(({ question_id, visible_when }): ConditionalQuestion[] => {
      const conditions = [screen.visible_when, visible_when].filter(condition => condition !== null)
      const question = byId.get(question_id)
      if (conditions.length === 0 || question === undefined) return []
      return [{ question, conditions, path: enumeratorsOf(question, byId) }]
    }),
  )
  return answers => {
    for (const { question, conditions, path } of conditional)
      for (const scope of scopesAlong(path, { enumeratorId: null, answers, outer: undefined })) {
        const find = (questionId: number): Answer | undefined => answerSeenFrom(scope, byId.get(questionId))
        if (!conditions.every(condition => holds(condition, find))) scope.answers.delete(question.question_key)
      }
  }
}

function enumeratorsOf(question: VersionQuestion, byId: ReadonlyMap<number, VersionQuestion>): VersionQuestion[] {
  const enumerator = question.enumerator_id === null ? undefined : byId.get(question.enumerator_id)
  return enumerator === undefined ? [] : [...enumeratorsOf(enumerator, byId), enumerator]
}

function scopesAlong(path: readonly VersionQuestion[], top: Scope): Scope[] {
  let scopes = [top]
  for (const enumerator of path) {
    scopes = scopes.flatMap(outer => {
      const answer = outer.answers.get(enumerator.question_key)
      if (answer?.type !== 'ENUMERATOR') return []
      return answer.entities.map(entity => ({
        enumeratorId: enumerator.question_id,
        answers: entity.answers as Map<string, Answer>,
        outer,
      }))
    })
  }
  return scopes
}

/** A condition may use the entity's own answers and those of the entities that contain it. */
function answerSeenFrom(scope: Scope, question: VersionQuestion | undefined): Answer | undefined {
  for (let at: Scope | undefined = scope; at !== undefined && question !== undefined; at = at.outer)
    if (at.enumeratorId === question.enumerator_id) return at.answers.get(question.question_key)
  return undefined
}
