// Building blocks for describing fields of answers in JSON Schema 2020-12.

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

export interface SchemaStyle {
  /** The location of named definitions: `#/$defs/` in a schema document, `#/components/schemas/` in OpenAPI. */
  definitionsAt: '#/$defs/' | '#/components/schemas/'
  /**
   * Rejects all properties, options and enumerated values not known now. Only for this service's tests: additions that the specification allows must
   * not break a client that validates.
   */
  closed?: boolean
  /** For a followed program, whose stored data was not always validated as strictly as here. */
  followed?: FollowedShape | undefined
}

export interface FollowedShape {
  /** `program_name` as it is exported. */
  programName: string
  /** `origin`: as in the origin's code, where the contract differs. */
  profile: 'contract' | 'origin'
}

/** A field's schema with only its type: no pattern, listed values or bounds. */
export function loosened(schema: JsonSchema): JsonSchema {
  const { pattern, format, enum: listed, minimum, maximum, ...rest } = schema
  return schema.items === undefined ? rest : { ...rest, items: loosened(schema.items as JsonSchema) }
}

/** The note in a schema whose values are listed as examples. */
export const moreMayBeAdded = 'The examples are all current values; accept others, because more may be added.'

/** A string with some known values, for which others must be accepted. Source: spec, "Versioning" 2. */
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
    // Null is harmless if the type excludes it, and prevents an empty list.
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
