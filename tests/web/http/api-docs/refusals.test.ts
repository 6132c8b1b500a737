import { expect, test } from 'bun:test'
import { aPerson, ConsoleVisitor, testPassword } from '../../../support/console.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'
import { aProgram } from '../../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database)
await aProgram(database.sql, { slug: 'granted' })
await aProgram(database.sql, { slug: 'foreign' })
const key = await createTestKey(database.sql, { programs: ['granted'] })

const rest = [
  '',
  '/versions/active',
  '/versions/active/response.schema.json',
  '/versions/active/openapi.json',
  '/samples/export-foreign.sh',
] as const

const shown = async (response: Response) => {
  const headers = Object.fromEntries(response.headers)
  delete headers.date
  delete headers['x-request-id']
  const { request_id, ...body } = (await response.json()) as Record<string, unknown>
  expect(request_id).toBe(response.headers.get('x-request-id'))
  return { status: response.status, headers, body }
}

test('without a valid key, every docs page is the same 401, for which a browser asks for a key (D4, D7)', async () => {
  const first = await shown(await service.get('/api/v1/checkAuth'))
  expect(first.headers['www-authenticate']).toStartWith('Basic realm=')
  const paths = [
    '/docs/api',
    '/docs/api/openapi.json',
    '/swagger',
    '/docs/api/programs',
    ...rest.map(r => `/docs/api/programs/granted${r}`),
  ]
  for (const path of paths) {
    expect(await shown(await service.get(path))).toEqual(first)
    expect(await shown(await service.get(path, { headers: { Authorization: 'Basic d3Jvbmc6d3Jvbmc=' } }))).toEqual(
      first,
    )
  }
})

test('a browser gets the 401 as a page with both ways to sign in, with the same body and headers for every cause (D4)', async () => {
  const page = async (path: string, headers: Record<string, string> = {}) => {
    const response = await service.get(path, {
      headers: { Accept: 'text/html', 'Accept-Encoding': 'gzip', ...headers },
    })
    const id = response.headers.get('x-request-id')!
    const fields = Object.fromEntries(
      [...response.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'),
    )
    return { status: response.status, fields, body: (await response.text()).replace(id, '') }
  }
  const path = '/docs/api/programs/foreign?x=1'
  const first = await page(path)
  expect([first.status, first.fields['content-type']]).toEqual([401, 'text/html; charset=utf-8'])
  expect(first.fields['www-authenticate']).toStartWith('Basic realm=')
  expect(first.body).toContain(`href="/admin/sign-in?next=${encodeURIComponent(path)}"`)
  for (const Authorization of [key.authorization, 'Basic d3Jvbmc6d3Jvbmc=', 'Bearer x'])
    expect(await page(path, { Authorization })).toEqual(first)
  expect(await page(path, { Cookie: `tributary=${'x'.repeat(43)}` })).toEqual(first)
  const { email } = await aPerson(database.sql)
  const signIn = { csrf: '', email, password: testPassword, next: path }
  const { status, headers } = await new ConsoleVisitor(service).post('/admin/sign-in', signIn)
  expect([status, headers.get('location')]).toEqual([303, path])
})

test('a program that the key may not see gets the same 401 as one that does not exist (D6)', async () => {
  const headers = { Authorization: key.authorization }
  const first = await shown(await service.get('/api/v1/checkAuth'))
  for (const slug of [
    'foreign',
    'unknown',
    'FOREIGN',
    '%00',
    '..%2f',
    '__proto__',
    "';--",
    '%E0%A4%A',
    'x'.repeat(300),
  ])
    for (const path of rest) {
      const response = await service.get(`/docs/api/programs/${slug}${path}`, { headers })
      const line = service.requestLine(response.headers.get('x-request-id'))
      expect(await shown(response)).toEqual(first)
      expect(['no_grant', 'no_such_program']).toContain(line?.reason as string)
    }
})

test('a version that is neither active nor a draft, or an unknown code sample, is a 404', async () => {
  for (const path of [
    'versions/999999',
    'versions/999999/openapi.json',
    'versions/draft/openapi.json',
    'versions/%00/response.schema.json',
    'versions/1e0/response.schema.json',
    'samples/export-foreign.sh',
    'samples/..%2f..%2fpackage.json',
  ]) {
    const response = await service.get(`/docs/api/programs/granted/${path}`, {
      headers: { Authorization: key.authorization },
    })
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
  }
})

test('docs count towards the key’s limit, like every request (D23)', async () => {
  const limited = await useService(database, { requestsPerMinute: 2 })
  const headers = { Authorization: key.authorization }
  const statuses: number[] = []
  for (const path of ['/docs/api/programs', '/docs/api', '/docs/api/openapi.json']) {
    const response = await limited.get(path, { headers })
    statuses.push(response.status)
    expect(response.headers.get('ratelimit-policy')).toContain('q=2')
  }
  expect(statuses).toEqual([200, 200, 429])
})

test('plain HTTP from another machine is refused like an invalid credential', async () => {
  const production = await useService(database, { environment: 'production' })
  const response = await production.get('/docs/api/programs', { headers: { Authorization: key.authorization } })
  expect(response.status).toBe(401)
})
