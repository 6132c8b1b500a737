// The service's response when the editor opens a program.

import type { VersionChange } from '../../../domain/comparison/version-diff.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import type { QuestionKind } from '../../../domain/questions/question.ts'

export interface ProgramForEditing {
  /** The draft, or without one the active version; `based_on` is its id. */
  document: ProgramDefinition
  /** Who saved or published it, and when. */
  made_by: string | null
  made_at: string
  is_draft: boolean
  /** The number of the version that applicants are asked now. */
  active_version_number: number | null
  /** Whether that was published after the draft was begun: then the draft has to be kept or discarded first. */
  is_overtaken: boolean
  /** The draft's changes. */
  changes: VersionChange[]
  /** Questions that were published or that another program asks: their kind and key are fixed, and the ids of these options. */
  fixed_questions: { admin_name: string; option_ids: string[]; used_by: string[] }[]
  enumerator_depth_max: number
}

/** A question of the bank whose text resembles another. */
export interface SimilarQuestion {
  admin_name: string
  kind: QuestionKind
  enumerator: string | null
  text: string
  /** Names of the programs that ask it. */
  used_by: string[]
}

export interface SimilarQuestions {
  items: SimilarQuestion[]
  /** Question keys that a question of this text would have and others have already, folded. */
  taken_keys: string[]
}
