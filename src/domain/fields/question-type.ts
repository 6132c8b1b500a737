// The interface of a question type. Everything that depends on the type of a question is in the file of that type, listed in all-types.

import type { Static, TSchema } from 'typebox'
import type { Rng } from '../random/seeded-random.ts'
import type { FieldReader } from './field-reader.ts'
import type { JsonSchema, SchemaStyle } from './field-schema.ts'

/** The kind of value in a field of an exported answer. Unanswered, a list is `[]` and anything else null; conditions use it too. */
export type FieldForm = 'text' | 'number' | 'date' | 'option' | 'option_list' | 'text_list' | 'entities'

/** Whether the unanswered form of such a field is `[]`. */
export const isList = (form: FieldForm): boolean =>
  form === 'option_list' || form === 'text_list' || form === 'entities'

interface Field<A> {
  readonly form: FieldForm
  /** In a response; where it depends on the question, made from every option id it ever had. */
  readonly schema: JsonSchema | ((optionIds: readonly string[], style: SchemaStyle) => JsonSchema)
  /** Its value, where that is not the member of the same name of the answer. */
  value?(answer: A): string | number | readonly string[] | null
}

export type SettingSchemas = Readonly<Record<string, TSchema>>
export type SettingsOf<S> = { [K in keyof S]?: S[K] extends TSchema ? Static<S[K]> : never }

/** The common part of all question types: enough for ENUMERATOR, whose answers contain answers to other questions. */
export interface QuestionShape<A, S extends SettingSchemas> {
  /** The kinds of question that are exported as this type. */
  readonly kinds: readonly string[]
  /** The settings such a question may have besides its text and help. */
  readonly settings: S
  /** The fields of an exported answer, in their order. Source: spec, "Question objects". */
  readonly fields: Readonly<Record<string, Field<A>>>
  /** Additional fields of a sent answer that say how to read it and are not stored. */
  readonly hints?: readonly string[]
}

/** The rules that an answer must follow. */
export interface AnswerRules<S extends SettingSchemas = SettingSchemas> {
  /** The question's settings as the program asks it; empty for older answers, which "may violate" them. */
  readonly settings: SettingsOf<S>
  readonly optionIds: ReadonlySet<string>
  /**
   * `saved`: may still change. `final`: is submitted now. `older`: was submitted before, in whatever way the question was
   * asked then.
   */
  readonly stage: 'saved' | 'final' | 'older'
}

/** A line of an answer as people read it. */
export interface AnswerLine {
  text: string
  /** `code` is read sign by sign, `aside` is about the answer, `link` is an address that may be followed. */
  look?: 'code' | 'aside' | 'link'
}

/** A type whose answers are complete in themselves. `A` is a checked answer, in the form it is kept in. */
export interface QuestionType<A, S extends SettingSchemas = SettingSchemas> extends QuestionShape<A, S> {
  /**
   * The question object of an answer as JSON text, its fields in their order. Written out field by field: to make an object
   * and stringify that takes twice as long, and this is most of what a load renders.
   */
  text(answer: A): string
  /** The answer as people read it; `optionText` gives the words of an option. */
  lines(answer: A, optionText: (id: string) => string): readonly AnswerLine[]
  /** The answer in fields that are not all empty; undefined when something is wrong with it, which is then noted. */
  read(fields: FieldReader, rules: AnswerRules<S>): A | undefined
  /** The sample answer that shows most: every field filled, several selections. Two variants differ. */
  sample(settings: SettingsOf<S>, variant: number): A
  /** A maker of varied answers; undefined where nothing can be answered (no options, no files). */
  random(settings: SettingsOf<S>): (next: Rng) => A | undefined
}

/** A field's value as JSON text. */
export const json = (value: string | number | readonly string[] | null): string =>
  value === null ? 'null' : JSON.stringify(value)
