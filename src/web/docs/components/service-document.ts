// Types for the parts of the service's OpenAPI document that its page shows.

import type { Schema } from './schema-view.tsx'

export interface Content {
  schema?: Schema
}

export interface Outcome {
  description: string
  headers?: Readonly<Record<string, { schema: Schema; description?: string }>>
  content?: Readonly<Record<string, Content>>
}

interface Operation {
  operationId: string
  summary?: string
  description?: string
  tags?: readonly string[]
  security?: readonly Readonly<Record<string, unknown>>[]
  parameters?: readonly { name: string; in: string; required?: boolean; description?: string; schema: Schema }[]
  requestBody?: { required?: boolean; content: Readonly<Record<string, Content>> }
  responses?: Readonly<Record<string, Outcome>>
}

/** The parts of an OpenAPI document that the page shows. */
export interface ServiceDocument {
  info: { title: string; description: string }
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: {
    schemas: Readonly<Record<string, Schema>>
    securitySchemes: Readonly<Record<string, { description: string; scheme?: string }>>
  }
}

export interface ListedOperation {
  method: string
  path: string
  operation: Operation
}
