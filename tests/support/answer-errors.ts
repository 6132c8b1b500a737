// What of an answer of the console's API is not as its action says: members that are missing, others that are not described, wrong types.

import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { responseDefinitions } from '../../src/domain/questions/response-schema.ts'
import { consoleActions } from '../../src/web/console/console.ts'
import type { Deps } from '../../src/web/http/server/deps.ts'

// For their descriptions: none is carried out.
const actions = consoleActions({ config: {} } as Deps)
const schemas = responseDefinitions([], undefined, { definitionsAt: '#/components/schemas/' })
const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false })
formats.default(ajv)
const checks = actions.flatMap(({ method, path, answered, later }) =>
  [answered, ...(later === undefined ? [] : [later.answered])].map((schema, i) => ({
    method,
    address: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
    isLater: i === 1,
    check: ajv.compile({ components: { schemas }, allOf: [schema] }),
  })),
)

/** `path` is below /admin/api/v1; `isLater` is for a 202 response. */
export function answerErrors(method: string, path: string, answer: unknown, isLater = false): string[] {
  const known = checks.find(
    check => check.method === method && check.isLater === isLater && check.address.test(path.replace(/\?.*/, '')),
  )
  if (known === undefined) return ['no action answers here']
  known.check(answer)
  return (known.check.errors ?? []).map(e => `${e.instancePath || '/'} ${e.message} ${JSON.stringify(e.params)}`)
}
