// Building blocks for describing fields of answers in JSON Schema 2020-12.

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

export interface SchemaStyle {
  /** The place of named definitions: `#/$defs/` in a schema of its own, `#/components/schemas/` in OpenAPI. */
  definitionsAt: '#/$defs/' | '#/components/schemas/'
  /**
   * Refuses every property, option and enumerated value not known now. For the tests of this service alone: what the
   * specification lets grow must not break a client that validates.
   */
  closed?: boolean
  /** For a program followed from an origin, whose stored data was not always checked as strictly as here. */
  followed?: FollowedShape | undefined
}

export interface FollowedShape {
  /** `program_name` as it is exported. */
  programName: string
  /** `origin`: as the origin's code has it, where the contract says otherwise. */
  profile: 'contract' | 'origin'
}

/** A field's schema with only its type: no pattern, listed values or bounds. */
export function loosened(schema: JsonSchema): JsonSchema {
  const { pattern, format, enum: listed, minimum, maximum, ...rest } = schema
  return schema.items === undefined ? rest : { ...rest, items: loosened(schema.items as JsonSchema) }
}

/** The note of a schema whose values are listed as examples. */
export const moreMayBeAdded = 'The examples are all current values; accept others, because more may be added.'

/** A string of which the known values are listed and others must be accepted. Source: spec, "Versioning" 2. */
export function openEnum(
  description: string,
  values: readonly string[],
  style: SchemaStyle,
  orNull?: 'or null',
): JsonSchema {
  return {
    type: orNull === undefined ? 'string' : ['string', 'null'],
    description: `${description} ${moreMayBeAdded}`,
    examples: values,
    // Null is harmless where the type leaves it out, and keeps the list from being empty.
    ...(style.closed ? { enum: [...values, null] } : {}),
  }
}

export function orNull(type: string, rest: JsonSchema): JsonSchema {
  return { type: [type, 'null'], ...rest }
}

export function anyText(description: string): JsonSchema {
  return orNull('string', { description })
}

export function listOf(description: string, items: JsonSchema): JsonSchema {
  return { type: 'array', description, items }
}
