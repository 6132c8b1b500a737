// Validates every application against its program's published JSON Schema, so that later readers can rely on its members and their types.

import { isDeepStrictEqual } from 'node:util'
import type { TributaryClient } from '@tributary/client'
import { RequestRefused } from '@tributary/client/tools'
import Format from 'typebox/format'
import Schema from 'typebox/schema'
import { CommandError } from '../requests/pull-outcome.ts'

/** The schema document of the program, or of some of its questions, as currently published; undefined if nothing is published. */
export async function loadSchema(
  client: TributaryClient,
  program: string,
  signal: AbortSignal,
  fields?: string,
): Promise<unknown> {
  try {
    const path = `/docs/api/programs/${encodeURIComponent(program)}/versions/active/response.schema.json`
    const query = fields === undefined ? '' : `?${new URLSearchParams({ fields })}`
    return await client.json(path + query, { $defs: 'object' }, { signal })
  } catch (error) {
    if (error instanceof RequestRefused && error.isAboutNothingThere) return undefined
    throw error
  }
}

/** An application does not match the schema. */
export class SchemaMismatch extends CommandError {
  constructor(message: string) {
    super('mismatch', message)
  }
}

export type SchemaCheck = (application: unknown) => void

/** Throws if an application does not match the schema. The message contains the path, but no answers. */
export function schemaCheck(document: unknown): SchemaCheck {
  const { $defs = {} } = (document ?? {}) as { $defs?: Record<string, object> }
  const { Application } = $defs
  if (Application === undefined)
    return () => {
      const lacking = 'The service has applications but no schema for this program.'
      throw new CommandError('mismatch', `${lacking} Add --no-verify-schema to pull without it.`)
    }
  const schema = withoutPatterns({ ...Application, $defs }) as object
  Format.Set('date-time', isDateTime)
  const quick = Schema.Compile(countingMembers(schema) as object)
  let whole: typeof quick | undefined
  return application => {
    if (quick.Check(application)) return
    whole ??= Schema.Compile(schema)
    if (whole.Check(application)) return
    const [, found] = whole.Errors(application)
    const errors = found.slice(0, 3).map(({ instancePath, message }) => `  ${instancePath || '/'} ${message}`)
    const { application_id: id } = (application ?? {}) as { application_id?: unknown }
    throw new SchemaMismatch(
      `Application ${String(id)} does not match its program's schema:\n${errors.join('\n')}\n` +
        'No file was replaced. Add --no-verify-schema to pull it anyway.',
    )
  }
}

/** Keywords whose value contains schemas by name; the names are not keywords. */
const named = new Set(['properties', '$defs', 'definitions', 'dependentSchemas'])
const patterned = new Set(['pattern', 'patternProperties'])

/**
 * A pattern is a program: one from a hostile service could run forever on a short text. Schemas of applications contain none, so applications are
 * checked without any that are sent.
 */
function withoutPatterns(schema: unknown, keysAreNames = false): unknown {
  if (Array.isArray(schema)) return schema.map(item => withoutPatterns(item))
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(
    ([key, value]) => keysAreNames || !(patterned.has(key) || (key === 'format' && value !== 'date-time')),
  )
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutPatterns(value, !keysAreNames && named.has(key))]))
}

/** The service's usual format. The library splits each into its parts, which took a third of the time of a check. */
const usualTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

const isDateTime = (text: string): boolean => usualTime.test(text) || Format.IsDateTime(text)

/**
 * The schema for applications without additional members. If all known members are required, an object with no more members than those has no others,
 * and counting is faster than searching for others by name. Everything that passes this schema passes the original.
 */
function countingMembers(schema: unknown, keysAreNames = false): unknown {
  if (Array.isArray(schema)) return schema.map(item => countingMembers(item))
  if (typeof schema !== 'object' || schema === null) return schema
  const { properties, required, additionalProperties, maxProperties, ...others } = schema as Record<string, unknown>
  const isClosed =
    !keysAreNames &&
    additionalProperties !== undefined &&
    maxProperties === undefined &&
    Array.isArray(required) &&
    isDeepStrictEqual(new Set(required), new Set(Object.keys(properties ?? {})))
  const kept = isClosed
    ? { ...others, properties, required, maxProperties: Object.keys(properties as object).length }
    : schema
  return Object.fromEntries(
    Object.entries(kept).map(([key, value]) => [key, countingMembers(value, !keysAreNames && named.has(key))]),
  )
}
