// Building blocks of OpenAPI operations and JSON Schemas.

import type { JsonSchema } from '../../../domain/fields/field-schema.ts'

/** Object schema. All properties are required unless `required` lists the required ones. */
export const object = (properties: Record<string, JsonSchema>, required = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
})
export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
export const json = (schema: JsonSchema) => ({ 'application/json': { schema } })
export const text = { type: 'string' } as const
export const textOrNull = { type: ['string', 'null'] } as const
export const time = { type: 'string', format: 'date-time' } as const

/** Parameter in a path segment. */
export const pathParameter = (name: string, description: string, schema: JsonSchema = text) =>
  ({ name, in: 'path', required: true, description, schema }) as const
export const queryParameter = (name: string, description: string, schema: JsonSchema = text) =>
  ({ name, in: 'query', description, schema }) as const
export const headerParameter = (name: string, description: string) =>
  ({ name, in: 'header', description, schema: text }) as const

/** Tag and authentication of an operation for API keys. */
export const byKey = (group: 'Export' | 'Docs' | 'Intake') => ({ tags: [group], security: [{ apiKey: [] }] })
