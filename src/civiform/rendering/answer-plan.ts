// Everything needed to read the answers of one program version: its questions as stored here, with CiviForm's details about each.

import type { KeyMap } from '../../domain/questions/key-map.ts'
import type { CatalogueQuestion } from '../definitions/catalogue-version.ts'

/** A question of the version. If CiviForm no longer has a question for it, it is unanswered. */
export interface PlannedQuestion {
  /** ID of the question as stored here, which markers in stored text contain. */
  question_id: number
  key: string
  /** Its type's name in CiviForm; undefined if this release does not know it. */
  type: string | undefined
  /** Its unanswered form in exports. */
  unanswered: string
  /** Admin names by stored ID, in export order. */
  options: ReadonlyMap<string, string>
  /** The part of the applicant's own row that replaces a missing answer, if the profile allows that. */
  primary: 'NAME' | 'EMAIL' | 'PHONE' | 'DOB' | undefined
  children: readonly PlannedQuestion[]
}

/** The shape decides what is exported; the catalogue, how to read it. */
export function planAnswers(
  shape: KeyMap,
  questions: readonly CatalogueQuestion[],
  unansweredForm: (node: KeyMap[number]) => string,
): PlannedQuestion[] {
  const byKey = new Map(questions.filter(q => q.kind !== 'STATIC').map(question => [question.key, question]))
  return shape.map(node => {
    const question = byKey.get(node.question_key)
    const primary = question?.tags.find(tag => tag.startsWith('PRIMARY_APPLICANT_'))?.slice('PRIMARY_APPLICANT_'.length)
    return {
      question_id: node.question_id,
      key: node.question_key,
      type: node.unknown_type === undefined ? question?.type : undefined,
      unanswered: unansweredForm(node),
      options: new Map(question?.options.map(({ id, adminName }) => [id, adminName])),
      primary: primary as PlannedQuestion['primary'],
      children: planAnswers(node.children, question?.children ?? [], unansweredForm),
    }
  })
}
