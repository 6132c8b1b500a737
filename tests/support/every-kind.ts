// A program version that asks a question of every kind at three depths, for tests of what depends on kinds and need no database.
// Where a program is published, answered or exported, take `everyKind` of programs.ts: each kind once, with settings that matter.

import { kindsWith } from '../../src/domain/definitions/definition-schemas.ts'
import { type QuestionKind, questionKinds, type VersionQuestion } from '../../src/domain/questions/question.ts'
import type { DocumentableVersion } from '../../src/domain/samples/version-docs.ts'

const words = ['one', 'two', 'three'] as const

/** Every kind at the top level, in an enumerator, and in an enumerator inside that one. */
export function everyKindQuestions(): VersionQuestion[] {
  const questions: VersionQuestion[] = []
  let enumeratorId: number | null = null
  for (const [depth, word] of words.entries()) {
    for (const [i, kind] of questionKinds.entries())
      questions.push(questionOf(kind, depth * 100 + i + 1, word, enumeratorId))
    enumeratorId = questions.findLast(question => question.kind === 'ENUMERATOR')!.question_id
  }
  return questions
}

/** A version of the program `every-kind`, on one screen, with the given parts replaced. */
export function everyKindVersion(changes: Partial<DocumentableVersion> = {}): DocumentableVersion {
  const questions = changes.questions ?? everyKindQuestions()
  const placements = questions.map(({ question_id }) => ({ question_id, optional: true, visible_when: null }))
  return {
    program_version_id: 41,
    slug: 'every-kind',
    display_name: 'Every kind',
    statuses: ['Approved', 'Denied'],
    questions,
    screens: [{ name: 'All', visible_when: null, questions: placements }],
    ...changes,
  }
}

function questionOf(kind: QuestionKind, id: number, word: string, enumerator_id: number | null): VersionQuestion {
  const name = `${kind.toLowerCase().replaceAll('_', ' ')} ${word}`
  const options = kindsWith('options').includes(kind)
    ? { options: ['red', 'green', 'dark_blue'].map(admin_id => ({ admin_id, text: `The ${admin_id} one` })) }
    : {}
  return {
    question_id: id,
    question_version_id: 1000 + id,
    kind,
    enumerator_id,
    admin_name: name,
    question_key: name.replaceAll(' ', '_'),
    settings: {
      text: `What is your ${name}?`,
      ...options,
      ...(kindsWith('correct_addresses').includes(kind) ? { correct_addresses: true } : {}),
    },
  }
}
