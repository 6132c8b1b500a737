// A program version: its questions and the screens that ask them.

import type { Translations } from '../fields/translation-schema.ts'
import type { VersionQuestion } from './question.ts'

/**
 * When the program asks something: always (null), or on a condition over earlier answers. A repeated question may look at its own
 * entity's answers, at its enumerators' entities it lies in, and at the top level.
 * Fields are the export's (`currency_dollars`, `selections`, `state`, …); `answered` needs neither field nor value.
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

/** A question on a screen. Hidden questions are not asked, and what was answered to them is dropped at submission. */
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

/** How a status is shown: to administrators in its color, to applicants under its public name. */
export interface StatusDetails {
  /** One of the program's statuses. */
  status: string
  color?: StatusColor
  public_name?: string
  translations?: Translations<'public_name'>
}

/** The texts of a version besides its name, screens and questions, and their languages. */
export interface ProgramDetails {
  /** The language of its texts; `en` when left out. */
  default_language?: string
  /** The other languages it is offered in. */
  languages?: string[]
  description?: string
  /** Text shown to applicants after they have submitted. */
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
