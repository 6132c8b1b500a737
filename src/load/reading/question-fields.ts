// The fields of a question object in the export's shape, as JSON.parse leaves them.

import { FieldReader } from '../../domain/fields/field-reader.ts'
import { JsonNumber } from '../../domain/values/json-text.ts'
import { describeValue, type ErrorFinder } from './document-errors.ts'

export type PlainObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
}

/** The member of an object, own ones only: a key may be `__proto__` or `constructor`. */
export const member = (object: PlainObject, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

export class ObjectFields extends FieldReader {
  constructor(
    private readonly object: PlainObject,
    private readonly find: ErrorFinder,
  ) {
    super()
  }

  override raw(name: string): unknown {
    // Own or nothing: no field has the name of something that every object inherits.
    return this.object[name] ?? null
  }

  /** Reports include the value, which is the operator's own data: it takes that to correct a file of a million lines. */
  override error(name: string, code: string, detail: string, item?: number): undefined {
    const value = this.raw(name)
    const described = describeValue(item === undefined ? value : (value as readonly unknown[])[item])
    this.find.add(code, `${detail.charAt(0).toLowerCase()}${detail.slice(1, -1)} (is ${described})`, name, item)
    return undefined
  }

  override get full(): boolean {
    return this.find.full
  }
}
