// Generates a sample value for a JSON Schema: the schema's example, otherwise a typical value for the member's name, otherwise the smallest
// valid value.

import type { JsonSchema } from '../fields/field-schema.ts'

export interface SampledSchemas {
  /** Referenced schemas, by the end of their `$ref`. */
  definitions: Readonly<Record<string, JsonSchema>>
  /** Ready samples for some of them, used instead of generated ones. */
  samples: Readonly<Record<string, unknown>>
  /** Samples by member name. A sample that does not fit the schema is ignored. */
  values: Readonly<Record<string, unknown>>
}

/** `name` is that of the member. Null if allowed and the name is unknown; for an object, its required members, or all if none is required. */
export function schemaSample(schema: JsonSchema, name: string, known: SampledSchemas): unknown {
  const { $ref, anyOf = schema.oneOf } = schema as { $ref?: string; anyOf?: JsonSchema[] }
  if ($ref !== undefined) {
    const referred = $ref.split('/').at(-1)!
    if (Object.hasOwn(known.samples, referred)) return known.samples[referred]
    return schemaSample(known.definitions[referred] ?? {}, name, known)
  }
  if ('const' in schema) return schema.const
  const [example] = (schema.enum ?? schema.examples ?? []) as unknown[]
  if (example !== undefined) return example
  const types = anyOf === undefined ? [schema.type].flat() : (anyOf as JsonSchema[]).flatMap(({ type }) => type)
  const value = Object.hasOwn(known.values, name) ? known.values[name] : undefined
  if (value !== undefined && types.includes(typeOf(value)) && isMatched(schema, value)) return value
  if (types.includes('null')) return null
  if (anyOf !== undefined) return schemaSample((anyOf as JsonSchema[])[0]!, name, known)
  return ofType(types[0], schema, name, known)
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (Number.isInteger(value)) return 'integer'
  return value === null ? 'null' : typeof value
}

const isMatched = ({ pattern, format }: JsonSchema, value: unknown): boolean =>
  format === undefined && (typeof pattern !== 'string' || new RegExp(pattern).test(String(value)))

function ofType(type: unknown, schema: JsonSchema, name: string, known: SampledSchemas): unknown {
  switch (type) {
    case 'object':
      return ofObject(schema, name, known)
    case 'array':
      return ofArray((schema.items ?? {}) as JsonSchema, name, known)
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    default:
      return schema.format === 'date-time' ? '2026-01-15T18:04:05+00:00' : unknownText(name)
  }
}

/** One item; none if the meaning of a text is unknown. */
function ofArray(items: JsonSchema, name: string, known: SampledSchemas): unknown[] {
  const item = schemaSample(items, name, known)
  return item === unknownText(name) ? [] : [item]
}

const unknownText = (name: string): string => name.replaceAll('_', ' ')

function ofObject(schema: JsonSchema, name: string, known: SampledSchemas): unknown {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const required = (schema.required ?? []) as string[]
  const shown = required.length === 0 ? properties : properties.filter(([member]) => required.includes(member))
  const { additionalProperties: others } = schema
  if (shown.length === 0 && typeof others === 'object')
    return { [name]: schemaSample(others as JsonSchema, name, known) }
  return Object.fromEntries(shown.map(([member, jsonSchema]) => [member, schemaSample(jsonSchema, member, known)]))
}
