// Removes the questions hidden from a reader from program versions, so that docs do not reveal them in questions, changes, screens or
// conditions.

import type { Condition, ProgramVersion } from '../questions/program-version.ts'
import type { VersionQuestion } from '../questions/question.ts'

type Asking = Pick<ProgramVersion, 'questions' | 'screens'>

/** Each version as if it had never asked the hidden questions, those repeated under them, or those that share their keys. */
export function visibleVersions<Version extends Asking>(
  versions: readonly Version[],
  hidden: ReadonlySet<number>,
): Version[] {
  const gone = allHidden(
    versions.flatMap(version => version.questions),
    hidden,
  )
  return versions.map(version => ({
    ...version,
    questions: version.questions.filter(({ question_id }) => !gone.has(question_id)),
    screens: version.screens.flatMap(screen => {
      const questions = screen.questions
        .filter(({ question_id }) => !gone.has(question_id))
        .map(placement => ({ ...placement, visible_when: visibleCondition(placement.visible_when, gone) }))
      if (questions.length === 0 && screen.questions.length > 0) return []
      return [{ ...screen, visible_when: visibleCondition(screen.visible_when, gone), questions }]
    }),
  }))
}

function allHidden(questions: readonly VersionQuestion[], hidden: ReadonlySet<number>): ReadonlySet<number> {
  const place = ({ enumerator_id, question_key }: VersionQuestion): string => `${enumerator_id} ${question_key}`
  const places = new Set(questions.filter(({ question_id }) => hidden.has(question_id)).map(place))
  const gone = new Set(questions.filter(question => places.has(place(question))).map(question => question.question_id))
  for (const id of hidden) gone.add(id)
  for (let before = -1; before < gone.size; ) {
    before = gone.size
    for (const { question_id, enumerator_id } of questions)
      if (enumerator_id !== null && gone.has(enumerator_id)) gone.add(question_id)
  }
  return gone
}

/** A condition that uses a hidden question is omitted entirely, because the rest would be a different condition. */
const visibleCondition = (condition: Condition | null, gone: ReadonlySet<number>): Condition | null =>
  condition !== null && looksAt(condition, gone) ? null : condition

function looksAt(condition: Condition, gone: ReadonlySet<number>): boolean {
  if ('all' in condition) return condition.all.some(inner => looksAt(inner, gone))
  if ('any' in condition) return condition.any.some(inner => looksAt(inner, gone))
  if ('not' in condition) return looksAt(condition.not, gone)
  return gone.has(condition.question_id)
}
