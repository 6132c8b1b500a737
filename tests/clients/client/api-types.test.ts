// What the clients know of the service, their types and the filters of an export, is from its own OpenAPI document. `UPDATE_TYPES=1 bun test` of
// this file writes it again.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Answers, Application, ExportPage, ExportParameters } from '../../../src/clients/client/api-types.ts'
import { type Schema, typesOf } from '../../../src/clients/client/typescript-types.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { outputOf } from '../../support/run.ts'

const file = join(import.meta.dir, '../../../src/clients/client/api-types.ts')
const pythonFile = join(import.meta.dir, '../../../src/clients/python/tributary.py')
const opening = `// The types of the service's requests and responses. Generated from its OpenAPI document by tests/clients/client/api-types.test.ts: do not edit.
`

const database = await useDatabase()
const service = await useService(database)
const { authorization } = await createTestKey(database.sql, { programs: ['any'] })
const answer = await service.get('/docs/api/openapi.json', { headers: { Authorization: authorization } })
const document = (await answer.json()) as OpenApi

test('src/clients/client/api-types.ts matches the service’s current OpenAPI document', async () => {
  const written = await formatted(typescriptTypes(document))
  if (process.env.UPDATE_TYPES) await Bun.write(file, written)
  expect(await Bun.file(file).text()).toBe(written)
})

test('the filters in src/clients/python/tributary.py match the OpenAPI document', async () => {
  const written = withFilters(await Bun.file(pythonFile).text(), filtersOf(document))
  if (process.env.UPDATE_TYPES) await Bun.write(pythonFile, written)
  expect(await Bun.file(pythonFile).text()).toBe(written)
})

test('the type of an extensible value allows any string, and the type of an answer any field', () => {
  const answers: Answers = { income: { question_type: 'CURRENCY', currency_dollars: 12.5 } }
  const parameters: ExportParameters = { fromDate: '2026-01-31', revisionState: 'CURRENT' }
  const page = { payload: [{ revision_state: 'SOMETHING_NEW', application: answers } as Application] }
  const typed: Pick<ExportPage, 'payload'> = page
  // @ts-expect-error -- there is no such state to ask for
  parameters.revisionState = 'SOMETHING_NEW'
  // @ts-expect-error -- an id is a number
  page.payload[0]!.application_id = 'A4711'
  expect(typed.payload[0]!.application.income?.currency_dollars).toBe(12.5)
})

test('a schema that TypeScript cannot express is an error and not a wrong type', () => {
  expect(() => typesOf({ Odd: { type: 'money' } }, '')).toThrow(/\bmoney\b/)
  expect(typesOf({ Odd: { const: `"it's" \\` } }, '')).toBe(`\nexport type Odd = '"it\\'s" \\\\'\n`)
})

interface OpenApi {
  paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>
  components: { schemas: Readonly<Record<string, Schema>> }
}

type Parameter = Schema & { name: string; description: string; schema: Schema }

function exportParametersOf({ paths }: OpenApi): Parameter[] {
  const operations = Object.values(paths).flatMap(path => Object.values(path))
  const exported = operations.find(operation => operation.operationId === 'exportApplications')
  return ((exported?.parameters ?? []) as Parameter[]).filter(parameter => parameter.in === 'query')
}

/** The parameters that limit which applications there are. */
const filtersOf = (document: OpenApi): Parameter[] =>
  exportParametersOf(document).filter(
    ({ name }) => !['pageSize', 'fields', 'questions', 'format', 'nextPageToken'].includes(name),
  )

/** A type for each of the document's schemas, and `ExportParameters` for what an export may be asked; and its filters, for tools. */
function typescriptTypes(document: OpenApi): string {
  const query: Schema = {
    title: 'Parameters',
    type: 'object',
    description: 'What an export may be asked, as query parameters.',
    properties: Object.fromEntries(
      exportParametersOf(document).map(({ name, description, schema }) => [name, { ...schema, description }]),
    ),
  }
  const filters = filtersOf(document).map(({ name, description, schema }) => {
    const help = description.split('. ')[0]!.replace(/\.$/, '')
    return [name, { help, ...(schema.enum === undefined ? {} : { values: schema.enum }) }]
  })
  const table: Record<string, { help: string; values?: readonly string[] }> = Object.fromEntries(filters)
  return `${typesOf({ ...document.components.schemas, ExportParameters: query }, opening)}
/** The parameters that limit which applications an export has, each with a sentence and, where there are few, its values. */
export const exportFilters = ${JSON.stringify(table)} as const satisfies Record<string, {help: string; values?: readonly string[]}>
`
}

/** The text with the filters, as arguments of `walk` and as parameters of its request, in the places that say so. */
function withFilters(python: string, filters: readonly Parameter[]): string {
  const named = filters.map(({ name }) => ({
    name,
    argument: name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`),
    isTime: name.endsWith('Date'),
  }))
  const places = [
    named.map(({ argument, isTime }) => `${argument}: ${isTime ? 'When' : 'Optional[str]'} = None,`),
    named.map(({ name, argument, isTime }) => `"${name}": ${isTime ? `_time(${argument})` : argument},`),
  ]
  return python.replace(/^( *)# Filters, (generated .*)\n[\s\S]*?^ *# End of filters\.$/gm, (_, indent, how) => {
    const lines = [`# Filters, ${how}`, ...(places.shift() ?? []), '# End of filters.']
    return lines.map(line => indent + line).join('\n')
  })
}

async function formatted(text: string): Promise<string> {
  const root = join(import.meta.dir, '../../..')
  const biome = [join(root, 'node_modules/.bin/biome'), 'format', '--stdin-file-path=src/clients/client/api-types.ts']
  return outputOf(biome, { cwd: root, input: text })
}
