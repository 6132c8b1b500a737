import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { createTestKey } from '../../support/keys.ts'
import { lintOpenApi } from '../../support/openapi-lint.ts'
import { startTestService, type TestService } from '../../support/service.ts'

let database: TestDatabase
let service: TestService
let document: {
  openapi: string
  paths: Record<string, Record<string, { operationId: string; parameters?: unknown[] }>>
}

beforeAll(async () => {
  database = await createTestDatabase()
  service = await startTestService(database)
  const key = await createTestKey(database.sql, { programs: ['any'] })
  const response = await service.get('/docs/api/openapi.json', { headers: { Authorization: key.authorization } })
  expect(response.headers.get('cache-control')).toBe('no-store')
  document = (await response.json()) as typeof document
})
afterAll(async () => {
  await service.stop()
  await database.drop()
})

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
    { name: 'nextPageToken', in: 'query' },
  ])
})

test('operations have names of their own, and how other methods are refused is not among them', () => {
  const operations = Object.values(document.paths).flatMap(path => Object.entries(path))
  const ids = operations.map(([, operation]) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const [method] of operations) expect(['get', 'post', 'put', 'patch', 'delete']).toContain(method)
})
