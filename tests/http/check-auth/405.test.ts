import { expect, test } from 'bun:test'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'

const database = await useDatabase()
const service = await useService(database)

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
