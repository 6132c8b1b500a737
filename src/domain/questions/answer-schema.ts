// Describes question objects in JSON Schema 2020-12.

import { type JsonSchema, loosened, openEnum, type SchemaStyle } from '../fields/field-schema.ts'
import { exportedFields, type KeyNode } from './key-map.ts'
import { exportedTypes } from './question.ts'

/** The question object of a question. */
export function questionSchema(node: KeyNode, style: SchemaStyle): JsonSchema {
  const question_type = { type: 'string', const: node.unknown_type ?? node.type }
  const whole = objectSchema({ question_type, ...answerFields(node, style) }, style)
  if (style.followed?.profile !== 'origin') return whole
  // The code of the followed system omits a field that its manual lists.
  return { ...whole, required: (whole.required as string[]).filter(name => name !== 'file_key') }
}

/**
 * The answer fields of a question object, each with its schema, without `question_type`. None for an unknown type. Source: spec, "Question objects".
 */
export function answerFields(node: KeyNode, style: SchemaStyle): Record<string, JsonSchema> {
  return Object.fromEntries(
    exportedFields(node, 'contract').map(([name, { form, schema }]) => {
      const exact = typeof schema === 'function' ? schema(node.option_ids, style) : schema
      const own = style.followed === undefined ? exact : loosened(exact)
      return [name, form === 'entities' ? { ...own, items: entitySchema(node, style) } : own]
    }),
  )
}

const entitySchema = (enumerator: KeyNode, style: SchemaStyle): JsonSchema => ({
  description: 'An entity: its name, and the questions repeated for it, by question key.',
  ...questionsSchema(
    { entity_name: style.followed === undefined ? entityName : { ...entityName, type: ['string', 'null'] } },
    enumerator.children,
    style,
  ),
})

/**
 * An object of question objects by question key, after the properties in `first`. A property not known now must be a question object: programs only
 * gain questions. Source: spec, "Versioning" 5.
 */
export function questionsSchema(
  first: Record<string, JsonSchema>,
  nodes: readonly KeyNode[],
  style: SchemaStyle,
): JsonSchema {
  // fromEntries defines own properties, so a key such as __proto__ needs no special care.
  const properties = Object.fromEntries([
    ...Object.entries(first),
    ...nodes.map(node => [node.question_key, questionSchema(node, style)] as const),
  ])
  const additionalProperties = style.closed ? false : { $ref: `${style.definitionsAt}Question` }
  return { ...objectSchema(properties, style), additionalProperties }
}

/** A question added to the program after the schema was generated: the definition `Question`. */
export function anyQuestionSchema(style: SchemaStyle): JsonSchema {
  return {
    title: 'Question',
    description: 'A question object. Its question_type determines its other properties.',
    type: 'object',
    properties: { question_type: openEnum('Type of the question.', exportedTypes, style) },
    required: ['question_type'],
  }
}

/** All of the properties are always present. More may be added over time, so the object is open. */
export function objectSchema(properties: Record<string, JsonSchema>, style: SchemaStyle): JsonSchema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    ...(style.closed ? { additionalProperties: false } : {}),
  }
}

/** The type of a value in words, such as `string or null`. */
export function typeLabel(schema: JsonSchema): string {
  const item = (schema.items as JsonSchema | undefined)?.type
  return [schema.type]
    .flat()
    .map(type => (type === 'array' && item !== undefined ? `array of ${item}s` : String(type)))
    .join(' or ')
}

const entityName: JsonSchema = { type: 'string', description: 'The name the applicant gave the entity.' }
