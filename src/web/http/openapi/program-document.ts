// Builds the OpenAPI 3.1 document of one program's export, with its address, questions and example.

import type { FollowedShape, JsonSchema } from '../../../domain/fields/field-schema.ts'
import type { KeyMap } from '../../../domain/questions/key-map.ts'
import { responseDefinitions } from '../../../domain/questions/response-schema.ts'
import { checkAuthOperation, exportComponents, exportOperation } from './export-operations.ts'

interface DescribedExport {
  slug: string
  display_name: string
  program_version_id: number
  /** Base URL of the service, without a trailing slash. */
  baseUrl: string
  keyMap: KeyMap
  /** An example page, as a JSON value. */
  example: unknown
  followed?: FollowedShape | undefined
}

/** OpenAPI 3.1.0 document as a JSON value. */
export function programOpenApi(described: DescribedExport): JsonSchema {
  const { slug, display_name, program_version_id, baseUrl, keyMap, example, followed } = described
  return {
    openapi: '3.1.0',
    info: {
      title: `Applications to ${display_name}`,
      version: String(program_version_id),
      description: `Export of the program ${slug} as of version ${program_version_id}. It includes every question that was ever in the program; later versions can only add questions.`,
    },
    servers: [{ url: baseUrl }],
    tags: [{ name: 'Export', description: 'For clients with an API key.' }],
    paths: {
      '/api/v1/checkAuth': { get: checkAuthOperation },
      [`/api/v1/admin/programs/${slug}/applications`]: {
        get: exportOperation({
          sample: {
            summary: 'One application with every question answered and one with none. All values are fictitious.',
            value: example,
          },
        }),
      },
    },
    components: {
      ...exportComponents,
      schemas: {
        ...responseDefinitions(keyMap, slug, { definitionsAt: '#/components/schemas/', followed }),
        ...exportComponents.schemas,
      },
    },
  }
}
