// A program version: its questions and the screens that ask them.

import type { Translations } from '../fields/translation-schema.ts'
import type { VersionQuestion } from './question.ts'

/**
 * When the program asks something: always (null), or on a condition over earlier answers. A repeated question may use answers of its own entity, of
 * the entities that contain it, and of the top level. Fields are named as in exports (`currency_dollars`, `selections`, `state`, …); `answered` needs
 * neither field nor value.
 */
export type Condition =
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }
  | { question_id: number; operator: 'answered' }
  | { question_id: number; field: string; operator: ComparisonOperator; value: ConditionValue }

/**
 * equal, not_equal: string or number, exactly. less/greater: numbers, or dates as text. in: the field is one of the listed
 * values. includes_any, includes_all: the field is a list (`selections`) holding one of, or all, the listed values.
 * An unanswered question's comparison is false, whatever the operator (so `not` of it is true).
 */
export const comparisonOperators = [
  'equal',
  'not_equal',
  'less_than',
  'less_than_or_equal',
  'greater_than',
  'greater_than_or_equal',
  'in',
  'includes_any',
  'includes_all',
] as const
export type ComparisonOperator = (typeof comparisonOperators)[number]
export type ConditionValue = string | number | readonly string[] | readonly number[]

/** A question on a screen. Hidden questions are not asked, and answers to them are dropped at submission. */
interface Placement {
  question_id: number
  optional: boolean
  visible_when: Condition | null
}

export interface Screen {
  name: string
  description?: string
  translations?: Translations<'name' | 'description'>
  visible_when: Condition | null
  questions: readonly Placement[]
}

/** Colors of statuses in the console. The first is the default. */
export const statusColors = ['gray', 'blue', 'amber', 'green', 'red'] as const
export type StatusColor = (typeof statusColors)[number]

/** The display of a status: its color for administrators, its public name for applicants. */
export interface StatusDetails {
  /** One of the program's statuses. */
  status: string
  color?: StatusColor
  public_name?: string
  translations?: Translations<'public_name'>
}

/** The texts of a version besides its name, screens and questions, and their languages. */
export interface ProgramDetails {
  /** The language of its texts; `en` if omitted. */
  default_language?: string
  /** Its other languages. */
  languages?: string[]
  description?: string
  /** Text shown to applicants after they submit. */
  confirmation?: string
  status_details?: StatusDetails[]
  translations?: Translations<'display_name' | 'description' | 'confirmation'>
}

export type ProgramVersionState = 'DRAFT' | 'ACTIVE' | 'OBSOLETE'

/** Everything needed to ask the questions of one program version and to check the answers. */
export interface ProgramVersion {
  program_version_id: number
  program_id: number
  slug: string
  state: ProgramVersionState
  screens: readonly Screen[]
  questions: readonly VersionQuestion[]
}
