// Contract D10, at every endpoint for API keys that the OpenAPI document of the service has.

import { expect, test } from 'bun:test'
import { useExport } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'

const { service, database, slug } = await useExport({ applications: 1 })
const key = await createTestKey(database.sql, { programs: [slug], mayExport: true, maySubmit: true, mayAnnotate: true })

interface Operation {
  security?: object[]
  parameters?: { name: string; in: string }[]
}

const document = (await (
  await service.get('/docs/api/openapi.json', {
    headers: { Authorization: key.authorization, Accept: 'application/json' },
  })
).json()) as { paths: Record<string, Record<string, Operation>> }

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { security = [] }]) => security.some(item => 'apiKey' in item))
    .filter(() => /^\/(api|docs|intake|odata)\//.test(path))
    .map(([method, { parameters = [] }]) => ({
      method: method.toUpperCase(),
      path: path
        .replace(/\{(programSlug|slug)\}/g, slug)
        .replace('{entitySet}', 'Applications')
        .replace('{version}', 'active')
        .replace('{fileName}', 'tributary.sh')
        .replaceAll(/\{[^}]+\}/g, '1'),
      names: parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name),
    })),
)

const refusedBy = async ({ method, path }: (typeof operations)[number], query: string, headers = {}) => {
  const body = method === 'GET' ? undefined : '{}'
  const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const all = {
    Accept: 'application/json',
    Authorization: key.authorization,
    'Idempotency-Key': 'x',
    ...type,
    ...headers,
  }
  // Without applications the feed has no questions to choose.
  const more = path.endsWith('/changes') ? '&include=application' : ''
  const response = await service.get(`${path}?${query}${more}`, { method, headers: all, body })
  const { errors = [], error } = (await response.json()) as {
    errors?: { parameter?: string }[]
    error?: { details: { target: string }[] }
  }
  const named = [...errors.map(({ parameter }) => parameter), ...(error?.details ?? []).map(({ target }) => target)]
  return [path, response.status, named.filter(name => name === decodeURIComponent(query.split('=')[0]!))]
}

test('D10: the document has every parameter', () => {
  expect(operations.length).toBeGreaterThan(15)
  expect(operations.map(({ path }) => path)).toContain('/api/v1/checkAuth')
  expect(operations.map(({ path }) => path)).toContain('/intake/v1/applicants')
})

test.each(operations)('D10: $method $path refuses a similar name and a common paging name', async operation => {
  for (const name of ['page', 'cursor', ...operation.names.map(known => `${known}[]`)])
    expect(await refusedBy(operation, `${name}=1`)).toEqual([operation.path, 400, [name]])
})

test.each(operations)('D10: $method $path refuses any other name with Prefer: handling=strict', async operation => {
  expect(await refusedBy(operation, 'foo=1', { Prefer: 'handling=strict' })).toEqual([operation.path, 400, ['foo']])
})
