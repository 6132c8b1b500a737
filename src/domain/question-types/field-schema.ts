// The words in which the fields of answers are described as JSON Schema 2020-12.

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

export interface SchemaStyle {
  /** Where named definitions stand: `#/$defs/` in a schema of its own, `#/components/schemas/` in OpenAPI. */
  definitionsAt: '#/$defs/' | '#/components/schemas/'
  /**
   * Refuses every property, option and enumerated value not known now. For the tests of this service alone: what the
   * specification lets grow must not break a client that validates.
   */
  closed?: boolean
}

/** A string of which the known values are listed and others must be accepted. Source: spec, "Versioning" 2. */
export function openEnum(
  description: string,
  values: readonly string[],
  style: SchemaStyle,
  orNull?: 'or null',
): JsonSchema {
  return {
    type: orNull === undefined ? 'string' : ['string', 'null'],
    description: `${description} The examples are all there are now; accept others, for more may be added.`,
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
