// What a question is: its kind, its settings, and the type its answers have in an export.
// It must not know how questions are stored, asked or answered.

/** The kinds a question may be created with. Immutable once created. */
export const questionKinds = [
  'ADDRESS',
  'CHECKBOX',
  'CURRENCY',
  'DATE',
  'DROPDOWN',
  'EMAIL',
  'ENUMERATOR',
  'FILE_UPLOAD',
  'ID',
  'MAP',
  'NAME',
  'NUMBER',
  'PHONE',
  'RADIO',
  'STATIC',
  'TEXT',
] as const

export type QuestionKind = (typeof questionKinds)[number]

/** `question_type` in an export. Source: spec, "Question objects". */
export type ExportedType =
  | 'ADDRESS'
  | 'CURRENCY'
  | 'DATE'
  | 'EMAIL'
  | 'ENUMERATOR'
  | 'FILE_UPLOAD'
  | 'ID'
  | 'MAP'
  | 'MULTI_SELECT'
  | 'NAME'
  | 'NUMBER'
  | 'PHONE'
  | 'SINGLE_SELECT'
  | 'TEXT'

/**
 * The type a kind is exported as, or `undefined` for STATIC, which has no answer and never appears.
 * Source: spec, "Checkbox questions are exported as `MULTI_SELECT`. Dropdown and radio questions are exported as `SINGLE_SELECT`."
 */
export function exportedType(kind: QuestionKind): ExportedType | undefined {
  switch (kind) {
    case 'CHECKBOX':
      return 'MULTI_SELECT'
    case 'DROPDOWN':
    case 'RADIO':
      return 'SINGLE_SELECT'
    case 'STATIC':
      return undefined
    default:
      return kind
  }
}

/** The part of a question that never changes. `enumerator_id` is the question it is repeated under, or null. */
export interface Question {
  question_id: number
  admin_name: string
  question_key: string
  kind: QuestionKind
  enumerator_id: number | null
}

/** One selectable option. `admin_id` is what an export carries; for MAP it is the id of a map feature. */
export interface QuestionOption {
  admin_id: string
  text: string
}

/**
 * The part of a question that a new question version may change. Which fields a kind may carry:
 * options: CHECKBOX, DROPDOWN, RADIO, MAP. min, max (inclusive integers): NUMBER.
 * min_length, max_length (Unicode code points): TEXT, ID.
 * min_count, max_count (selections, entities or files): CHECKBOX, MAP, ENUMERATOR, FILE_UPLOAD. correct_addresses: ADDRESS.
 */
export interface QuestionSettings {
  text: string
  help?: string
  options?: QuestionOption[]
  min?: number
  max?: number
  min_length?: number
  max_length?: number
  min_count?: number
  max_count?: number
  correct_addresses?: boolean
}

/** A question as one program version asks it. */
export interface VersionQuestion extends Question {
  question_version_id: number
  settings: QuestionSettings
}
