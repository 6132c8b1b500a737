import { describe, expect, test } from 'bun:test'
import type { JsonSchema } from '../../../../src/domain/fields/field-schema.ts'
import { memberValues } from '../../../../src/web/docs/code-samples/member-values.ts'
import { operationSampler } from '../../../../src/web/docs/code-samples/operation-sample.ts'
import type { ListedOperation, ServiceDocument } from '../../../../src/web/docs/components/service-document.ts'
import { decoded } from '../../../support/console.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'
import { lintOpenApi } from '../../../support/openapi-lint.ts'
import { aProgram, q } from '../../../support/programs.ts'
import { schemaChecker } from '../../../support/response-schema.ts'

interface Operation {
  operationId: string
  summary: string
  parameters?: { name: string; description?: string }[]
  responses: Record<string, { description: string; headers?: Record<string, unknown> }>
}

const database = await useDatabase()
const service = await useService(database)
const key = await createTestKey(database.sql, { programs: ['any'] })
const headers = { Authorization: key.authorization }
const page = await (await service.get('/docs/api', { headers })).text()
const response = await service.get('/docs/api/openapi.json', { headers })
expect(response.headers.get('cache-control')).toBe('no-store')
expect(response.headers.get('ratelimit')).not.toBeNull()
const document: {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { properties?: Record<string, unknown> }> }
} = (await response.json()) as typeof document

const listedOperations: ListedOperation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method,
    path,
    operation: operation as ListedOperation['operation'],
  })),
)

test("the service's own OpenAPI document is valid by a linter", async () => {
  expect(document.openapi).toBe('3.1.0')
  expect(await lintOpenApi(document)).toEqual([])
})

test('every endpoint of the specification is in the OpenAPI document with its parameters', () => {
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining([
      '/api/v1/checkAuth',
      '/api/v1/admin/programs/{programSlug}/applications',
      '/docs/api/programs',
    ]),
  )
  const operation = document.paths['/api/v1/admin/programs/{programSlug}/applications']!.get!
  const parameters = (operation.parameters ?? []) as { name: string; in: string }[]
  expect(parameters.map(parameter => `${parameter.in} ${parameter.name}`)).toEqual([
    'path programSlug',
    'query fromDate',
    'query toDate',
    'query revisionState',
    'query submitterType',
    'query pageSize',
    'query fields',
    'query questions',
    'query format',
    'query nextPageToken',
    'header If-None-Match',
    'header Prefer',
  ])
})

test('operations have unique IDs, and refused methods are not among them', () => {
  const operations = Object.values(document.paths).flatMap(path => Object.entries(path))
  const ids = operations.map(([, operation]) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const [method] of operations) expect(['get', 'post', 'put', 'patch', 'delete']).toContain(method)
})

describe('the API reference page', () => {
  /** What is read in the section that this id leads to, but for its samples. */
  const sectionOf = (id: string): string => {
    const sections = page.split(/<details class="card operation"[^>]*>|<section class="card"[^>]*>/)
    const found = sections.filter(section => section.includes(` id="${id}"`)).join('')
    return decoded(found.split('<div class="samples">')[0]!.replace(/<[^>]*>/g, ''))
  }

  test('has every operation with its address, parameters, responses and their headers', () => {
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(methods)) {
        const { operationId, summary, parameters = [], responses } = operation
        const section = sectionOf(operationId)
        for (const [, most] of JSON.stringify(operation).matchAll(/"maximum":([\d.-]+)/g))
          expect(section).toContain(`at most ${most}`)
        expect(section).toStartWith(summary)
        expect(section).toContain(`${method.toUpperCase()} ${path}`)
        for (const { name, description = '' } of parameters) {
          expect(section).toContain(name)
          // Code in it is set as code.
          expect(section).toContain(description.replaceAll('`', ''))
        }
        for (const [status, { description, headers = {} }] of Object.entries(responses)) {
          expect(section).toContain(`${status}${description}`)
          for (const name of Object.keys(headers)) expect(section).toContain(name)
        }
        expect(page).toContain(`href="#${operationId}"`)
      }
  })

  test('has a curl request for every operation, and a response that matches its schema where there is one', () => {
    const sampleOf = operationSampler(document as unknown as ServiceDocument, 'https://any.example', undefined)
    const schemas: Record<string, unknown> = {}
    const values: Record<string, unknown> = {}
    for (const listed of listedOperations) {
      const { request, answer } = sampleOf(listed)
      const { operationId, responses, requestBody } = listed.operation
      expect(page).toContain(`id="${operationId}-request"`)
      expect(request).toMatch(/'https:\/\/any\.example[^{}]*'$/)
      const [, body] = /-d '(.*)'/.exec(request) ?? []
      if (body !== undefined) {
        schemas[`${operationId} body`] = requestBody!.content['application/json']!.schema
        values[`${operationId} body`] = JSON.parse(body)
      }
      if (answer === undefined) continue
      expect(page).toContain(`id="${operationId}-answer"`)
      schemas[operationId] = responses![answer.status]!.content!['application/json']!.schema
      values[operationId] = answer.value
    }
    expect(Object.keys(values).length).toBeGreaterThan(110)
    const all = JSON.stringify({ type: 'object', properties: schemas, $defs: document.components.schemas })
    const check = schemaChecker(JSON.parse(all.replaceAll('#/components/schemas/', '#/$defs/')) as JsonSchema)
    expect(check(values)).toEqual([])
  })

  test('has samples with the slug and answers of a program that its reader may see', async () => {
    await aProgram(database.sql, { slug: 'seen', questions: [q.date('day of birth')] })
    const seeing = await createTestKey(database.sql, { programs: ['seen'] })
    const shown = await (await service.get('/docs/api', { headers: { Authorization: seeing.authorization } })).text()
    expect(shown).toContain('/api/v1/admin/programs/seen/applications')
    expect(shown).toContain('day_of_birth')
    const others = await (await service.get('/docs/api', { headers })).text()
    expect(others).not.toContain('day_of_birth')
  })

  test('uses no sample value whose name is no longer in the document', () => {
    const named = JSON.stringify(document).matchAll(/"name":"([^"]+)"|"([^"]+)":/g)
    const names = new Set([...named].flatMap(([, parameter, member]) => [parameter, member]))
    expect(Object.keys(memberValues).filter(name => !names.has(name))).toEqual([])
  })

  test('has every definition with its members, and every reference links to it', () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const section = sectionOf(`schema-${name}`)
      for (const member of Object.keys(schema.properties ?? {})) expect(section).toContain(`${member} `)
      const all = JSON.stringify(schema)
      const required = [...all.matchAll(/"required":(\[[^\]]*\])/g)].flatMap(([, names]) => JSON.parse(names!))
      expect([name, section.split(' · required').length - 1]).toEqual([name, required.length])
    }
    const referred = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      match => match[1]!,
    )
    for (const name of new Set(referred)) {
      expect(page).toContain(`id="schema-${name}"`)
      // In the list alongside the page, and where it is used.
      expect(page.split(`href="#schema-${name}"`).length).toBeGreaterThan(2)
    }
  })
})
