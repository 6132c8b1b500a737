// Reads the fields of an answer from a form front end: a Map of JSON values whose numbers keep their spelling.

import { FieldReader, textError } from '../../../domain/fields/field-reader.ts'
import { isList } from '../../../domain/fields/question-type.ts'
import { type ExportedType, questionTypes } from '../../../domain/questions/question.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject, pointerTo } from '../../../domain/values/json-text.ts'
import type { ValidationErrors } from './validation-errors.ts'

/** Result of reading a field: a value, no value, or an error that has been recorded. */
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
 * The fields of an answer. Unanswered if it is null, or if each field is null or an empty array, as in the export's unanswered entries.
 * `question_type` is optional.
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
      if (value !== type) errors.add(pointerTo(path, name), 'wrong_question_type', `Must be "${type}" or omitted.`)
    } else if (field !== undefined) {
      if (value !== null && !(isList(field.form) && isJsonArray(value) && value.length === 0)) filled = true
    } else if (!hints.includes(name)) {
      errors.add(pointerTo(path, name), 'unknown_field', `Is not a field of ${type} answers, which have ${listed()}.`)
    }
  }
  if (errors.items.length > before) return 'faulty'
  return filled ? new AnswerFields(json, path, errors) : 'unanswered'
}

/** A non-empty string that can be stored exactly; otherwise undefined, with the error recorded. */
export function checkText(json: Json, path: string, errors: ValidationErrors): string | undefined {
  const error = textError(json)
  if (error === undefined) return json as string
  errors.add(path, ...error)
  return undefined
}
