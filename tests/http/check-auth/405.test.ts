import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { createTestKey } from '../../support/keys.ts'
import { startTestService, type TestService } from '../../support/service.ts'

let database: TestDatabase
let service: TestService
beforeAll(async () => {
  database = await createTestDatabase()
  service = await startTestService(database)
})
afterAll(async () => {
  await service.stop()
  await database.drop()
})

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
  '"GET and HEAD; others 405 with `Allow`" (contract D25): %s',
  async method => {
    const { authorization } = await createTestKey(database.sql)
    const response = await service.get('/api/v1/checkAuth', { method, headers: { Authorization: authorization } })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD')
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({ status: 405, type: 'urn:tributary:problem:method-not-allowed' })
  },
)
