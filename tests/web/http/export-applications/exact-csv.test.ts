// CSV for software (D49, `format=exact-csv`): read by DuckDB as EXPORT.md describes, compared with the walk value by value, and never taken for
// complete when it is not.

import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { annotate } from '../../../../src/core/applications/annotate.ts'
import { eraseApplicant } from '../../../../src/core/applications/erase.ts'
import { stalledReader } from '../../../support/bare-reader.ts'
import { unlimited } from '../../../support/config.ts'
import { type CsvRecord, csvRecordOf, readExactCsvPage } from '../../../support/csv-page.ts'
import { ExportClient } from '../../../support/export-client.ts'
import { endWithFile, useDatabase, useExport, useFolder, useService } from '../../../support/fixtures.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { createTestKey } from '../../../support/keys.ts'
import { findNeeded, needs } from '../../../support/needs.ts'
import { aProgram, everyKind } from '../../../support/programs.ts'
import { damageApplications, insertRawApplications, insertRawProgram } from '../../../support/raw-applications.ts'
import { until } from '../../../support/until.ts'

const slug = 'for-programs'
const pageSizeMax = 8
const database = await useDatabase()
const { sql } = database
const { program_id } = await aProgram(sql, { slug, questions: everyKind, statuses: ['=1+1'] })
const service = await useService(database, { ...unlimited, maxPageSize: pageSizeMax })
const key = await createTestKey(sql, { programs: [slug], maySubmit: true })
const client = new ExportClient(service, key, slug)
const frontEnd = new FrontEnd(service, key, slug)
const folder = await useFolder()
const duck = await (await DuckDBInstance.create(':memory:')).connect()
endWithFile(async () => duck.disconnectSync())

const texts = [
  '=1+1', '=HYPERLINK("https://evil.example","x")', '+1', '-1+2', '@SUM(A1)', '\t=1', '＝1', "'tis", "''", '0042', '00501', '1e5', '2026-01-31',
  'TRUE', 'NULL', 'NaN', 'a,b;c\\', 'say "hi"', '"', '""', 'two\r\nlines', 'two\nlines', '\r', '\n"\r\n,', '  spaces  ', 'é\u2028🏠 東京', 'a\ufeffmark', '', 'none', '#no comment',
] // biome-ignore format: a list
const applicants: number[] = []
for (const [i, text] of texts.entries()) {
  const applicant = await frontEnd.register()
  applicants.push(applicant)
  const { application_id } = await frontEnd.apply(applicant, {
    applicant_name: { first_name: 'Ana', last_name: '=Núñez' },
    ...(text === '' ? {} : { anything_else: { text } }),
    contact_phone: { phone_number: '+12064386161' },
    monthly_rent: { currency_dollars: i + 0.05 },
    household_size: { number: i + 1 },
    utilities: { selections: i % 2 === 0 ? ['power', 'gas'] : ['gas'] },
    service_location: { selections: ['Old Town', 'north-1'] },
    home_address: { street: text || 'x', city: 'Holtsville', state: 'NY', zip: '00501', corrected: 'Corrected', latitude: '47.6', longitude: '-122.3301', well_known_id: '4326', service_area: 'Seattle_InArea_1709069741' },
  })
  const now = 1_790_000_000_123_456
  if (i % 3 === 0)
    await annotate(sql, { program_id, application_id, status: '=1+1', note: text, actor: 'admin:test', now, timeZone: 'UTC' })
} // biome-ignore format: side by side

const asked = { format: 'exact-csv', pageSize: String(pageSizeMax) }
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

/** The rows of a page, read from a file with the options in EXPORT.md. */
async function readByDuck(bytes: Uint8Array): Promise<CsvRecord[]> {
  const file = join(folder, 'page.csv')
  await Bun.write(file, bytes)
  const reader =
    await duck.runAndReadAll(`FROM read_csv('${file}', header = true, all_varchar = true, delim = ',', quote = '"',
    escape = '"', new_line = '\\r\\n', nullstr = '', allow_quoted_nulls = false)`)
  return reader.getRowObjectsJson() as CsvRecord[]
}

test('DuckDB reads every value of every page as in the walk, with the count and token in the headers', async () => {
  const rows: CsvRecord[] = []
  const counts: number[] = []
  let [walk, token]: [string | null, string] = [null, '']
  while (token !== 'none') {
    const response: Response = await client.request(token === '' ? asked : { nextPageToken: token })
    expect(response.status).toBe(200)
    walk ??= response.headers.get('Walk-Token')
    const bytes = await bytesOf(response)
    expect(bytes.subarray(0, 15).toString()).toBe('application_id,')
    const page = await readByDuck(bytes)
    expect(response.headers.get('Application-Count')).toBe(String(page.length))
    counts.push(page.length)
    rows.push(...page)
    token = response.headers.get('Next-Page-Token')!
  }
  expect(counts).toEqual([8, 8, 8, 6])
  const expected = (await client.walkAll()).map(csvRecordOf)
  expect(rows).toEqual(expected)
  expect(rows.map(row => row['anything_else.text'])).toEqual(texts.map(text => text || null))
  // The receipt is of the same applications, and is checked without anything of ours.
  const receipt = await service.get(`/api/v1/admin/programs/${slug}/receipt?walk=${walk}`, {
    headers: { Authorization: key.authorization },
  })
  const digest = createHash('sha256')
    .update(rows.map(row => `${row.application_id}\n`).join(''))
    .digest('hex')
  expect(await receipt.json()).toMatchObject({ applications: texts.length, sha256: digest })
})

test('a page for spreadsheets differs only in the byte order mark, the token column, the last record and apostrophes', async () => {
  const raw = (await bytesOf(await client.request(asked))).toString()
  const sheet = (await bytesOf(await client.request({ ...asked, format: 'csv' }))).toString()
  const withoutGuards = sheet
    .replace('\ufeffnext_page_token,', '')
    .replaceAll(/\r\n(?:,|"[0-9A-Za-z]+",*\r\n$)/g, '\r\n')
    .replaceAll(/(?<=[,\n]")'/g, '')
  expect(withoutGuards).toBe(raw)
})

describe('a client that may not know about pages', () => {
  test('gets the whole export or an error, never its first page alone', async () => {
    const { status, codes } = await client.refusal({ format: 'exact-csv' })
    expect([status, codes]).toEqual([400, { pageSize: 'more_than_one_page' }])
    const [first] = (await client.page()).page.payload
    const toDate = new Date(Date.parse(first!.submit_time) - 1000).toISOString()
    const empty = await client.request({ format: 'exact-csv', toDate })
    expect([empty.status, empty.headers.get('Application-Count'), empty.headers.get('Next-Page-Token')]).toEqual([200, '0', 'none'])
    expect(readExactCsvPage(await empty.text(), empty.headers)).toMatchObject({ records: [], nextPageToken: null })
  }) // biome-ignore format: long

  test('gets the complete export if it exactly fills a page', async () => {
    const { client, ids } = await useExport({ applications: 5, config: { ...unlimited, maxPageSize: 5 } })
    const response = await client.request({ format: 'exact-csv' })
    const { records, nextPageToken } = readExactCsvPage((await bytesOf(response)).toString(), response.headers)
    expect([records.map(row => Number(row.application_id)), nextPageToken]).toEqual([ids, null])
  })
})

describe('G9: a page that is not complete', () => {
  test('lacks its last line end or has fewer records than announced, wherever it is cut', async () => {
    for (const parameters of [asked, { ...asked, fields: 'household_size' }]) {
      const response = await client.request(parameters)
      const bytes = await bytesOf(response)
      expect(readExactCsvPage(bytes.toString(), response.headers).records).toHaveLength(pageSizeMax)
      for (let length = 0; length < bytes.length; length++)
        expect(() => readExactCsvPage(bytes.toString('utf8', 0, length), response.headers)).toThrow()
    }
  })

  test('resets the connection, and has fewer records than announced', async () => {
    const { reader, announced } = await damaged('broken')
    const response = await reader.request({ format: 'exact-csv' })
    expect([response.status, response.headers.get('Application-Count')]).toEqual([200, announced])
    await expect(response.arrayBuffer()).rejects.toThrow()
  })

  test.skipIf(!needs('curl'))('is reported as an error by curl', async () => {
    const { authorization, url } = await damaged('broken-for-curl')
    const headers = ['-H', `Authorization: ${authorization}`]
    const curl = Bun.spawn([findNeeded('curl')!, '-sS', '--fail', ...headers, '-o', join(folder, 'cut.csv'), url], { stderr: 'ignore' })
    // 18 is a partial file, 56 a failure while receiving.
    expect([18, 56]).toContain(await curl.exited)
  }) // biome-ignore format: long

  test.skipIf(!needs('python3'))('is reported as an error by urllib, with which pandas reads URLs', async () => {
    const { authorization, url } = await damaged('broken-for-python')
    const program = `import sys, urllib.request, http.client
request = urllib.request.Request(sys.argv[1], headers={"Authorization": sys.argv[2]})
try:
    urllib.request.urlopen(request).read()
except (http.client.IncompleteRead, ConnectionError):
    sys.exit(3)`
    expect(await Bun.spawn([findNeeded('python3')!, '-c', program, url, authorization]).exited).toBe(3)
  })

  test('is broken off if one of its applications is erased before it is read', async () => {
    const slug = 'erased-from'
    const program = await insertRawProgram(sql, slug)
    // More than the buffers of any socket between service and client take.
    await insertRawApplications(sql, program, 300, () => 'x'.repeat(100_000))
    const [last] = await sql<{ applicant_id: number }[]>`
      select applicant_id from application where program_id = ${program.program_id} order by submit_seq desc limit 1`
    const service = await useService(database, { ...unlimited, releaseAfterMs: 20 })
    const { authorization } = await createTestKey(sql, { programs: [slug] })
    const path = `/api/v1/admin/programs/${slug}/applications?format=exact-csv`
    const reader = await stalledReader({ port: service.port, path, authorization })
    await until('the cursor to be released', async () => {
      const open = await sql`
        select from pg_stat_activity
        where datname = current_database() and application_name like 'test-export %' and xact_start is not null and query ~ 'annotations'`
      return open.length === 0
    })
    await eraseApplicant(sql, last!.applicant_id, { reason: 'test', actor: 'admin:test' })
    reader.socket.resume()
    await until('the connection to be closed', () => reader.closed)
    const response = Buffer.concat(reader.received).toString()
    expect(/^application-count: (\d+)/im.exec(response)![1]).toBe('300')
    expect(response).not.toEndWith('0\r\n\r\n')
    const [, id] = /^x-request-id: (.+)\r$/im.exec(response)!
    const line = await until('the log line', () => service.requestLine(id!))
    expect(line).toMatchObject({ outcome: 'failed', status: 200 })
    expect(line.applications).toBeLessThan(300)
  })
})

/** A program whose only page fails after most of its applications. */
async function damaged(slug: string) {
  const program = await insertRawProgram(sql, slug)
  await insertRawApplications(sql, program, 300, () => 'x'.repeat(30_000))
  await damageApplications(sql, program, 290)
  const service = await useService(database, unlimited)
  const { authorization } = await createTestKey(sql, { programs: [slug] })
  const reader = new ExportClient(service, { authorization }, slug)
  const url = `${service.baseUrl}/api/v1/admin/programs/${slug}/applications?format=exact-csv`
  return { reader, announced: '300', authorization, url }
}
