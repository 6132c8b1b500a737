// Validates a document of megabytes against a schema entry by entry, so that other work can run in between.

import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Value } from 'typebox/value'
import { pointerTo } from '../values/json-text.ts'
import type { SchemaError } from './schema-errors.ts'

/** The part of a schema that this check understands. */
interface Parts {
  items?: TSchema
  properties?: Readonly<Record<string, TSchema>>
  additionalProperties?: unknown
  required?: readonly string[]
}

/**
 * The errors of `Value.Errors`, in its order, in steps of one list entry or object member. Each unknown member is reported; `Value.Errors` drops all
 * of them if there are more than 10,000. The schema has no references.
 */
export function* checkSchema(schema: TSchema, value: unknown, path = ''): Generator<readonly SchemaError[]> {
  const { items, properties, additionalProperties, ...rest } = schema as TSchema & Parts
  if (items !== undefined && Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      if (!hasLongList(entry) && fits(items, entry)) yield none
      else yield* checkSchema(items, entry, `${path}/${index}`)
    }
    yield errorsAt(path, rest, value)
  } else if (properties !== undefined && additionalProperties === false && isObject(value)) {
    const { required = [] } = rest
    yield errorsAt(path, rest, value)
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(properties, name))
        yield [{ keyword: 'additionalProperties', instancePath: path, params: { additionalProperties: [name] } }]
    }
    for (const [name, member] of Object.entries(properties)) {
      if (!Object.hasOwn(value, name) || (value[name] === undefined && !required.includes(name))) continue
      yield* checkSchema(member, value[name], pointerTo(path, name))
    }
  } else yield errorsAt(path, schema, value)
}

/** Thousands of options are too much for one step. */
const hasLongList = (value: unknown): boolean =>
  isObject(value) && Object.values(value).some(member => Array.isArray(member) && member.length > 100)

const none: readonly SchemaError[] = []

const errorsAt = (path: string, schema: TSchema, value: unknown): SchemaError[] =>
  Value.Errors(schema, value).map(error => ({ ...error, instancePath: path + error.instancePath }))

const compiled = new WeakMap<TSchema, Validator>()

/** Ten times as fast as searching for errors, which most values don't have. Compiled at the first use. */
export function fits(schema: TSchema, value: unknown): boolean {
  const validator = compiled.get(schema) ?? Compile(schema)
  compiled.set(schema, validator)
  return validator.Check(value)
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
