// The OData feed over HTTP: what it says of itself, its rows against the export's own, and how it refuses.

import { describe, expect, test } from 'bun:test'
import Ajv from 'ajv'
import { o } from 'odata'
import { xml2json } from 'odata-csdl'
import csdlSchema from 'odata-csdl/schemas/csdl.schema.json'
import { annotate } from '../../../../src/core/applications/annotate.ts'
import { expectedTables } from '../../../as-shipped/pulled-tables.ts'
import type { Question } from '../../../as-shipped/truth.ts'
import { unlimited } from '../../../support/config.ts'
import { ExportClient, type ExportedApplication } from '../../../support/export-client.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { printedByClient } from '../../../support/generated-client.ts'
import { createTestKey } from '../../../support/keys.ts'
import { asPulled, declaredIn, type FeedPage, type FeedRow, walkFeed } from '../../../support/odata-feed.ts'
import { aProgram, everyKind, q } from '../../../support/programs.ts'

const slug = 'every-kind'
const timeZone = 'America/New_York'
const root = `/odata/v1/${slug}`

const database = await useDatabase({ timeZone, connectionsMax: 30 })
const { sql } = database
const statuses = ['Approved']
const { program_id } = await aProgram(sql, { slug, questions: everyKind, statuses })
const service = await useService(database, { timeZone, maxPageSize: 5, ...unlimited })
const key = await createTestKey(sql, { programs: [slug], maySubmit: true })
const client = new ExportClient(service, key, slug)
const frontEnd = new FrontEnd(service, key, slug)

const hostile = [
  '"',
  '\\',
  ';',
  '\\;',
  '"},{"',
  ']}',
  '\u0000\u0001\u0002',
  'é\u2028🏠',
  '=1+1',
  'x'.repeat(2000),
  '\r\n',
]
const first = await frontEnd.register()
for (const [i, text] of hostile.entries()) {
  const applicant_name = { first_name: text, last_name: 'b' }
  const answers = {
    applicant_name,
    anything_else: { text },
    monthly_rent: { currency_dollars: i + 3.5 },
    household_size: { number: i + 1 },
    date_of_birth: { date: '1990-02-03' },
    utilities: { selections: i % 2 === 0 ? ['power', 'gas'] : [] },
    proof_of_income: { file_urls: [`https://files.example/${i};a`, 'https://files.example/b'] },
    household_member: {
      entities: Array.from({ length: i % 4 }, (_, n) => ({
        entity_name: `${text.slice(0, 10)}${n}`,
        ...(i < 10 && {
          member_job: {
            entities: [{ entity_name: ']}', monthly_pay: { currency_dollars: n } }, { entity_name: text.slice(0, 9) }],
          },
        }),
      })),
    },
  }
  const applicant = i % 4 === 3 ? first : await frontEnd.register()
  const { application_id } = await frontEnd.apply(applicant, i === 6 ? { applicant_name } : answers)
  if (i % 3 === 0)
    await annotate(sql, { program_id, application_id, status: 'Approved', note: `of ${i}`, actor: 'admin:test', now: 1_790_000_000_123_456, timeZone })
  // The program shrinks, and grows again.
  if (i === 5) await aProgram(sql, { slug, statuses, questions: [everyKind[1]!, q.text('last words', { optional: true })] })
  if (i === 6) await aProgram(sql, { slug, statuses, questions: [q.text('last words', { optional: true }), ...everyKind] })
  // The last application is to a version that has an enumerator without the one in it.
  if (i === 9) await aProgram(sql, { slug, statuses, questions: [...everyKind.slice(0, -1), q.enumerator('household member', [], { optional: true })] })
} // biome-ignore format: side by side

const ask = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  service.get(path, { headers: { Authorization: key.authorization, ...headers } })
const textOf = async (path: string): Promise<string> => {
  const response = await ask(path)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`)
  return text
}
const pageOf = async (path: string): Promise<FeedPage> => JSON.parse(await textOf(path))

interface Refused {
  status: number
  error: {
    code: string
    message: string
    details: { code: string; target: string }[]
    innererror: { request_id: string }
  }
}
async function refused(path: string, headers: Record<string, string> = {}): Promise<Refused> {
  const response = await ask(path, headers)
  expect(response.headers.get('OData-Version')).toBe('4.0')
  expect(response.headers.get('Content-Type')).toBe('application/json;odata.metadata=minimal')
  const { error } = (await response.json()) as Pick<Refused, 'error'>
  expect(error.innererror.request_id).toBe(response.headers.get('X-Request-Id') ?? '')
  return { status: response.status, error }
}

const exported: ExportedApplication[] = []
for await (const { page } of client.walk()) exported.push(...page.payload)
const jobs: Question = { key: 'member_job', adminName: '', kind: 'ENUMERATOR', repeated: [] }
const members: Question = { key: 'household_member', adminName: '', kind: 'ENUMERATOR', repeated: [jobs] }
const tables = expectedTables('feed', exported, [members]) as Record<string, unknown[]>
const sets = {
  Applications: '',
  household_member: 'household_member',
  household_member__member_job: 'household_member.member_job',
}

describe('service document and metadata', () => {
  test('the service document lists each table under the requested address, with and without a trailing slash', async () => {
    for (const path of [root, `${root}/`]) {
      const response = await ask(path)
      expect(response.headers.get('OData-Version')).toBe('4.0')
      expect(response.headers.get('Content-Type')).toBe('application/json;odata.metadata=minimal')
      expect(response.headers.get('Cache-Control')).toBe('no-store')
      expect(await response.json()).toEqual({
        '@odata.context': `${service.baseUrl}${root}/$metadata`,
        value: Object.keys(sets).map(name => ({ name, kind: 'EntitySet', url: name })),
      })
    }
  })

  test('the metadata is valid CSDL by the OASIS schema, and every reference in it resolves', async () => {
    const response = await ask(`${root}/$metadata`)
    expect(response.headers.get('Content-Type')).toBe('application/xml')
    expect(response.headers.get('OData-Version')).toBe('4.0')
    const xml = await response.text()
    expect(await textOf(`${root}/%24metadata`)).toBe(xml)
    const messages: unknown[] = []
    const csdl = xml2json(xml, { strict: true, messages })
    expect(messages).toEqual([])
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(csdlSchema)
    expect([validate(csdl), validate.errors]).toEqual([true, null])
    expect(validate({ ...csdl, $Version: 'x' })).toBe(false)
    const schema = csdl.Tributary
    for (const { $Collection, $Type } of Object.values(schema.Feed1).filter(value => typeof value === 'object') as { $Collection: boolean; $Type: string }[]) {
      expect($Collection).toBe(true)
      const type = schema[$Type.slice('Tributary.'.length)]
      expect(type.$Kind).toBe('EntityType')
      for (const name of type.$Key) expect(type[name].$Nullable).toBeUndefined()
    }
    for (const [, columns] of declaredIn(xml))
      for (const name of columns.keys()) expect(name).toMatch(/^[\p{L}_][\p{L}\p{N}_]{0,127}$/u)
  })

  test('each row has exactly the declared columns with values of their types', async () => {
    const declared = declaredIn(await textOf(`${root}/$metadata`))
    const forms: Record<string, RegExp> = {
      'Edm.Int64': /^-?\d+$/,
      'Edm.Decimal': /^-?\d+(\.\d\d?)?$/,
      'Edm.Date': /^"\d{4}-\d\d-\d\d"$/,
      'Edm.DateTimeOffset': /^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d"$/,
      'Edm.String': /^"/,
    }
    const seen = new Set<string>()
    for (const name of Object.keys(sets)) {
      const columns = declared.get(name)!
      for (const row of await walkFeed(textOf, `${root}/${name}`)) {
        expect(Object.keys(row)).toEqual([...columns.keys()])
        for (const [column, type] of columns) {
          if (row[column] === null) continue
          seen.add(type)
          expect(type === 'Edm.Decimal').toBe(column.endsWith('__currency_dollars'))
          expect(JSON.stringify(row[column])).toMatch(forms[type]!)
        }
      }
    }
    expect([...seen].sort()).toEqual(Object.keys(forms).sort())
  })
}) // biome-ignore format: side by side

describe('its rows', () => {
  test.each(Object.entries(sets))(
    '%s has the same content as the export, in the tables of tributary pull',
    async (name, table) => {
      expect(asPulled(await walkFeed(textOf, `${root}/${name}`))).toEqual(tables[table] as never)
      expect(tables[table]!.length).toBeGreaterThan(5)
    },
  )

  test('the feed is read by an independent client', async () => {
    const feed = (url: string) => o(url, { headers: { Authorization: key.authorization } })
    expect(await feed(`${service.baseUrl}${root}/`).get('').query()).toHaveLength(3)
    const filter = "revision_state eq 'CURRENT'"
    const current = await feed(`${service.baseUrl}${root}/`).get('Applications').query({ $filter: filter, $top: 2 })
    expect(current.map((row: FeedRow) => row.revision_state)).toEqual(['CURRENT', 'CURRENT'])
    const ids: number[] = []
    let page = await feed(`${service.baseUrl}${root}/`).get('Applications').fetch({ $select: 'application_id' })
    for (;;) {
      const body = (await (page as Response).json()) as FeedPage
      ids.push(...body.value.map(row => Number(row.application_id)))
      const next = body['@odata.nextLink']
      if (next === undefined) break
      page = await feed(next).get('').fetch()
    }
    expect(ids).toEqual(exported.map(({ application_id }) => application_id))
  })

  test('the feed is read by a client generated from the metadata, which compiles', async () => {
    const program = `
      import { client, type GetApplicationsResult } from './client.ts'
      const init = { headers: { Authorization: '${key.authorization}' } }
      const $select = ['application_id', 'submit_time', 'monthly_rent__currency_dollars'] as const
      const page: GetApplicationsResult = await client.getApplications({ query: { $select: [...$select], $top: 3 } }, init)
      const rents = page.value!.map(({ application_id, monthly_rent__currency_dollars: rent }) => [application_id, rent])
      const inner = await client.getHouseholdMember({ query: { $filter: "revision_state eq 'CURRENT'", $top: 2 } }, init)
      const parents: (string | undefined)[] = inner.value!.map(({ entity_key }) => entity_key)
      // @ts-expect-error the feed has no such column
      page.value!.map(({ rent }) => rent)
      console.log(JSON.stringify({ rents, parents }))
    `
    const metadata = await textOf(`${root}/$metadata`)
    const printed = JSON.parse(await printedByClient(metadata, `${service.baseUrl}${root}`, program))
    const { value } = await pageOf(`${root}/household_member?$filter=revision_state eq 'CURRENT'&$top=2`)
    const rents = exported
      .slice(0, 3)
      .map(({ application_id, application }) => [
        application_id,
        (application.monthly_rent as { currency_dollars: number | null }).currency_dollars,
      ])
    expect(printed).toEqual({ rents, parents: value.map(row => row.entity_key) })
  }, 60_000)

  test('a page links to the next, and has the number of rows if requested', async () => {
    const page = await pageOf(`${root}/Applications?$count=true`)
    expect(Object.keys(page)).toEqual(['@odata.context', '@odata.count', 'value', '@odata.nextLink'])
    expect([page['@odata.count'], page.value.length]).toEqual([exported.length, 5])
    expect(page['@odata.nextLink']).toMatch(
      new RegExp(`^${service.baseUrl}${root}/Applications\\?\\$skiptoken=[0-9A-Za-z]+$`),
    )
    const counted = await pageOf(`${root}/Applications?$count=true&$top=0&$filter=revision_state eq 'OBSOLETE'`)
    const obsolete = exported.filter(application => application.revision_state === 'OBSOLETE')
    expect(counted).toEqual({ '@odata.context': expect.any(String), '@odata.count': obsolete.length, value: [] })
  })

  test('$count alone is text for any Accept header, and $top and $orderby do not change it', async () => {
    const current = exported.filter(application => application.revision_state === 'CURRENT')
    const counts: [string, number][] = [
      ['$count', exported.length],
      ['%24count', exported.length],
      ['$count?$top=2&$orderby=submit_time', exported.length],
      ["$count?$filter=revision_state eq 'CURRENT'", current.length],
      [`$count?$filter=application_id le ${exported[3]!.application_id}&$top=1`, 4],
      ['$count?$filter=submit_time lt 1990-01-01T00:00:00Z', 0],
    ]
    for (const [path, count] of counts)
      for (const headers of [{}, { Accept: 'application/json' }] as Record<string, string>[]) {
        const response = await ask(`${root}/Applications/${path}`, headers)
        expect([path, response.status, await response.text()]).toEqual([path, 200, String(count)])
        expect(response.headers.get('Content-Type')).toBe('text/plain')
        expect(response.headers.get('OData-Version')).toBe('4.0')
        expect(response.headers.get('Snapshot-Time')).toBe(
          (await ask(`${root}/Applications`)).headers.get('Snapshot-Time'),
        )
      }
    const head = await service.get(`${root}/Applications/$count`, {
      method: 'HEAD',
      headers: { Authorization: key.authorization },
    })
    expect([head.status, head.headers.get('Content-Type'), await head.text()]).toEqual([200, 'text/plain', ''])
    const counted = await o(`${service.baseUrl}${root}/`, { headers: { Authorization: key.authorization } })
      .get('Applications/$count')
      .fetch({ $filter: "revision_state eq 'CURRENT'" })
    expect(await (counted as Response).text()).toBe(String(current.length))
  })

  test('$metadata marks each table of entities as not countable', async () => {
    const csdl = xml2json(await textOf(`${root}/$metadata`), {}) as Record<string, Record<string, unknown>>
    const container = csdl.Tributary!.Feed1 as Record<string, Record<string, unknown>>
    const term = '@Org.OData.Capabilities.V1.CountRestrictions'
    for (const name of Object.keys(sets))
      expect([name, container[name]![term]]).toEqual([name, name === 'Applications' ? undefined : { Countable: false }])
  })

  test('$select returns the chosen columns and the key on every page', async () => {
    const path = `${root}/Applications?$select=monthly_rent__currency_dollars,submit_time`
    const page = await pageOf(path)
    expect(page['@odata.context']).toEndWith('#Applications(application_id,submit_time,monthly_rent__currency_dollars)')
    const rows = await walkFeed(textOf, path)
    expect(rows.map(row => Object.keys(row).join())).toEqual(
      rows.map(() => 'application_id,submit_time,monthly_rent__currency_dollars'),
    )
    expect(rows.map(row => row.application_id)).toEqual(exported.map(application => application.application_id))
  })

  test('$top limits the rows over all pages, not the applications', async () => {
    for (const name of Object.keys(sets)) {
      const all = await walkFeed(textOf, `${root}/${name}`)
      for (const top of [0, 1, 3, 5, 7, all.length, all.length + 1])
        expect(await walkFeed(textOf, `${root}/${name}?$top=${top}`)).toEqual(all.slice(0, top))
    }
    expect(await walkFeed(textOf, `${root}/Applications?$top=4`)).toHaveLength(4)
  })

  test('Prefer: odata.maxpagesize makes pages smaller, never larger', async () => {
    for (const [size, expected, applied] of [
      ['odata.maxpagesize=2', 2, 'odata.maxpagesize=2'],
      ['maxpagesize=3', 3, 'maxpagesize=3'],
      ['odata.maxpagesize=100', 5, null],
      ['odata.maxpagesize=0', 5, null],
      ['odata.maxpagesize=x', 5, null],
    ] as const) {
      const response = await ask(`${root}/Applications`, { Prefer: size })
      expect([size, response.headers.get('Preference-Applied')]).toEqual([size, applied])
      const page = (await response.json()) as FeedPage
      // The link keeps it.
      const next = await pageOf(page['@odata.nextLink']!.slice(service.baseUrl.length))
      expect([size, page.value.length, next.value.length]).toEqual([size, expected, expected])
    }
  })

  test('$filter on time, revision state and ID matches the export’s filters, with times as in the feed', async () => {
    const at = exported[4]!.submit_time
    const ms = (text: string): number => Date.parse(text)
    const later = new Date(ms(at) + 500).toISOString()
    const id = (i: number): number => exported[i]!.application_id
    const cases: [filter: string, holds: (application: ExportedApplication) => boolean][] = [
      [`submit_time ge ${at}`, application => ms(application.submit_time) >= ms(at)],
      [`submit_time gt ${at}`, application => ms(application.submit_time) > ms(at)],
      [`(submit_time le ${at})`, application => ms(application.submit_time) <= ms(at)],
      [`${at} gt submit_time`, application => ms(application.submit_time) < ms(at)],
      [`submit_time eq ${at}`, application => application.submit_time === at],
      [`submit_time ge ${later}`, application => ms(application.submit_time) >= ms(later)],
      [`submit_time eq ${later}`, () => false],
      ["revision_state eq 'CURRENT'", application => application.revision_state === 'CURRENT'],
      ["revision_state eq 'OTHER'", () => false],
      ["revision_state eq 'CURRENT' and revision_state eq 'OBSOLETE'", () => false],
      [`application_id eq ${exported[2]!.application_id}`, application => application === exported[2]],
      [`application_id eq ${exported[2]!.application_id} and submit_time lt 2020-01-01T00:00:00Z`, () => false],
      ['application_id eq 999999999', () => false],
      [`application_id gt ${id(3)}`, application => application.application_id > id(3)],
      [`application_id ge ${id(3)} and application_id lt ${id(8)} and application_id gt 0 and application_id le 999999999`, application => application.application_id >= id(3) && application.application_id < id(8)],
      [`${id(3)} lt application_id and (application_id le ${id(8)} and revision_state eq 'CURRENT')`, application => application.application_id > id(3) && application.application_id <= id(8) && application.revision_state === 'CURRENT'],
      [`application_id gt ${id(8)} and submit_time lt ${at}`, application => application.application_id > id(8) && ms(application.submit_time) < ms(at)],
      [`application_id gt ${id(2)}.5 and application_id lt ${id(4)}.5`, application => application.application_id > id(2) && application.application_id <= id(4)],
      [`application_id gt ${id(8)} and application_id lt ${id(8)}`, () => false],
      ['application_id ge -5 and application_id le 99999999999999999999999', () => true],
      ['application_id gt 99999999999999999999999', () => false],
      ['application_id lt -99999999999999999999999', () => false],
      [`submit_time ge ${at} and submit_time ge 2020-01-01T00:00:00Z`, application => ms(application.submit_time) >= ms(at)],
      [`${'('.repeat(16)}submit_time ge 2020-01-01T00:00:00Z${')'.repeat(16)}`, () => true],
      [`((submit_time ge 2020-01-01T00:00:00Z) and (submit_time lt ${at} and submit_time lt 2120-01-01T00:00:00Z and revision_state eq 'OBSOLETE'))`, application => ms(application.submit_time) < ms(at) && application.revision_state === 'OBSOLETE'],
    ] // biome-ignore format: side by side
    for (const [filter, holds] of cases) {
      const ids = exported.filter(holds).map(application => application.application_id)
      const rows = await walkFeed(textOf, `${root}/Applications?$filter=${encodeURIComponent(filter)}`)
      expect([filter, rows.map(row => row.application_id)]).toEqual([filter, ids])
      const inner = await walkFeed(textOf, `${root}/household_member?$filter=${encodeURIComponent(filter)}`)
      const known = new Set<unknown>(ids)
      const all = await walkFeed(textOf, `${root}/household_member`)
      expect([filter, inner]).toEqual([filter, all.filter(row => known.has(row.application_id))])
    }
  }, 120_000)
})

/** Headers as Power Query's engine sends them, which is in Excel and Power BI, and as Tableau does. */
const mashup = {
  'User-Agent': 'Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)',
  'OData-MaxVersion': '4.0',
}
const clients: Readonly<Record<string, Record<string, string>>> = {
  'Power BI': { ...mashup, Accept: 'application/json;odata.metadata=minimal', 'OData-Version': '4.0' },
  Excel: {
    ...mashup,
    Accept:
      'application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7',
    MaxDataServiceVersion: '3.0',
    Prefer: 'omit-values=nulls',
    'Accept-Encoding': 'gzip, deflate',
  },
  Tableau: {
    Accept: '*/*',
    'OData-MaxVersion': '4.01',
    MaxDataServiceVersion: '4.0',
    Prefer: 'odata.maxpagesize=2000',
  },
  'a script': { Accept: 'application/json' },
  'a client without use for metadata': { Accept: 'application/json;odata.metadata=none;odata.streaming=true' },
}
const allFields = (page: FeedPage): string => Object.keys(page.value[0]!).join()
const rowsOf = (page: FeedPage): number => page.value.length
const rowsAndLink = (page: FeedPage): unknown => [page.value.length, '@odata.nextLink' in page]

/** What is asked when a table is chosen, previewed, shaped and refreshed, as it is on the wire, and what is to be in the answer. */
const recorded: readonly [what: string, path: string, of: (page: FeedPage) => unknown, is: unknown][] = [
  ['a table, whole', '/Applications', rowsAndLink, [5, true]],
  ['a table of entities', '/household_member__member_job', page => page.value.length > 0, true],
  ['the schema of a preview', '/Applications?$top=0', rowsAndLink, [0, false]],
  ['a preview', '/Applications?$top=1000', rowsAndLink, [5, true]],
  ['Keep First Rows', '/household_member?$top=2', rowsAndLink, [2, false]],
  ['Choose Columns', '/Applications?$select=application_id%2Csubmit_time', allFields, 'application_id,submit_time'],
  ['Choose Columns without the key', '/household_member?$select=entity_name', allFields, 'entity_key,entity_name'],
  [
    'a partition of an incremental refresh',
    '/Applications?%24filter=submit_time%20ge%202020-01-01T00%3A00%3A00Z%20and%20submit_time%20lt%202120-02-01T00%3A00%3A00.0000000Z&%24select=application_id',
    rowsOf,
    5,
  ],
  [
    'the same of a table of entities',
    '/household_member?$filter=submit_time%20ge%202120-01-01T00:00:00Z%20and%20submit_time%20lt%202120-02-01T00:00:00Z',
    rowsOf,
    0,
  ],
  ['a filter with an offset', '/Applications?$filter=submit_time%20ge%202020-01-01T00:00:00+02:00', rowsOf, 5],
  [
    'what is new since an id',
    '/Applications?$filter=application_id%20gt%200%20and%20application_id%20le%20999999999&$top=1000',
    rowsOf,
    5,
  ],
  [
    'a filter of text',
    '/Applications?$filter=revision_state%20eq%20%27CURRENT%27&$select=revision_state',
    page => new Set(page.value.map(row => row.revision_state)),
    new Set(['CURRENT']),
  ],
  ['Sort Ascending', '/Applications?$orderby=submit_time', rowsOf, 5],
  ['Sort Ascending, of some rows', '/Applications?$orderby=submit_time%20asc&$top=3', rowsOf, 3],
  ['Count Rows', '/Applications?$count=true&$top=0', page => page['@odata.count'] === exported.length, true],
  ['a form by its name', '/Applications?$format=json', rowsOf, 5],
  ['a form by its type', '/Applications?$format=application%2Fjson%3Bodata.metadata%3Dminimal', rowsOf, 5],
]

describe.each(Object.entries(clients))('requests as %s makes them', (_, headers) => {
  const asked = async (path: string) => {
    const response = await ask(`${root}${path}`, headers)
    return { response, head: [response.status, response.headers.get('OData-Version'), response.headers.get('Content-Type')] }
  }
  const json = 'application/json;odata.metadata=minimal'

  test('the address returns a 401 for Basic without a key, and otherwise the tables with their metadata', async () => {
    const unknown = await service.get(root, { headers })
    expect([unknown.status, unknown.headers.get('WWW-Authenticate')]).toEqual([401, expect.stringContaining('Basic ')])
    for (const [path, type] of [['', json], ['/', json], ['/$metadata', 'application/xml'], ['/%24metadata', 'application/xml'], ['/$metadata?$format=xml', 'application/xml']]) {
      const { response, head } = await asked(path!)
      expect([path, ...head]).toEqual([path, 200, '4.0', type])
      await response.text()
    }
    const head = await service.get(`${root}/Applications`, { method: 'HEAD', headers: { Authorization: key.authorization, ...headers } })
    expect([head.status, head.headers.get('Content-Length'), await head.text()]).toEqual([200, null, ''])
    const preflight = await service.get(`${root}/Applications`, { method: 'OPTIONS', headers: { Authorization: key.authorization, ...headers } })
    expect([preflight.status, preflight.headers.get('Allow')]).toEqual([405, 'GET, HEAD'])
  })

  test.each(recorded)('%s', async (_, path, of, is) => {
    const { response, head } = await asked(path)
    expect(head).toEqual([200, '4.0', json])
    const text = await response.text()
    expect(text).toStartWith('{"@odata.context":')
    expect(of(JSON.parse(text))).toEqual(is)
  })

  test('links are followed unchanged to the last page', async () => {
    const rows = await walkFeed(async path => (await ask(path, headers)).text(), `${root}/Applications?$select=application_id%2Csubmit_time`)
    expect(rows.map(row => row.application_id)).toEqual(exported.map(application => application.application_id))
  })

  test('Sort Descending is refused with what is possible, so the client sorts', async () => {
    const { status, error } = await refused(`${root}/Applications?$orderby=submit_time%20desc`, headers)
    expect([status, error.details[0]?.target]).toEqual([501, '$orderby'])
  })
}) // biome-ignore format: as they are on the wire

describe('errors in the OData format', () => {
  test.each([
    ['$expand=household_member', 501, '$expand', /\$filter, \$select/],
    ['$search=x', 501, '$search', /\$filter, \$select/],
    ['$apply=aggregate($count as n)', 501, '$apply', /\$filter, \$select/],
    ['$skip=5', 501, '$skip', /\$filter, \$select/],
    ["$filter=contains(anything_else__text,'x')", 501, '$filter', /submit_time with ge/],
    ["$filter=anything_else__text eq 'x'", 501, '$filter', /character 1 .*revision_state eq/],
    ["$filter=revision_state eq 'CURRENT' or submit_time ge 2020-01-01T00:00:00Z", 501, '$filter', /character 29 on, "or"/],
    ["$filter=not (revision_state eq 'CURRENT')", 501, '$filter', /"not"/],
    ['$filter=submit_time ne null', 501, '$filter', /character 1 on/],
    ['$filter=submit_time ge', 400, '$filter', /incomplete/],
    ['$filter=submit_time ge 2020-01-01', 400, '$filter', /such as 2026-01-31T00:00:00Z/],
    ['$filter=submit_time ge 2020-13-01T00:00:00Z', 400, '$filter', /\b2020-13-01\b/],
    ["$filter=submittime ge 2020-01-01T00:00:00Z", 400, '$filter', /submittime at 1/],
    ['$filter=submit_time ~ 5', 400, '$filter', /from character 13 on/],
    [`$filter=${'('.repeat(17)}`, 400, '$filter', /more than 16/],
    [`$filter=${'x'.repeat(5000)}`, 400, '$filter', /longer than 4096/],
    ['$orderby=submit_time desc', 501, '$orderby', /submit_time/],
    ['$orderby=status', 501, '$orderby', /submit_time/],
    ['$select=nope', 400, '$select', /"nope"/],
    ['$top=-1', 400, '$top', /whole number/],
    ['$top=1&$top=2', 400, '$top', /2 times/],
    ['$count=yes', 400, '$count', /\btrue\b.*\bfalse\b/],
    ['filter=x', 400, 'filter', /\$filter/],
    ['$skiptoken=abc', 400, '$skiptoken', /\btoken\b/],
    ['$format=atom', 406, '$format', /odata.metadata=minimal/],
  ])('Applications?%s: %i', async (query, status, target, says) => {
    const { status: answered, error } = await refused(`${root}/Applications?${query}`)
    expect([answered, error.details.map(detail => detail.target)]).toEqual([status, [target]])
    // Excel and Power BI show the message alone.
    expect(error.message).toMatch(says)
  }) // biome-ignore format: a table

  test.each([
    ['/Nothing', 404],
    ['/applications', 404],
    ['/Applications(1)', 501],
    ['/Applications(1)/household_member', 501],
    ["/household_member('1:0')", 501],
    ['/household_member/$count', 501],
    ['/Nothing/$count', 404],
    ['/Applications/$count?$search=x', 501],
    ['/Applications/$count?$select=status', 400],
    ['/Applications/$count?$skiptoken=x', 400],
    ['/Applications/$count?$filter=submit_time ge', 400],
    ["/Applications/$count?$filter=anything_else__text eq 'x'", 501],
    ['/Applications/$count/more', 501],
    ['/$batch', 501],
    ['/household_member?$count=true', 501],
  ])('%s: %i', async (path, status) => {
    expect((await refused(`${root}${path}`)).status).toBe(status)
  })

  test('for headers that request another version or format, and for a changed link', async () => {
    expect((await refused(root, { 'OData-MaxVersion': '3.0' })).error.message).toMatch(/must be 4\.0 or higher/)
    expect((await refused(root, { Accept: 'application/atom+xml' })).status).toBe(406)
    expect((await refused(`${root}/$metadata?$format=json`)).status).toBe(406)
    const { '@odata.nextLink': link = '' } = await pageOf(`${root}/Applications`)
    const path = link.slice(service.baseUrl.length)
    for (const changed of ['$filter=application_id eq 1', '$orderby=submit_time', '$count=true'])
      expect((await refused(`${path}&${changed}`)).error.details[0]!.code).toBe('not_with_skiptoken')
    const changed = `${path.slice(0, -1)}${path.endsWith('a') ? 'b' : 'a'}`
    expect((await refused(changed)).error.details[0]!.code).toBe('page_token_invalid')
    const post = await service.get(`${root}/Applications`, {
      method: 'POST',
      headers: { Authorization: key.authorization },
    })
    expect([post.status, post.headers.get('Allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('for a walk of another program, as each program of a key has its own snapshot', async () => {
    await aProgram(sql, { slug: 'another', questions: [q.text('words')] })
    const both = await createTestKey(sql, { programs: [slug, 'another'] })
    for (const [of, rows] of [[slug, 5], ['another', 0], [slug, 5]] as const) {
      const response = await ask(`/odata/v1/${of}/Applications`, { Authorization: both.authorization })
      expect([of, ((await response.json()) as FeedPage).value.length]).toEqual([of, rows])
    } // biome-ignore format: side by side
    const { '@odata.nextLink': link = '' } = await pageOf(`${root}/Applications`)
    const path = link.slice(service.baseUrl.length).replace(slug, 'another')
    const { status, error } = await refused(path, { Authorization: both.authorization })
    expect([status, error.details[0]!.code]).toEqual([400, 'page_token_of_another_program'])
  })
})
