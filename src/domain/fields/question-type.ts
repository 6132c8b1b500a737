// The interface of a question type. Everything that depends on the type of a question is in the file of that type, listed in all-types.

import type { Static, TSchema } from 'typebox'
import type { Rng } from '../random/seeded-random.ts'
import type { FieldReader } from './field-reader.ts'
import type { JsonSchema, SchemaStyle } from './field-schema.ts'

/** The kind of value in a field of an exported answer, which conditions use, too. If unanswered, a list is `[]` and everything else null. */
export type FieldForm = 'text' | 'number' | 'date' | 'option' | 'option_list' | 'text_list' | 'entities'

/** Whether the unanswered form of such a field is `[]`. */
export const isList = (form: FieldForm): boolean =>
  form === 'option_list' || form === 'text_list' || form === 'entities'

interface Field<A> {
  readonly form: FieldForm
  /** The schema in responses. If it depends on the question, it is generated from every option ID the question ever had. */
  readonly schema: JsonSchema | ((optionIds: readonly string[], style: SchemaStyle) => JsonSchema)
  /** Returns the field's value if it isn't simply the answer's member of that name. */
  value?(answer: A): string | number | readonly string[] | null
}

export type SettingSchemas = Readonly<Record<string, TSchema>>
export type SettingsOf<S> = { [K in keyof S]?: S[K] extends TSchema ? Static<S[K]> : never }

/** The common part of all question types, sufficient for ENUMERATOR, whose answers contain answers to other questions. */
export interface QuestionShape<A, S extends SettingSchemas> {
  /** The kinds of question that are exported as this type. */
  readonly kinds: readonly string[]
  /** The settings of such a question besides its text and help. */
  readonly settings: S
  /** The fields of an exported answer, in order. Source: spec, "Question objects". */
  readonly fields: Readonly<Record<string, Field<A>>>
  /** Additional fields of a submitted answer that say how to read it and are not stored. */
  readonly hints?: readonly string[]
}

/** The rules for an answer. */
export interface AnswerRules<S extends SettingSchemas = SettingSchemas> {
  /** The question's settings in the program; empty for older answers, which "may violate" them. */
  readonly settings: SettingsOf<S>
  readonly optionIds: ReadonlySet<string>
  /** `saved`: may still change. `final`: being submitted. `older`: submitted earlier, under the question's settings at that time. */
  readonly stage: 'saved' | 'final' | 'older'
}

/** A line of an answer for people. */
export interface AnswerLine {
  text: string
  /** `code` is read character by character, `aside` is a remark about the answer, `link` is an address to open. */
  look?: 'code' | 'aside' | 'link'
}

/** A type whose answers don't contain other answers. `A` is a checked answer in its stored form. */
export interface QuestionType<A, S extends SettingSchemas = SettingSchemas> extends QuestionShape<A, S> {
  /**
   * The question object of an answer as JSON text, written field by field: building an object for JSON.stringify takes twice as long, and this is
   * most of a load's rendering time.
   */
  text(answer: A): string
  /** The answer for people; `optionText` returns an option's text. */
  lines(answer: A, optionText: (id: string) => string): readonly AnswerLine[]
  /** The answer from fields that are not all empty; undefined if it is invalid, after noting the error. */
  read(fields: FieldReader, rules: AnswerRules<S>): A | undefined
  /** The most complete sample answer: every field filled, several selections. Two variants differ. */
  sample(settings: SettingsOf<S>, variant: number): A
  /** Creates a generator of varied answers; undefined if no answer is possible (no options, no files). */
  random(settings: SettingsOf<S>): (next: Rng) => A | undefined
}

/** A field's value as JSON text. */
export const json = (value: string | number | readonly string[] | null): string =>
  value === null ? 'null' : JSON.stringify(value)
