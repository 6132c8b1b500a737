// The fields of an answer as a form front end sends them: a Map of JSON whose numbers are as they were written.

import { FieldReader, textError } from '../../../domain/fields/field-reader.ts'
import { isList } from '../../../domain/fields/question-type.ts'
import { type ExportedType, questionTypes } from '../../../domain/questions/question.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject, pointerTo } from '../../../domain/values/json-text.ts'
import type { ValidationErrors } from './validation-errors.ts'

/** What became of something that was sent: a value, nothing at all, or an error that has been noted. */
export type Checked<T> = T | 'unanswered' | 'faulty'

export class AnswerFields extends FieldReader {
  constructor(
    private readonly json: JsonObject,
    readonly path: string,
    readonly errors: ValidationErrors,
  ) {
    super()
  }

  override raw(name: string): Json {
    return this.json.get(name) ?? null
  }

  override error(name: string, code: string, detail: string, item?: number): undefined {
    const at = pointerTo(this.path, name)
    this.errors.add(item === undefined ? at : pointerTo(at, item), code, detail)
    return undefined
  }

  override get full(): boolean {
    return this.errors.full
  }
}

/**
 * The fields of an answer; unanswered when it is null, or each of its fields is null or, where it holds an array, empty, as in
 * the export's own unanswered forms. `question_type` may be left out.
 */
export function readFields(
  json: Json,
  type: ExportedType,
  path: string,
  errors: ValidationErrors,
): Checked<AnswerFields> {
  if (json === null) return 'unanswered'
  const { fields, hints = [] } = questionTypes[type]
  const listed = (): string => [...Object.keys(fields), ...hints].map(name => `\`${name}\``).join(', ')
  if (!isJsonObject(json)) {
    errors.add(path, 'wrong_type', `Must be an object with ${listed()}, or null for no answer.`)
    return 'faulty'
  }
  const before = errors.items.length
  let filled = false
  for (const [name, value] of json) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (name === 'question_type') {
      if (value !== type) errors.add(pointerTo(path, name), 'wrong_question_type', `Must be "${type}", or left out.`)
    } else if (field !== undefined) {
      if (value !== null && !(isList(field.form) && isJsonArray(value) && value.length === 0)) filled = true
    } else if (!hints.includes(name)) {
      errors.add(pointerTo(path, name), 'unknown_field', `Must be left out: ${type} answers have ${listed()}.`)
    }
  }
  if (errors.items.length > before) return 'faulty'
  return filled ? new AnswerFields(json, path, errors) : 'unanswered'
}

/** A string that is not empty and can be stored and returned exactly; else undefined, with the error noted. */
export function checkText(json: Json, path: string, errors: ValidationErrors): string | undefined {
  const error = textError(json)
  if (error === undefined) return json as string
  errors.add(path, ...error)
  return undefined
}
