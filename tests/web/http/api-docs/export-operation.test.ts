// What OpenAPI says of the export alongside its pages: the parameters that are taken, and the fields of the head that are sent.

import { expect, test } from 'bun:test'
import { exportParameterNames } from '../../../../src/core/export/requests/request.ts'
import { exportOperation } from '../../../../src/web/http/openapi/export-operations.ts'
import { ExportClient } from '../../../support/export-client.ts'
import { useExport } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'

const { database, service, key, client, slug } = await useExport({ applications: 3 })

test('the export operation documents every accepted query parameter, and no other', () => {
  const documented = exportOperation().parameters.filter(parameter => parameter.in === 'query')
  expect(documented.map(({ name }) => name as string).sort()).toEqual([...exportParameterNames].sort())
})

/** What HTTP says of any answer, and need not be documented for this one. */
const general =
  'x-content-type-options cache-control connection content-encoding content-length content-type date transfer-encoding vary'

test('the export operation documents every header of a page, a 304, HEAD and errors', async () => {
  const responses: Record<string, { headers?: object }> = exportOperation().responses
  const seen = new Set<number>()
  const undocumented = async (response: Response): Promise<string[]> => {
    await response.arrayBuffer()
    seen.add(response.status)
    const reported = [...general.split(' '), ...Object.keys(responses[response.status]?.headers ?? {})]
    const known = new Set(reported.map(name => name.toLowerCase()))
    return [...response.headers.keys()].filter(name => !known.has(name)).map(name => `${response.status} ${name}`)
  }
  const { page, response: first } = await client.page({ pageSize: '2' })
  const stranger = new ExportClient(service, await createTestKey(database.sql, { programs: ['another'] }), slug)
  const wanted = { 'Want-Content-Digest': 'sha-256=1', Prefer: 'handling=strict' }
  const head = { method: 'HEAD', headers: { Authorization: key.authorization } }
  const answers = [
    client.request({}, wanted),
    client.request({}, { 'Accept-Encoding': 'zstd' }),
    client.request({ nextPageToken: page.nextPageToken! }, wanted),
    client.request({ pageSize: '2' }, { 'If-None-Match': first.headers.get('ETag')!, ...wanted }),
    service.get(`/api/v1/admin/programs/${slug}/applications`, head),
    client.request({ pageSize: 'many' }),
    client.request({}, { Accept: 'image/png' }),
    client.request({}, { 'If-Match': '"x"' }),
    stranger.request(),
  ]
  const found: string[] = []
  for (const answer of answers) found.push(...(await undocumented(await answer)))
  expect(found).toEqual([])
  expect([...seen].sort()).toEqual([200, 304, 400, 401, 406, 412])
})
