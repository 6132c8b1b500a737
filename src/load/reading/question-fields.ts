// The fields of a question object in the export's shape, one by one: each of the right JSON type, and none that is not asked for.
// It must not know which fields make an answer.

import { nullForm } from '../../domain/questions/key-map.ts'
import type { ExportedType } from '../../domain/questions/question.ts'
import { JsonNumber } from '../../domain/values/json-text.ts'
import { describeValue, type FaultFinder } from './document-faults.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
}

/** The member of an object, own ones only: a key may be `__proto__` or `constructor`. */
export const member = (object: JsonObject, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

/** Takes the fields of a question object one by one, and counts them, so that it shows whether there are others. */
export class FieldReader {
  /** `question_type` was looked at before. */
  #taken = 1

  constructor(
    private readonly object: JsonObject,
    private readonly find: FaultFinder,
  ) {}

  #take(name: string): unknown {
    // Own or nothing: no field has the name of something that every object inherits.
    const value = this.object[name]
    if (value === undefined) return null
    this.#taken++
    return value
  }

  text(name: string): string | null {
    const value = this.#take(name)
    if (value === null || typeof value === 'string') return value
    this.find.add('not_a_string', `must be a string or null, and is ${describeValue(value)}`, name)
    return null
  }

  /** A text that must fit; `right` says what would. */
  formatted(name: string, fits: (text: string) => boolean, right: string): string | null {
    const text = this.text(name)
    if (text === null || fits(text)) return text
    this.find.add('wrong_format', `must be ${right}, and is ${describeValue(text)}`, name)
    return null
  }

  number(name: string): number | JsonNumber | null {
    const value = this.#take(name)
    if (value === null || typeof value === 'number' || value instanceof JsonNumber) return value
    this.find.add('not_a_number', `must be a number or null, and is ${describeValue(value)}`, name)
    return null
  }

  array(name: string): readonly unknown[] {
    const value = this.#take(name)
    if (value === null) return []
    if (Array.isArray(value)) return value
    this.find.add('not_an_array', `must be an array, and is ${describeValue(value)}`, name)
    return []
  }

  texts(name: string): readonly string[] {
    const values = this.array(name)
    for (let i = 0; i < values.length; i++) {
      if (typeof values[i] === 'string') continue
      this.find.add('not_a_string', `must hold strings, and holds ${describeValue(values[i])}`, name)
      return []
    }
    return values as readonly string[]
  }

  /** Fields beyond those taken are faults. */
  refuseRest(type: ExportedType): void {
    const keys = Object.keys(this.object)
    if (keys.length === this.#taken) return
    const known = Object.keys(JSON.parse(nullForm(type)) as object)
    for (const key of keys)
      if (!known.includes(key)) this.find.add('unknown_field', 'is not a field of this question type', key)
  }
}
