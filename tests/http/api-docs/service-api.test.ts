import { describe, expect, test } from 'bun:test'
import { decoded } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { lintOpenApi } from '../../support/openapi-lint.ts'

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

test("the service's own OpenAPI document is valid by a linter", async () => {
  expect(document.openapi).toBe('3.1.0')
  expect(await lintOpenApi(document)).toEqual([])
})

test('every endpoint of the specification is in it, with its parameters', () => {
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining([
      '/api/v1/checkAuth',
      '/api/v1/admin/programs/{programSlug}/applications',
      '/docs/api/programs',
    ]),
  )
  const operation = document.paths['/api/v1/admin/programs/{programSlug}/applications']!.get!
  expect(operation.parameters).toMatchObject([
    { name: 'programSlug', in: 'path', required: true },
    { name: 'fromDate', in: 'query' },
    { name: 'toDate', in: 'query' },
    { name: 'revisionState', in: 'query' },
    { name: 'pageSize', in: 'query' },
    { name: 'fields', in: 'query' },
    { name: 'nextPageToken', in: 'query' },
    { name: 'If-None-Match', in: 'header' },
    { name: 'Prefer', in: 'header' },
  ])
})

test('operations have names of their own, and how other methods are refused is not among them', () => {
  const operations = Object.values(document.paths).flatMap(path => Object.entries(path))
  const ids = operations.map(([, operation]) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const [method] of operations) expect(['get', 'post', 'put', 'patch', 'delete']).toContain(method)
})

describe('the page', () => {
  /** What is read in the section that has this id on its heading. */
  const sectionOf = (id: string): string => {
    const [, rest = ''] = page.split(`<h3 id="${id}">`)
    return decoded(rest.split('<h3 id=')[0]!.replace(/<[^>]*>/g, ''))
  }

  test('has every operation, with its address, parameters, answers and their header fields', () => {
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

  test('has every definition with its members, and whatever refers to one leads to it', () => {
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
