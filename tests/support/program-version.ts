// Program versions made of few words, for tests of rules that need no database.

import type { Condition, ProgramVersion, Screen } from '../../src/domain/questions/program-version.ts'
import type { QuestionKind, QuestionSettings, VersionQuestion } from '../../src/domain/questions/question.ts'
import { questionKey } from '../../src/domain/questions/question-key.ts'

export interface QuestionSpec extends Partial<QuestionSettings> {
  kind: QuestionKind
  /** Name of the enumerator it is repeated under. */
  under?: string
  optional?: boolean
  when?: Condition
  /** Not on any screen. */
  unplaced?: boolean
}

/** IDs start at 1 in the order of the names, so that conditions can refer to them. One screen, unless `screens` divides it. */
export function aVersion(
  specs: Record<string, QuestionSpec>,
  screens?: { when?: Condition; questions: string[] }[],
): ProgramVersion {
  const names = Object.keys(specs)
  const idOf = (name: string): number => names.indexOf(name) + 1
  const questions = names.map((name): VersionQuestion => {
    const { kind, under, optional, when, unplaced, ...settings } = specs[name]!
    return {
      question_id: idOf(name),
      question_version_id: idOf(name) + 100,
      admin_name: name,
      question_key: questionKey(name),
      kind,
      enumerator_id: under === undefined ? null : idOf(under),
      settings: { text: `${name}?`, ...settings },
    }
  })
  const placed = screens ?? [{ questions: names.filter(name => specs[name]!.unplaced !== true) }]
  return {
    program_version_id: 7,
    program_id: 3,
    slug: 'housing-aid',
    state: 'ACTIVE',
    questions,
    screens: placed.map(
      (screen, i): Screen => ({
        name: `Screen ${i + 1}`,
        visible_when: screen.when ?? null,
        questions: screen.questions.map(name => ({
          question_id: idOf(name),
          optional: specs[name]!.optional ?? false,
          visible_when: specs[name]!.when ?? null,
        })),
      }),
    ),
  }
}

/** The options of a question, each with its ID as its text. */
export const options = (...ids: string[]) => ids.map(admin_id => ({ admin_id, text: admin_id }))
