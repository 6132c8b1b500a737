// Holds responses against the schema the docs publish, in its closed form: nothing may be in them that is not documented.

import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Sql } from '../../src/db/client.ts'
import { findProgram } from '../../src/db/programs.ts'
import { computeKeyMap } from '../../src/derived/program-key-map.ts'
import type { JsonSchema } from '../../src/domain/answer-schema.ts'
import { responseSchema } from '../../src/domain/response-schema.ts'

/** What is wrong with a value by a JSON Schema 2020-12, formats included; empty when nothing is. Checks the schema too. */
export function schemaFaults(schema: JsonSchema, value: unknown): string[] {
  return schemaChecker(schema)(value)
}

/** As `schemaFaults`, compiled once for many values. */
export function schemaChecker(schema: JsonSchema): (value: unknown) => string[] {
  // Union types are how JSON Schema says "or null".
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
  formats.default(ajv)
  const validate = ajv.compile(schema)
  return value =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(e => `${e.instancePath || '/'} ${e.message} ${JSON.stringify(e.params)}`)
}

/**
 * Fails unless `page` (a parsed response of the export endpoint) is exactly what the docs say of the program as it is published
 * now: every property that is documented, none that is not, only known options and enumerated values.
 */
export async function expectValidPage(sql: Sql, slug: string, page: unknown): Promise<void> {
  const program = await findProgram(sql, slug)
  if (program === undefined) throw new Error(`there is no program ${slug}`)
  const { keyMap } = await computeKeyMap(sql, program.program_id)
  const faults = schemaFaults(responseSchema(keyMap, { slug, id: `urn:tributary:test:${slug}`, closed: true }), page)
  if (faults.length > 0) throw new Error(`a page of ${slug} is not as documented:\n${faults.slice(0, 20).join('\n')}`)
}
