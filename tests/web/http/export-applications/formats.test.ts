// The formats of an export, over HTTP: the same applications in each, and a page that was cut never looks whole.

import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { annotate } from '../../../../src/core/applications/annotate.ts'
import { type ExportFormat, pageFormats } from '../../../../src/core/export/framings/all-framings.ts'
import { inOneLine } from '../../../../src/core/export/framings/one-line.ts'
import { type ExportType, exportTypes } from '../../../../src/web/http/headers/export-formats.ts'
import { csvRecordOf, readCsvPage, textOf } from '../../../support/csv-page.ts'
import { ExportClient } from '../../../support/export-client.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { createTestKey } from '../../../support/keys.ts'
import { formats } from '../../../support/page-formats.ts'
import { aProgram, everyKind, q } from '../../../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../../../support/raw-applications.ts'
import { rawRequest } from '../../../support/raw-request.ts'
import { until } from '../../../support/until.ts'

const slug = 'every-kind'
const timeZone = 'America/New_York'

const database = await useDatabase({ timeZone, connectionsMax: 30 })
const { sql } = database
const statuses = ['Approved', '=1+1']
// The program shrinks, and grows again.
const first = await aProgram(sql, { slug, questions: everyKind, statuses })
const service = await useService(database, { timeZone })
const key = await createTestKey(sql, { programs: [slug], maySubmit: true })
const client = new ExportClient(service, key, slug)
const frontEnd = new FrontEnd(service, key, slug)

const hostile = [
  '=1+1', '+1', '-1+2', '@x', '\t=1', "'", '"', '""', ',', ';', '\\', '\r\n', '\n', '\u0000\u0001\u0002', 'é\u2028🏠', '', 'a,"b"\r\n=c', '{"nextPageToken":null,"count":0}\n', 'none', '\ufeff',
] // biome-ignore format: a list
const name = { first_name: 'Ana', last_name: '=Núñez' }
const applicants: number[] = []
for (const [i, text] of hostile.entries()) {
  const applicant = i % 5 === 4 ? applicants[0]! : await frontEnd.register()
  applicants.push(applicant)
  const answers = {
    applicant_name: name,
    ...(text === '' ? {} : { anything_else: { text } }),
    contact_phone: { phone_number: '+12064386161' },
    monthly_rent: { currency_dollars: i + 3.5 },
    household_size: { number: i + 1 },
    utilities: { selections: ['power', 'gas'] },
    service_location: { selections: ['Old Town', 'north-1'] },
    home_address: { street: text || 'x', city: 'Seattle', state: 'WA', zip: '98104', corrected: 'Corrected', latitude: '47.6', longitude: '-122.3301', well_known_id: '4326', service_area: 'Seattle_InArea_1709069741' },
    household_member: { entities: Array.from({ length: i % 4 }, (_, n) => ({ entity_name: `${text}[{"${n}`, member_job: { entities: [{ entity_name: ']}' }] } })) },
  } // biome-ignore format: side by side
  const { application_id } = await frontEnd.apply(applicant, i % 7 === 6 || (i > 9 && i <= 12) ? { applicant_name: name } : answers)
  const { program_id } = first
  const now = 1_790_000_000_123_456
  if (i % 3 === 0)
    await annotate(sql, { program_id, application_id, status: '=1+1', note: `-${text}`, actor: 'admin:test', now, timeZone })
  if (i === 9) await aProgram(sql, { slug, statuses, questions: [everyKind[1]!, q.text('last words', { optional: true })] })
  if (i === 12) await aProgram(sql, { slug, statuses, questions: [q.text('last words', { optional: true }), ...everyKind] })
} // biome-ignore format: as it was

const bodyOf = async (type: ExportType, parameters: Record<string, string> = {}) => {
  const response = await client.request(parameters, { Accept: type })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`answered ${response.status}: ${text}`)
  // fetch takes a byte order mark away when it decodes.
  return { response, text: type === 'text/csv' ? `\ufeff${text}` : text }
}

interface ReadPage {
  ids: number[]
  nextPageToken: string | null
}

/** What a client has of a page; throws where it is not whole. */
function read(type: ExportType, text: string): ReadPage {
  const format = Object.values(formats).find(({ accept }) => accept === type)!
  const { items, nextPageToken } = format.read(text, new Headers())
  return { ids: items.map(item => Number((item as { application_id: unknown }).application_id)), nextPageToken }
}

describe('Accept', () => {
  test.each([
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/x-ndjson', 'application/x-ndjson; charset=utf-8'],
    ['application/ndjson', 'application/ndjson; charset=utf-8'],
    ['application/jsonl', 'application/jsonl; charset=utf-8'],
    ['application/jsonl;q=0.9, application/json;q=0.1', 'application/jsonl; charset=utf-8'],
    ['application/jsonl;q=0.5, application/x-ndjson', 'application/x-ndjson; charset=utf-8'],
    ['text/csv', 'text/csv; charset=utf-8; header=present'],
    ['text/csv;charset=utf-8;header=present', 'text/csv; charset=utf-8; header=present'],
    ['text/*', 'text/csv; charset=utf-8; header=present'],
    ['application/json;q=0.5, application/x-ndjson', 'application/x-ndjson; charset=utf-8'],
    ['application/json;q=0, */*;q=0.1', 'application/x-ndjson; charset=utf-8'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'application/json'],
    ['text/csv;q=0.9, application/x-ndjson;q=0.8, */*;q=0.1', 'text/csv; charset=utf-8; header=present'],
    // Nothing in it is well-formed: as if there were none.
    ['json', 'application/json'],
  ])('%p gets %p', async (accept, contentType) => {
    // fetch would send an Accept of its own.
    const { headers } = await rawRequest(service.port, [
      `GET /api/v1/admin/programs/${slug}/applications?pageSize=1 HTTP/1.1`,
      `Host: 127.0.0.1:${service.port}`,
      `Authorization: ${key.authorization}`,
      ...(accept === undefined ? [] : [`Accept: ${accept}`]),
    ])
    expect(headers.get('Content-Type')).toBe(contentType)
    expect(headers.get('Vary')).toBe('Accept, Accept-Encoding')
    expect(headers.get('Cache-Control')).toBe('no-store')
  })

  test.each(['text/html', 'application/xml, image/*', 'application/json;q=0', 'text/csv;header=absent', 'application/json;profile=x', 'application/json;odata=verbose', 'application/problem+json'])(
    '%p gets a 406 with the available types',
    async accept => {
      const { status, body, codes } = await client.refusal({ pageSize: '1' }, { Accept: accept })
      expect([status, codes]).toEqual([406, { Accept: 'not_acceptable' }])
      expect(body.errors[0]!.detail).toContain(exportTypes.join(', '))
      expect((await service.get(`/api/v1/admin/programs/${slug}/applications`, { method: 'HEAD', headers: { Authorization: key.authorization, Accept: accept } })).status).toBe(406)
    },
  ) // biome-ignore format: a list

  test.each(['application/jsonl', 'application/ndjson'])('%s is NDJSON, under the requested name', async type => {
    const pages = await Promise.all(
      [type, 'application/x-ndjson'].map(async Accept => {
        const response = await client.request({ pageSize: '2' }, { Accept })
        const lines = (await response.text()).trimEnd().split('\n')
        return { tag: response.headers.get('ETag'), lines: lines.slice(0, -1) }
      }),
    )
    expect(pages[0]!.lines).toHaveLength(2)
    expect(pages[0]).toEqual(pages[1]!)
  })

  test('D4: "401 is decided before anything that could be a 400" or a 406', async () => {
    const stranger = new ExportClient(service, await createTestKey(sql, { programs: ['another'] }), slug)
    expect((await stranger.refusal({}, { Accept: 'text/html' })).status).toBe(401)
  })

  test('D25: HEAD has the header fields of GET in each format', async () => {
    for (const type of exportTypes) {
      const headers = { Authorization: key.authorization, Accept: type }
      const head = await service.get(`/api/v1/admin/programs/${slug}/applications`, { method: 'HEAD', headers })
      expect([head.status, await head.text(), head.headers.get('Content-Length')]).toEqual([200, '', null])
      const { response } = await bodyOf(type)
      for (const field of ['Content-Type', 'Vary', 'Cache-Control', 'Snapshot-Time'])
        expect(head.headers.get(field)).toBe(response.headers.get(field)!)
    }
  })
})

describe('the same applications in each format', () => {
  test('NDJSON: each line is byte for byte the object of the JSON page, except for characters that readers take for line ends', async () => {
    const { text: json } = await bodyOf('application/json')
    const { text } = await bodyOf('application/x-ndjson')
    const lines = text.split('\n')
    expect(lines.pop()).toBe('')
    const sha256 = createHash('sha256')
      .update(
        lines
          .slice(0, -1)
          .map(line => `${line}\n`)
          .join(''),
      )
      .digest('hex')
    expect(lines.pop()).toBe(`{"nextPageToken":null,"count":${hostile.length},"sha256":"${sha256}"}`)
    expect(inOneLine(json)).toBe(`{"payload":[${lines.join(',')}],"nextPageToken":null}`)
  })

  test('CSV: each top-level answer of each type is in its column, as in JSON', async () => {
    const { page } = await client.page()
    const { records, columns } = readCsvPage((await bodyOf('text/csv')).text)
    expect(records.map(record => Object.fromEntries(Object.entries(record).map(([column, cell]) => [column, textOf(cell)])))).toEqual(page.payload.map(csvRecordOf))
    expect(columns.slice(0, 15)).toEqual(['next_page_token', 'application_id', 'applicant_id', 'program_name', 'program_version_id', 'submit_time', 'create_time', 'revision_state', 'status', 'status_last_modified_time', 'application_note', 'language', 'submitter_type', 'ti_email', 'ti_organization'])
    // "The object contains every question that has ever been in the program", and its columns are in the order of first publication.
    expect(columns).toContain('last_words.text')
    expect(columns.indexOf('last_words.text')).toBe(columns.length - 1)
    expect(columns).toContain('household_member.entities')
    expect(columns.filter(column => column.includes('member_job'))).toEqual([])
  }) // biome-ignore format: long

  test('CSV, OWASP "CSV Injection": no cell begins like a formula unless it is a number', async () => {
    const { records } = readCsvPage((await bodyOf('text/csv')).text)
    const cells = records.flatMap(record => Object.values(record)).filter(cell => cell !== null)
    expect(cells.filter(cell => cell.startsWith("'=")).length).toBeGreaterThan(20)
    for (const cell of cells) if (/^[=+\-@\t\r\n＝＋－＠]/.test(cell)) expect(cell).toMatch(/^[+-][0-9]+(\.[0-9]+)?$/)
    expect(cells).toContain('+12064386161')
    expect(cells).toContain('-122.3301')
  })

  test('a walk continues in any format, with the same applications for a token', async () => {
    const expected = (await client.walkAll()).map(a => a.application_id)
    for (const pageSize of ['1', '3', '7', '10', '1000']) {
      const ids: number[] = []
      let token: string | null | undefined
      for (let page = 0; token !== null; page++) {
        const parameters: Record<string, string> = token === undefined ? { pageSize } : { nextPageToken: token }
        const pages: ReadPage[] = []
        for (const type of exportTypes) pages.push(read(type, (await bodyOf(type, parameters)).text))
        for (const { ids, nextPageToken } of pages) {
          expect(ids).toEqual(pages[0]!.ids)
          expect(nextPageToken === null).toBe(pages[0]!.nextPageToken === null)
        }
        ids.push(...pages[0]!.ids)
        token = pages[page % exportTypes.length]!.nextPageToken
      }
      expect(ids).toEqual(expected)
    }
  })

  test('D6: a granted program without submissions gets a 200 with an empty payload and a null token', async () => {
    await aProgram(sql, { slug: 'unused', questions: [q.text('unused text')] })
    const reader = new ExportClient(service, await createTestKey(sql, { programs: ['unused'] }), 'unused')
    const bodies = await Promise.all(exportTypes.map(async type => (await reader.request({}, { Accept: type })).text()))
    expect(bodies[0]).toBe('{"payload":[],"nextPageToken":null}')
    // D35: "A program without submissions has `Snapshot-Time: 1900-01-01T00:00:00Z`".
    expect((await reader.request()).headers.get('Snapshot-Time')).toBe('1900-01-01T00:00:00Z')
    expect(bodies[1]).toBe(`{"nextPageToken":null,"count":0,"sha256":"${createHash('sha256').digest('hex')}"}\n`)
    expect(readCsvPage(`\ufeff${bodies[2]}`)).toMatchObject({ records: [], nextPageToken: null })
  })

  test('CSV begins with a byte order mark, without which Excel garbles names', async () => {
    const response = await client.request({ pageSize: '1' }, { Accept: 'text/csv' })
    expect(Buffer.from(await response.arrayBuffer()).subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
  })
})

describe('G9: "Never a partial 200 that parses"', () => {
  test.each([...exportTypes])('%s, cut after any byte, is not complete', async type => {
    for (const parameters of [{}, { pageSize: '3' }] as Record<string, string>[]) {
      const { text } = await bodyOf(type, parameters)
      const bytes = Buffer.from(text)
      const whole = read(type, text)
      expect(whole.ids.length).toBe(parameters.pageSize === '3' ? 3 : hostile.length)
      for (let length = 0; length < bytes.length; length += length < bytes.length - 900 ? 97 : 1) {
        expect(() => read(type, bytes.toString('utf8', 0, length))).toThrow()
      }
    }
  })
})

test('"per export: which key, which walk, filters …": the audit log and the log have the format', async () => {
  const key = await createTestKey(sql, { programs: [slug] })
  const reader = new ExportClient(service, key, slug)
  for (const format of Object.keys(pageFormats) as ExportFormat[]) {
    const response = await reader.request({ pageSize: '2', format })
    const { length } = await response.arrayBuffer().then(body => new Uint8Array(body))
    const id = response.headers.get('X-Request-Id')!
    expect(await until('the log line', () => service.requestLine(id))).toMatchObject({ format, bytes: length })
    const [event] = await until('the audit event', async () => {
      const events = await sql<{ detail: Record<string, unknown> }[]>`
        select detail from audit_event where action = 'applications_exported' and detail->>'request_id' = ${id}`
      return events.length > 0 && events
    })
    expect(event!.detail).toMatchObject({ format, applications: 2, outcome: 'complete' })
  }
})

describe('Content-Digest (RFC 9530)', () => {
  const sha256 = (bytes: ArrayBuffer): string =>
    `sha-256=:${createHash('sha256').update(new Uint8Array(bytes)).digest('base64')}:`

  test('is sent with a page in one piece if requested, over the bytes as sent', async () => {
    for (const type of exportTypes) {
      for (const coding of ['identity', 'gzip', 'zstd']) {
        const fields = { Authorization: key.authorization, Accept: type, 'Accept-Encoding': coding }
        const address = `/api/v1/admin/programs/${slug}/applications?pageSize=2`
        const headers = { ...fields, 'Want-Content-Digest': 'sha-256=1' }
        const wanted = await service.get(address, { headers, decompress: false } as RequestInit)
        expect(wanted.headers.get('Content-Digest')).toBe(sha256(await wanted.arrayBuffer()))
        const unasked = await service.get(address, { headers: fields, decompress: false } as RequestInit)
        expect(unasked.headers.get('Content-Digest')).toBeNull()
      }
    }
  })

  test('is not sent with a streamed page, whose bytes are not known in time', async () => {
    const slug = 'streamed'
    const program = await insertRawProgram(sql, slug)
    await insertRawApplications(sql, program, 30, () => 'x'.repeat(10_000))
    const reader = new ExportClient(service, await createTestKey(sql, { programs: [slug] }), slug)
    const response = await reader.request({}, { 'Want-Content-Digest': 'sha-256=1', 'Accept-Encoding': 'identity' })
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(300_000)
    expect(response.headers.get('Content-Digest')).toBeNull()
  })
})
