// The service's response when the editor opens a program.

import type { VersionChange } from '../../../domain/comparison/version-diff.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import type { QuestionKind } from '../../../domain/questions/question.ts'

export interface ProgramForEditing {
  /** The draft, or the active version if there is none; `based_on` is its ID. */
  document: ProgramDefinition
  /** Who saved or published it, and when. */
  made_by: string | null
  made_at: string
  is_draft: boolean
  /** The number of the version that applicants currently answer. */
  active_version_number: number | null
  /** Whether it was published after the draft was started: then the draft must be kept or discarded first. */
  is_overtaken: boolean
  /** The draft's changes. */
  changes: VersionChange[]
  /** Questions that are published or used by another program: their kind and key are fixed, and so are the IDs of these options. */
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
  /** Folded question keys that a question with this text would get and that already exist. */
  taken_keys: string[]
}
