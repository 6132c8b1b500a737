// The fields of one answer as they were sent, and the checks that every type of answer shares.
// It must not know what a type makes of its fields.

import type { ExportedType } from '../../domain/questions/question.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject, pointerTo } from '../../domain/values/json-text.ts'
import type { Faults } from './faults.ts'

/** The fields each exported type may be sent with: those it is exported with. Source: spec, "Question objects". */
export const fieldsOfType: Readonly<Record<ExportedType, readonly string[]>> = {
  ADDRESS: [
    ...['street', 'line2', 'city', 'state', 'zip'],
    ...['corrected', 'latitude', 'longitude', 'well_known_id', 'service_area'],
  ],
  CURRENCY: ['currency_dollars'],
  DATE: ['date'],
  EMAIL: ['email'],
  ENUMERATOR: ['entities'],
  FILE_UPLOAD: ['file_key', 'file_urls'],
  ID: ['id'],
  MAP: ['selections'],
  MULTI_SELECT: ['selections'],
  NAME: ['first_name', 'middle_name', 'last_name', 'suffix'],
  NUMBER: ['number'],
  PHONE: ['phone_number'],
  SINGLE_SELECT: ['selection'],
  TEXT: ['text'],
}

/** Fields that say how an answer is meant, and are not kept. */
const hintsOfType: Readonly<Partial<Record<ExportedType, readonly string[]>>> = { PHONE: ['country'] }

/** The fields whose unanswered form is an empty array. */
const arrayFields: ReadonlySet<string> = new Set(['entities', 'file_urls', 'selections'])

/** What became of something that was sent: a value, nothing at all, or a fault that has been noted. */
export type Checked<T> = T | 'unanswered' | 'faulty'

/**
 * The fields of an answer; unanswered when it is null, or each of its fields is null or, where it holds an array, empty, as in
 * the export's own unanswered forms. `question_type` may be left out.
 */
export function readFields(json: Json, type: ExportedType, path: string, faults: Faults): Checked<AnswerFields> {
  if (json === null) return 'unanswered'
  if (!isJsonObject(json)) {
    faults.add(path, 'wrong_type', `Must be an object with ${listed(fieldsOfType[type])}, or null for no answer.`)
    return 'faulty'
  }
  const before = faults.items.length
  let filled = false
  for (const [name, value] of json) {
    const at = (): string => pointerTo(path, name)
    if (name === 'question_type') {
      if (value !== type) faults.add(at(), 'wrong_question_type', `Must be "${type}", or left out.`)
    } else if (hintsOfType[type]?.includes(name)) continue
    else if (!fieldsOfType[type].includes(name)) {
      faults.add(at(), 'unknown_field', `Must be left out: ${type} answers have ${listed(fieldsOfType[type])}.`)
      if (faults.full) return 'faulty'
    } else if (value !== null && !(arrayFields.has(name) && isJsonArray(value) && value.length === 0)) filled = true
  }
  if (faults.items.length > before) return 'faulty'
  return filled ? new AnswerFields(json, path, faults) : 'unanswered'
}

const listed = (names: readonly string[]): string => names.map(name => `\`${name}\``).join(', ')

/** The fields of an answer that is not empty. Each reader notes what is wrong and then gives undefined. */
export class AnswerFields {
  constructor(
    private readonly json: JsonObject,
    readonly path: string,
    readonly faults: Faults,
  ) {}

  /** Where a field lies. */
  at(name: string): string {
    return pointerTo(this.path, name)
  }

  /** A field as it was sent; null when it was not. */
  raw(name: string): Json {
    return this.json.get(name) ?? null
  }

  fault(name: string, code: string, detail: string): undefined {
    this.faults.add(this.at(name), code, detail)
    return undefined
  }

  /** A field that has to be given: not empty, well-formed Unicode. */
  text(name: string): string | undefined {
    const text = this.optionalText(name)
    return text === null ? this.fault(name, 'required', `Must be given with this answer.`) : text
  }

  /** As `text`, or null when it is left out. */
  optionalText(name: string): string | null | undefined {
    const value = this.raw(name)
    return value === null ? null : checkText(value, this.at(name), this.faults)
  }

  /** As `optionalText`, and one of the values that are allowed. */
  oneOf<T extends string>(name: string, allowed: Iterable<T>): T | null | undefined {
    const text = this.optionalText(name)
    if (text === null || text === undefined) return text
    for (const value of allowed) if (value === text) return value
    return this.fault(name, 'not_allowed', `Must be one of ${[...allowed].join(', ')}, or null.`)
  }

  /** As `text`, in a form that is described to whoever got it wrong. */
  formatted(name: string, fits: (text: string) => boolean, form: string): string | undefined {
    const text = this.text(name)
    return text === undefined || fits(text) ? text : this.fault(name, 'malformed', `Must be ${form}.`)
  }

  /** As `formatted`, or null when it is left out. */
  optionalFormatted(name: string, fits: (text: string) => boolean, form: string): string | null | undefined {
    return this.raw(name) === null ? null : this.formatted(name, fits, form)
  }

  /** A list of texts, not empty, each well-formed; null when it is left out or empty. */
  texts(name: string): readonly string[] | null | undefined {
    const value = this.raw(name)
    if (value === null) return null
    if (!isJsonArray(value)) return this.fault(name, 'wrong_type', 'Must be an array of strings.')
    const texts: string[] = []
    for (const [i, item] of value.entries()) {
      const text = checkText(item, pointerTo(this.at(name), i), this.faults)
      if (text !== undefined) texts.push(text)
      else if (this.faults.full) break
    }
    if (texts.length < value.length) return undefined
    return texts.length === 0 ? null : texts
  }
}

/** A string that is not empty and can be stored and returned exactly; else undefined, with the fault noted. */
export function checkText(json: Json, path: string, faults: Faults): string | undefined {
  if (typeof json !== 'string') faults.add(path, 'wrong_type', 'Must be a string.')
  else if (json === '') faults.add(path, 'empty', 'Must not be empty; where there is no answer, send null.')
  else if (!json.isWellFormed()) {
    faults.add(
      path,
      'ill_formed_text',
      'Must be well-formed Unicode: it has half of a surrogate pair without the other half.',
    )
  } else return json
  return undefined
}
