// What is true of the program that the table looks at, by those who made it so; and what a client must therefore get of it, by the
// plain renderer. Nothing here asks the installation.

import type { Annotations, RevisionState, Submission } from '../../src/domain/questions/application.ts'
import type { KeyMap, KeyNode } from '../../src/domain/questions/key-map.ts'
import type { QuestionKind } from '../../src/domain/questions/question.ts'
import type { ExportedApplication } from '../support/export-client.ts'
import { plainApplication } from '../support/plain-renderer.ts'

/** A question that the program asked at some time, with what was ever repeated under it. */
export interface Question {
  key: string
  adminName: string
  kind: QuestionKind
  repeated: readonly Question[]
}

export interface Change {
  kind: 'submitted' | 'superseded' | 'status' | 'note'
  application_id: number
}

export interface Truth {
  slug: string
  timeZone: string
  questions: readonly Question[]
  /** In the order of a walk. */
  applications: readonly { submission: Submission; annotations: Annotations; state: RevisionState }[]
  /** What happened after a cursor, in order; undefined where that is not known to the one. */
  changes: { cursor: string; happened: readonly Change[] } | undefined
  /** Admin names; of a key that sees less. */
  hiddenQuestions: readonly string[]
  /** As `fields` names them: some of what the whole key sees, and some of what that key sees. */
  fields: readonly string[]
  fieldsOfRest: readonly string[]
}

/** What is seen of the questions: by which key, and of those what was chosen. */
export interface View {
  hidden: readonly string[]
  fields: readonly string[] | undefined
}

export const views = {
  all: () => ({ hidden: [], fields: undefined }),
  fields: ({ fields }) => ({ hidden: [], fields }),
  hidden: ({ hiddenQuestions }) => ({ hidden: hiddenQuestions, fields: undefined }),
  both: ({ hiddenQuestions, fieldsOfRest }) => ({ hidden: hiddenQuestions, fields: fieldsOfRest }),
} as const satisfies Record<string, (truth: Truth) => View>
export type ViewName = keyof typeof views

/** The questions that a view shows, as a tree. */
export function seenQuestions(questions: readonly Question[], view: View, within = '', isChosen = false): Question[] {
  return questions.flatMap(question => {
    const path = `${within}${question.key}`
    if (view.hidden.includes(question.adminName)) return []
    const whole = isChosen || view.fields === undefined || view.fields.includes(path)
    const repeated = seenQuestions(question.repeated, view, `${path}.`, whole)
    return whole || repeated.length > 0 ? [{ ...question, repeated }] : []
  })
}

/** Each by its path, with dots between keys. */
export const pathsOf = (questions: readonly Question[], within = ''): string[] =>
  questions.flatMap(({ key, repeated }) => [`${within}${key}`, ...pathsOf(repeated, `${within}${key}.`)])

/** The applications as a client gets them that sees this much. */
export function expectedApplications({ applications, questions, timeZone }: Truth, view: View): ExportedApplication[] {
  const keyMap = keyMapOf(seenQuestions(questions, view))
  return applications.map(
    ({ submission, annotations, state }) =>
      plainApplication(submission, annotations, state, keyMap, timeZone) as unknown as ExportedApplication,
  )
}

const keyMapOf = (questions: readonly Question[]): KeyMap =>
  questions.map(
    ({ key, kind, repeated }): KeyNode => ({
      question_id: 0,
      question_key: key,
      type: exportedAs(kind),
      option_ids: [],
      children: keyMapOf(repeated),
    }),
  )

/** Spec, "Question types". No STATIC here: it is in no export. */
function exportedAs(kind: QuestionKind): KeyNode['type'] {
  if (kind === 'CHECKBOX') return 'MULTI_SELECT'
  return kind === 'DROPDOWN' || kind === 'RADIO' ? 'SINGLE_SELECT' : (kind as KeyNode['type'])
}
