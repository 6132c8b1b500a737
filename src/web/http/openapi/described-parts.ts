// Building blocks of operation descriptions, for OpenAPI and JSON Schema.

import type { JsonSchema } from '../../../domain/fields/field-schema.ts'

/** An object of these members; all of them are required unless those that are get named. */
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

/** What a path has in a place of its own. */
export const pathParameter = (name: string, description: string, schema: JsonSchema = text) =>
  ({ name, in: 'path', required: true, description, schema }) as const
export const queryParameter = (name: string, description: string, schema: JsonSchema = text) =>
  ({ name, in: 'query', description, schema }) as const
export const headerParameter = (name: string, description: string) =>
  ({ name, in: 'header', description, schema: text }) as const

/** Of each operation for API keys: its group, and that it takes a key. */
export const byKey = (group: 'Export' | 'Docs' | 'Intake') => ({ tags: [group], security: [{ apiKey: [] }] })
