// The export of one program as an OpenAPI 3.1 document: its own address, its own questions, its own example.

import type { FollowedShape, JsonSchema } from '../../../domain/fields/field-schema.ts'
import type { KeyMap } from '../../../domain/questions/key-map.ts'
import { responseDefinitions } from '../../../domain/questions/response-schema.ts'
import { checkAuthOperation, exportComponents, exportOperation } from './export-operations.ts'

interface DescribedExport {
  slug: string
  display_name: string
  program_version_id: number
  /** Where the service is, without a slash at the end. */
  baseUrl: string
  keyMap: KeyMap
  /** A page, as a value. */
  example: unknown
  followed?: FollowedShape | undefined
}

/** An OpenAPI 3.1.0 document, ready to be turned into JSON. */
export function programOpenApi(described: DescribedExport): JsonSchema {
  const { slug, display_name, program_version_id, baseUrl, keyMap, example, followed } = described
  return {
    openapi: '3.1.0',
    info: {
      title: `Applications to ${display_name}`,
      version: String(program_version_id),
      description: `The export of the program ${slug} as of its version ${program_version_id}. Every question ever in the program is in it; later versions can only add to it.`,
    },
    servers: [{ url: baseUrl }],
    tags: [{ name: 'Export', description: 'For clients with an API key.' }],
    paths: {
      '/api/v1/checkAuth': { get: checkAuthOperation },
      [`/api/v1/admin/programs/${slug}/applications`]: {
        get: exportOperation({
          sample: { summary: 'Every question answered, and none answered. All values are fictitious.', value: example },
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
