// Holds responses against the schema the docs publish, in its closed form: nothing may be in them that is not documented.

import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Sql } from '../../src/db/client.ts'
import { findProgram } from '../../src/db/programs/programs.ts'
import type { JsonSchema } from '../../src/domain/fields/field-schema.ts'
import { followedShape } from '../../src/domain/questions/followed-shape.ts'
import { responseSchema } from '../../src/domain/questions/response-schema.ts'
import { computedKeyMap } from './computed-key-map.ts'
import type { TestService } from './service.ts'

/** The errors in a value according to a JSON Schema 2020-12, including formats; empty if valid. Checks the schema, too. */
export function schemaErrors(schema: JsonSchema, value: unknown): string[] {
  return schemaChecker(schema)(value)
}

/** Like `schemaErrors`, compiled once for many values. */
export function schemaChecker(schema: JsonSchema): (value: unknown) => string[] {
  // Union types are how JSON Schema says "or null".
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
  formats.default(ajv)
  const validate = ajv.compile(schema)
  return value =>
    validate(value)
      ? []
      : (validate.errors ?? [])
          // If a schema names a property with this name, ajv ignores it, and treats it as one that isn't named.
          .filter(e => e.params.additionalProperty !== '__proto__')
          .map(e => `${e.instancePath || '/'} ${e.message} ${JSON.stringify(e.params)}`)
}

type PageChecker = (page: unknown) => string[]

/** Checks pages against the docs of a program as currently published. */
async function pageChecker(sql: Sql, slug: string): Promise<PageChecker> {
  const program = await findProgram(sql, slug)
  if (program === undefined) throw new Error(`there is no program ${slug}`)
  const { keyMap } = await computedKeyMap(sql, program.program_id)
  return schemaChecker(
    responseSchema(keyMap, {
      slug,
      id: `urn:tributary:test:${slug}`,
      closed: true,
      followed: followedShape(program, 'contract'),
    }),
  )
}

function fail(slug: string, errors: readonly string[]): void {
  if (errors.length > 0) throw new Error(`a page of ${slug} is not as documented:\n${errors.slice(0, 20).join('\n')}`)
}

const kept = new Map<string, PageChecker>()

/**
 * Fails unless `page` (a parsed response of the export endpoint) exactly matches the program's current docs: every documented property and no other,
 * only known options and enumerated values. The docs are cached and requested again only if a page does not match, because another version may have
 * been published since.
 */
export async function expectDocumentedPage(
  { config, foundation }: Pick<TestService, 'config' | 'foundation'>,
  slug: string,
  page: unknown,
): Promise<void> {
  const name = `${config.databaseUrl} ${slug}`
  if (kept.get(name)?.(page).length === 0) return
  const check = await pageChecker(foundation.db, slug)
  kept.set(name, check)
  fail(slug, check(page))
}
