// The typed client's types are those of the service's own OpenAPI document. `UPDATE_TYPES=1 bun test` of this file writes them again.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Answers, Application, ExportPage, ExportParameters } from '../../src/client/api-types.ts'
import { type Schema, typesOf } from '../../src/client/typescript-types.ts'
import { useDatabase, useService } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { outputOf } from '../support/run.ts'

const file = join(import.meta.dir, '../../src/client/api-types.ts')
const opening = `// The shapes of what the service sends and takes. Generated from its OpenAPI document by tests/client/api-types.test.ts: do not edit.
`

test('src/client/api-types.ts is what the OpenAPI document of the service says now', async () => {
  const database = await useDatabase()
  const service = await useService(database)
  const { authorization } = await createTestKey(database.sql, { programs: ['any'] })
  const answer = await service.get('/docs/api/openapi.json', { headers: { Authorization: authorization } })
  const written = await formatted(typescriptTypes(await answer.json()))
  if (process.env.UPDATE_TYPES) await Bun.write(file, written)
  expect(await Bun.file(file).text()).toBe(written)
})

test('a value of which more may come takes any string, and a question any field', () => {
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

test('what has no TypeScript is an error, not a type that is wrong', () => {
  expect(() => typesOf({ Odd: { type: 'money' } }, '')).toThrow('There is no TypeScript for the type money.')
  expect(typesOf({ Odd: { const: `"it's" \\` } }, '')).toBe(`\nexport type Odd = '"it\\'s" \\\\'\n`)
})

interface OpenApi {
  paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>
  components: { schemas: Readonly<Record<string, Schema>> }
}

/** A type for each of the document's schemas, and `ExportParameters` for what an export may be asked. */
function typescriptTypes(document: unknown): string {
  const { paths, components } = document as OpenApi
  const operations = Object.values(paths).flatMap(path => Object.values(path))
  const exported = operations.find(operation => operation.operationId === 'exportApplications')
  const parameters = ((exported?.parameters ?? []) as (Schema & { name: string; schema: Schema })[]).filter(
    parameter => parameter.in === 'query',
  )
  const query: Schema = {
    title: 'Parameters',
    type: 'object',
    description: 'What an export may be asked, as query parameters.',
    properties: Object.fromEntries(
      parameters.map(({ name, description, schema }) => [name, { ...schema, description }]),
    ),
  }
  return typesOf({ ...components.schemas, ExportParameters: query }, opening)
}

async function formatted(text: string): Promise<string> {
  const root = join(import.meta.dir, '../..')
  const biome = [join(root, 'node_modules/.bin/biome'), 'format', '--stdin-file-path=src/client/api-types.ts']
  return outputOf(biome, { cwd: root, input: text })
}
