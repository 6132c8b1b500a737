// Contract D49: `format` in the URL, on the list of applications and on the change feed.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { changesFormats } from '../../../../src/core/export/changes/feed-framings.ts'
import { exportFormats, isByNameOnly, pageFormats } from '../../../../src/core/export/framings/all-framings.ts'
import { ExportClient } from '../../../support/export-client.ts'
import { useExport } from '../../../support/fixtures.ts'
import { formats } from '../../../support/page-formats.ts'

const { service, slug, key } = await useExport({ applications: 5 })
const client = new ExportClient(service, key, slug)
const typeOf = ({ headers }: Response) => headers.get('Content-Type')
const unacceptable = { Accept: 'image/png' }
const contentType = (format: keyof typeof pageFormats) => pageFormats[format].types[0] + pageFormats[format].parameters

describe.each([...exportFormats])('D49: "overrides Accept", format=%s', format => {
  test('the page has this format whatever the Accept header, and does not vary by it', async () => {
    for (const Accept of ['application/json', 'text/csv', 'image/png']) {
      const response = await client.request({ format }, { Accept })
      expect([response.status, typeOf(response)]).toEqual([200, contentType(format)])
      expect(response.headers.get('Vary')).toBe('Accept-Encoding')
      expect(formats[format].read(await textOf(response), response.headers).items).toHaveLength(5)
    }
  })

  test('HEAD has the headers of GET, and its tag causes a 304 only for this format', async () => {
    const path = `/api/v1/admin/programs/${slug}/applications?format=${format}`
    const headers = { Authorization: key.authorization, ...unacceptable }
    const head = await service.get(path, { method: 'HEAD', headers })
    const tag = head.headers.get('ETag')!
    expect([head.status, typeOf(head), head.headers.get('Vary')]).toEqual([200, contentType(format), 'Accept-Encoding'])
    expect((await client.request({ format })).headers.get('ETag')).toBe(tag)
    const again = await client.request({ format }, { ...unacceptable, 'If-None-Match': tag })
    expect([again.status, again.headers.get('Vary')]).toEqual([304, 'Accept-Encoding'])
    for (const other of exportFormats.filter(exportFormat => exportFormat !== format))
      expect((await client.request({ format: other }, { 'If-None-Match': tag })).status).toBe(200)
  })

  test('"With a token it must match or be absent": the walk keeps the format, and another is refused', async () => {
    const items: unknown[] = []
    let next: string | null = null
    for (let pages = 0; pages === 0 || next !== null; pages++) {
      const parameters: Record<string, string> = next === null ? { format, pageSize: '2' } : { nextPageToken: next }
      // Every second page names the format again.
      const named = pages % 2 === 0 ? { ...parameters, format } : parameters
      const response = await client.request(named, unacceptable)
      expect([response.status, typeOf(response)]).toEqual([200, contentType(format)])
      expect(response.headers.get('Vary')).toBe('Accept-Encoding')
      const page = formats[format].read(await textOf(response), response.headers)
      items.push(...page.items)
      next = page.nextPageToken
      for (const other of next === null ? [] : exportFormats.filter(exportFormat => exportFormat !== format)) {
        const { status, codes } = await client.refusal({ nextPageToken: next!, format: other })
        expect([status, codes]).toEqual([400, { format: 'differs_from_first_page' }])
      }
    }
    expect(items).toEqual((await client.walkAll()).map(formats[format].itemOf))
  })
})

test('D49: "Without it, the format may still vary from page to page by Accept", and naming it later is refused', async () => {
  const { page, response } = await client.page({ pageSize: '2' })
  expect(response.headers.get('Vary')).toBe('Accept, Accept-Encoding')
  const nextPageToken = page.nextPageToken!
  for (const format of exportFormats) {
    const continued = await client.request({ nextPageToken }, { Accept: formats[format].accept })
    expect([typeOf(continued), continued.headers.get('Vary')]).toEqual([contentType(format), 'Accept, Accept-Encoding'])
    expect((await client.refusal({ nextPageToken, format })).codes).toEqual({ format: 'differs_from_first_page' })
  }
})

test('an unknown value is refused with the allowed ones, together with all other errors and before the Accept header', async () => {
  for (const format of ['xml', 'CSV', 'text/csv', 'constructor']) {
    const { status, body, codes } = await client.refusal({ format, pageSize: '0' }, unacceptable)
    expect([status, codes]).toEqual([400, { format: 'invalid_format', pageSize: 'invalid_page_size' }])
    const { detail } = body.errors.find(({ parameter }) => parameter === 'format')!
    for (const known of exportFormats) expect(detail).toContain(known)
  }
  expect((await client.refusal({ format: '' })).codes).toEqual({ format: 'missing_value' })
  for (const name of ['$format', 'Format', 'formats'])
    expect((await client.refusal({ [name]: 'csv' })).codes).toEqual({ [name]: 'unknown_parameter' })
  expect((await client.refusal('format=csv&format=csv')).codes).toEqual({ format: 'duplicate_parameter' })
})

test.each([...exportFormats])(
  'README.md has the value %s of the parameter, and EXPORT.md its media types',
  async format => {
    const [readme, guide] = await Promise.all(
      ['README.md', 'EXPORT.md'].map(name => Bun.file(join(import.meta.dir, '../../../..', name)).text()),
    )
    const parameters = readme!.split('\n').find(line => line.startsWith('| `format`'))
    expect(parameters).toContain(`\`${format}\``)
    const rows = guide!.split('\n').filter(line => line.startsWith('|'))
    const named = isByNameOnly(format) ? [`format=${format}`] : pageFormats[format].types
    for (const type of named) expect(rows.some(row => row.includes(`\`${type}\``))).toBe(true)
  },
)

describe('the change feed', () => {
  const read = (query: string, headers: Record<string, string> = {}) =>
    service.get(`/api/v1/admin/programs/${slug}/changes?${query}`, {
      headers: { Authorization: key.authorization, ...headers },
    })

  test.each(['', '&include=application'])('has the named format, whatever the Accept header%s', async more => {
    for (const format of changesFormats) {
      const response = await read(`format=${format}${more}`, unacceptable)
      expect([response.status, typeOf(response)]).toEqual([200, contentType(format)])
      expect(response.headers.get('Vary')).toBe(more === '' ? null : 'Accept-Encoding')
      const byAccept = await read(more, { Accept: formats[format].accept })
      expect(byAccept.headers.get('Vary')).toBe(more === '' ? 'Accept' : 'Accept, Accept-Encoding')
      expect(await response.text()).toBe(await byAccept.text())
    }
  })

  test('refuses an unavailable format with the available ones', async () => {
    const missing = exportFormats.filter(format => !(changesFormats as string[]).includes(format))
    expect(missing).toContain('csv')
    for (const format of [...missing, 'xml']) {
      const response = await read(`format=${format}`)
      const { errors } = (await response.json()) as { errors: { parameter: string; code: string; detail: string }[] }
      expect([response.status, errors.map(({ parameter, code }) => [parameter, code])]).toEqual([
        400,
        [['format', 'invalid_format']],
      ])
      for (const known of changesFormats) expect(errors[0]!.detail).toContain(known)
    }
  })
})

/** fetch removes the byte order mark when it decodes. */
async function textOf(response: Response): Promise<string> {
  return Buffer.from(await response.arrayBuffer()).toString()
}
