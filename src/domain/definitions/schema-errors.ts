// Turns schema validation errors into readable messages.

import { Settings } from 'typebox/system'
import { pointerTo } from '../values/json-text.ts'

/** An error in a document. `path` is an RFC 6901 JSON Pointer. */
export interface SchemaViolation {
  path: string
  code: string
  detail: string
}

/** A single error as a list, which is what every check returns. */
export const oneError = (path: string, code: string, detail: string): SchemaViolation[] => [{ path, code, detail }]

// TypeBox stops at 8 errors by default, but the author of the document wants to see all of them.
Settings.Set({ maxErrors: 10_000 })

/** Maximum number of errors listed for one document or body. */
export const errorsListedMax = 1000

/** An error from `Value.Errors`. */
export interface SchemaError {
  keyword: string
  instancePath: string
  params: object
}

/** Describes a schema error, once for each member concerned. */
export function schemaError({ keyword, instancePath: path, params }: SchemaError): SchemaViolation[] {
  const wants = params as Readonly<Record<string, unknown>>
  switch (keyword) {
    // Members rejected by `additionalProperties` are reported a second time under this keyword.
    case 'boolean':
      return []
    case 'required':
      return names(wants.requiredProperties).map(name => ({
        path: pointerTo(path, name),
        code: 'required',
        detail: `Is required: add \`${name}\`.`,
      }))
    case 'additionalProperties':
      return names(wants.additionalProperties).map(name => ({
        path: pointerTo(path, name),
        code: 'unknown_member',
        detail: `Is not allowed here: remove \`${name}\`.`,
      }))
    case 'type':
      return [{ path, code: 'wrong_type', detail: `Must be ${typeLabel(wants.type)}.` }]
    case 'enum':
      return [{ path, code: 'not_allowed', detail: `Must be one of ${names(wants.allowedValues).join(', ')}.` }]
    case 'minLength':
      return [{ path, code: 'too_short', detail: 'Must not be empty.' }]
    case 'maxLength':
      return [{ path, code: 'too_long', detail: `Must have at most ${wants.limit} characters.` }]
    case 'pattern':
      return [{ path, code: 'wrong_characters', detail: 'Contains characters that are not allowed.' }]
    case 'minItems':
      return [
        { path, code: 'too_few', detail: `Must have at least ${wants.limit} ${wants.limit === 1 ? 'item' : 'items'}.` },
      ]
    case 'maxItems':
      return [{ path, code: 'too_many', detail: `Must have at most ${wants.limit} items.` }]
    case 'minimum':
      return [{ path, code: 'too_small', detail: `Must be at least ${wants.limit}.` }]
    case 'maximum':
      return [{ path, code: 'too_large', detail: `Must be at most ${wants.limit}.` }]
    default:
      return [{ path, code: 'wrong_form', detail: `Must match the schema (${keyword}).` }]
  }
}

const words: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'an array',
  string: 'text',
  boolean: 'true or false',
  integer: 'an integer within ±(2^53 − 1)',
  number: 'a number',
  null: 'null',
}

const typeLabel = (type: unknown): string =>
  [type]
    .flat()
    .map(value => words[String(value)] ?? String(value))
    .join(' or ')

const names = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
