import { expect, test } from 'bun:test'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { rawRequest } from '../../support/raw-request.ts'

const database = await useDatabase()
const service = await useService(database)

test('a Host header that names no host is a clear 400 and one log line, not a failure of ours', async () => {
  const answer = await rawRequest(service.port, [
    'GET /api/v1/checkAuth?secret-in-query HTTP/1.1',
    'Host: https://somewhere',
  ])
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.body).errors).toMatchObject([{ parameter: 'Host', code: 'bad_host' }])
  expect(service.requestLine(answer.headers.get('x-request-id'))).toMatchObject({ status: 400 })
  expect(service.logText()).not.toContain('secret-in-query')
})

test.each([
  ['twice', ['Host: a.example', 'Host: b.example']],
  ['twice the same', ['Host: a.example', 'host: a.example']],
  ['as a list', ['Host: a.example,b.example']],
])('a Host header %s is a clear 400: a proxy in front might take the other one', async (_, hosts) => {
  const answer = await rawRequest(service.port, ['GET /api/v1/checkAuth HTTP/1.1', ...hosts])
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.body).errors).toMatchObject([{ parameter: 'Host', code: 'bad_host' }])
})
