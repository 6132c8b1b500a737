// Which host a request names: it never decides which route is taken, and another place's is refused (contract, section 3).

import { describe, expect, test } from 'bun:test'
import { health } from '../../../../src/web/http/server/health.ts'
import { testCertificate } from '../../../support/certificate.ts'
import { endWithFile, useDatabase, useService } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'
import { rawRequest } from '../../../support/raw-request.ts'

const database = await useDatabase()
const key = await createTestKey(database.sql, { programs: ['any'] })
const authorization = `Authorization: ${key.authorization}`
const plain = await useService(database)
const tls = await useService(database, {}, { tls: testCertificate })
const named = await useService(database, { baseUrl: 'https://apply.example.gov' })
const namedTls = await useService(database, { baseUrl: 'https://apply.example.gov' }, { tls: testCertificate })

const ask = async (service: typeof plain, path: string, host: string) => {
  const secure = service.baseUrl.startsWith('https')
  const answer = await rawRequest(service.port, [`GET ${path} HTTP/1.1`, `Host: ${host}`, authorization], {
    tls: secure,
  })
  const code = answer.status === 400 ? JSON.parse(answer.body).errors[0].code : ''
  return `${answer.status}${code && ` ${code}`}`
}

const paths = [
  '/zz/api/v1/checkAuth',
  '/z/api/v1/checkAuth',
  '/zzz/api/v1/admin/programs/any/applications',
  '/zz/intake/v1/programs/any',
  '/zz/docs/api',
]

describe.each([
  ['plain HTTP', plain],
  ['TLS', tls],
])('%s', (_, service) => {
  test.each(['x', 'xy', 'xyz', 'x:1', 'x.y', 'localhost', '[::1]:8080'])(
    'with %s as host, a path cannot be reached by another address',
    async host => {
      const answers = await Promise.all(paths.map(path => ask(service, path, host)))
      expect(answers.filter(answer => !['404', '400 bad_host'].includes(answer))).toEqual([])
    },
  )

  test('with any valid host of sufficient length, a path is read exactly', async () => {
    for (const host of [
      'xyz',
      'x:1',
      'x.y',
      'localhost',
      '127.0.0.1',
      '[::1]:8080',
      'apply.example.gov',
      'xn--bcher-kva.example',
    ])
      expect([host, await ask(service, '/api/v1/checkAuth', host)]).toEqual([host, '200'])
  })

  test.each([
    '/api\\v1\\checkAuth',
    '/docs/../api/v1/checkAuth',
    '/docs\\..\\api\\v1\\checkAuth',
    '/docs/%2e%2e/api/v1/checkAuth',
    '/docs/.%2E/api/v1/checkAuth',
    '/./api/v1/checkAuth',
    '/api/v1/checkAuth/.',
    '/api/v1/checkAuth/x/..',
    '/api/./v1/checkAuth?x=1',
    '//api/v1/checkAuth',
    '/api//v1/checkAuth',
    '/x//../../api/v1/checkAuth',
    `${'/x'.repeat(20)}${'/..'.repeat(20)}/api/v1/checkAuth`,
    '/api%5Cv1',
  ])('%p is refused before routing, because a proxy may read it as another address', async path => {
    expect(await ask(service, path, 'xyz')).toBe('400 path_not_normal')
  })

  test.each(['/api/v1/checkAuth/', '/api/v1/checkAuth?x=/../y', `http://xyz/api/v1/checkAuth`])(
    '%p is accepted',
    async path => {
      expect(await ask(service, path, 'xyz')).toBe('200')
    },
  )

  test('an address that is too long or needlessly encoded is not found', async () => {
    expect(await ask(service, `/api${'/x'.repeat(30)}`, 'xyz')).toBe('404')
    expect(await ask(service, '/%61pi/v1/checkAuth', 'xyz')).toBe('404')
  })

  test.each([
    '',
    'a b',
    'a/b',
    'a?b',
    'a#b',
    'u@h.example',
    'a.example:99999',
    'a.example:x',
    '[::1',
    'bücher.example',
    'a,b',
  ])('%p is not a valid host', async host => {
    expect(await ask(service, '/api/v1/checkAuth', host)).toBe('400 bad_host')
  })
})

describe.each([
  ['plain HTTP', named],
  ['TLS', namedTls],
])('with BASE_URL, %s', (_, service) => {
  test('its host is accepted, and so is an IP address, which platforms use', async () => {
    for (const host of [
      'apply.example.gov',
      'APPLY.example.gov:8443',
      'apply.example.gov.',
      '127.0.0.1:8080',
      '10.1.2.3',
      '[fd00::7]:8080',
      'localhost',
    ])
      expect([host, await ask(service, '/api/v1/checkAuth', host)]).toEqual([host, '200'])
  })

  test('another host is refused before routing, whatever the path', async () => {
    for (const host of [
      'evil.example',
      'apply.example.gov.evil.example',
      'xapply.example.gov',
      'apply.example',
      'tributary',
    ])
      for (const path of ['/api/v1/checkAuth', '/admin', '/', '/docs/api'])
        expect([host, path, await ask(service, path, host)]).toEqual([host, path, '400 foreign_host'])
  })
})

test.each([
  ['twice', ['Host: a.example', 'Host: b.example']],
  ['twice the same', ['Host: a.example', 'host: a.example']],
])('a Host header %s is refused, because a proxy might use the other one', async (_, hosts) => {
  const answer = await rawRequest(plain.port, ['GET /api/v1/checkAuth?secret-in-query HTTP/1.1', ...hosts])
  expect([answer.status, JSON.parse(answer.body).errors[0].code]).toEqual([400, 'bad_host'])
  expect(plain.requestLine(answer.headers.get('x-request-id'))).toMatchObject({ status: 400 })
  expect(plain.logText()).not.toContain('secret-in-query')
})

test('HTTP/1.0 without a host is accepted, and Bun refuses later versions without one', async () => {
  for (const service of [plain, named]) {
    const old = await rawRequest(service.port, ['GET /api/v1/checkAuth?x=1 HTTP/1.0', authorization])
    expect([old.status, JSON.parse(old.body).programs]).toEqual([200, ['any']])
    expect(service.requestLine(old.headers.get('x-request-id'))).toMatchObject({
      path: '/api/v1/checkAuth',
      status: 200,
    })
    const page = await rawRequest(service.port, ['GET /api/v1/admin/programs/any/applications HTTP/1.0', authorization])
    expect([page.status, JSON.parse(page.body)]).toEqual([200, { payload: [], nextPageToken: null }])
    expect((await rawRequest(service.port, ['GET /api/v1/checkAuth HTTP/1.1', authorization])).status).toBe(400)
  }
})

describe('the health port', () => {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    development: false,
    ...health(async () => true, {
      exposition: async () => ({ text: 'counted 1\n', contentType: 'text/plain' }),
    }),
  })
  endWithFile(() => server.stop(true))
  const status = async (line: string, ...fields: string[]) => (await rawRequest(server.port!, [line, ...fields])).status

  test.each(['x', 'xyz', '10.1.2.3:8081', 'localhost', 'tributary', '[::1]:8081'])(
    'with host %s, a path is read exactly',
    async host => {
      for (const path of ['/livez', '/readyz', '/metrics', '/metrics?x=/livez'])
        expect([path, await status(`GET ${path} HTTP/1.1`, `Host: ${host}`)]).toEqual([path, 200])
      for (const path of ['/z/metrics', '/zz/metrics', '/zzz/metrics', '/zzzz/metrics', '/', '/metrics/', '/__proto__'])
        expect([path, await status(`GET ${path} HTTP/1.1`, `Host: ${host}`)]).toEqual([path, 404])
      for (const path of ['//metrics', '/../metrics', '/x/%2e%2e/metrics', '/x\\..\\metrics', '/./metrics'])
        expect([path, await status(`GET ${path} HTTP/1.1`, `Host: ${host}`)]).toEqual([path, 400])
    },
  )

  test('refuses an invalid host, and accepts none, as in HTTP/1.0', async () => {
    for (const host of ['', 'a/b', 'a b', 'a,b'])
      expect([host, await status('GET /metrics HTTP/1.1', `Host: ${host}`)]).toEqual([host, 400])
    expect(await status('GET /livez HTTP/1.0')).toBe(200)
    expect(await status('GET /zz/livez HTTP/1.0')).toBe(404)
    expect(await status('HEAD /livez HTTP/1.1', 'Host: x')).toBe(200)
    expect(await status('POST /livez HTTP/1.1', 'Host: x')).toBe(405)
  })
})
