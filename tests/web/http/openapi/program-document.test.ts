import { expect, test } from 'bun:test'
import { versionDocs } from '../../../../src/domain/samples/version-docs.ts'
import { changesOperation } from '../../../../src/web/http/openapi/changes-operation.ts'
import { exportOperation } from '../../../../src/web/http/openapi/export-operations.ts'
import { programOpenApi } from '../../../../src/web/http/openapi/program-document.ts'
import { everyKindVersion } from '../../../support/every-kind.ts'
import { lintOpenApi } from '../../../support/openapi-lint.ts'
import { schemaErrors } from '../../../support/response-schema.ts'

const docs = versionDocs(everyKindVersion(), [], { timeZone: 'UTC' })
const document = programOpenApi({
  slug: docs.slug,
  display_name: docs.display_name,
  program_version_id: docs.program_version_id,
  baseUrl: 'https://apply.example.gov',
  keyMap: docs.key_map,
  example: JSON.parse(docs.example),
})

test('the OpenAPI document of a program is valid by a linter', async () => {
  // A license is the deploying agency's to give.
  expect((await lintOpenApi(document)).filter(problem => !problem.includes('info-license'))).toEqual([])
})

test('the linter detects an invalid document', async () => {
  expect((await lintOpenApi({ ...document, paths: { '/broken': { get: { responses: {} } } } })).length).toBeGreaterThan(
    0,
  )
})

test('its example fits its schema, and its references resolve', () => {
  const { components, paths } = JSON.parse(JSON.stringify(document).replaceAll('#/components/schemas/', '#/$defs/'))
  const { content } = paths['/api/v1/admin/programs/every-kind/applications'].get.responses[200]
  const { schema, examples } = content['application/json']
  expect(schemaErrors({ ...schema, $defs: components.schemas }, examples.sample.value)).toEqual([])
})

test('`fields` is documented without an example, which could be the key of a hidden question', () => {
  const { description } = exportOperation().parameters.find(({ name }) => name === 'fields')!
  expect(description).toContain('<question>,<enumerator>.<question>')
  expect(description).not.toMatch(/such as|[a-z][.,_][a-z]/)
})

test('a change may have an unknown kind and unknown members', () => {
  const { schema } = changesOperation.responses[200].content['application/json']
  const { items } = (schema as { properties: { payload: { items: Record<string, unknown> } } }).properties.payload
  const kind = { kind: 'moved', change: 1, application_id: 1, time: null, moved_to: 2 }
  expect(schemaErrors(items, kind)).toEqual([])
  expect(schemaErrors(items, { ...kind, change: 'one' })).not.toEqual([])
})
