// A question: its kind, settings, and question type in exports.

import type { QuestionShape, QuestionType, SettingSchemas, SettingsOf } from '../fields/question-type.ts'
import type { Translations } from '../fields/translation-schema.ts'
import * as allTypes from '../question-types/all-types.ts'

type Types = typeof allTypes

/** `question_type` in an export. Source: spec, "Question objects". */
export type ExportedType = keyof Types

/** A type whose answers contain no other answers. */
export type PlainType = Exclude<ExportedType, 'ENUMERATOR'>

/** A checked answer of such a type. */
export type PlainAnswer = { [T in PlainType]: Parameters<Types[T]['text']>[0] }[PlainType]

/** The kinds of question. A question's kind never changes. STATIC is text to read and has no answer. */
export type QuestionKind = Types[ExportedType]['kinds'][number] | 'STATIC'

type AllOf<Union> = (Union extends unknown ? (union: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** The part of a question that a new question version may change. The question's type decides which settings its kind may have. */
export type QuestionSettings = {
  text: string
  help?: string
  translations?: Translations<'text' | 'help'>
  origin_type?: string
} & SettingsOf<AllOf<Types[ExportedType]['settings']>>

/** A selectable option. Exports contain `admin_id`; for MAP, it is the ID of a map feature. */
export type QuestionOption = NonNullable<QuestionSettings['options']>[number]

/** Every type. Lookups in plain objects are faster than in a module. */
export const questionTypes: Readonly<Record<ExportedType, QuestionShape<PlainAnswer, SettingSchemas>>> = { ...allTypes }

export const exportedTypes = (Object.keys(allTypes) as ExportedType[]).sort()

const typeOfKind = new Map(exportedTypes.flatMap(type => questionTypes[type].kinds.map(kind => [kind, type])))

export const questionKinds = [...typeOfKind.keys(), 'STATIC'].sort() as QuestionKind[]

/**
 * The type that a kind is exported as; undefined for STATIC, which has no answer and is never exported. Source: spec, "Checkbox questions are
 * exported as `MULTI_SELECT`. Dropdown and radio questions are exported as `SINGLE_SELECT`."
 */
export function exportedType(kind: QuestionKind): ExportedType | undefined {
  const type = typeOfKind.get(kind)
  if (type === undefined && kind !== 'STATIC') throw new UnknownQuestionKind(kind)
  return type
}

/**
 * A later release published a kind, or stored a type, that this release does not know. The program is refused, because its exports would lack
 * answers.
 */
export class UnknownQuestionKind extends Error {
  constructor(readonly unknown: string) {
    super(`a later release has questions of the kind ${unknown}`)
  }
}

/** The description of a type in a key map that another release may have stored. Throws `UnknownQuestionKind`. */
export function typeNamed(type: ExportedType): QuestionShape<PlainAnswer, SettingSchemas> {
  const known: QuestionShape<PlainAnswer, SettingSchemas> | undefined = questionTypes[type]
  if (known === undefined) throw new UnknownQuestionKind(type)
  return known
}

/** The type of questions whose answers contain no other answers. */
export const plainType = (type: PlainType): QuestionType<PlainAnswer> =>
  questionTypes[type] as QuestionType<PlainAnswer>

/** The part of a question that never changes. `enumerator_id` is the question it is repeated under, or null. */
interface Question {
  question_id: number
  admin_name: string
  question_key: string
  kind: QuestionKind
  enumerator_id: number | null
}

/** A question in one program version. */
export interface VersionQuestion extends Question {
  question_version_id: number
  settings: QuestionSettings
}
