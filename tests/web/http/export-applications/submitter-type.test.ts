// The filter by who submitted, which only the stored text says, in every way to read a walk.

import { expect, test } from 'bun:test'
import { TributaryClient } from '../../../../src/clients/client/index.ts'
import { ExportClient } from '../../../support/export-client.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { createTestKey } from '../../../support/keys.ts'
import type { FeedPage } from '../../../support/odata-feed.ts'
import { aProgram, q } from '../../../support/programs.ts'
import { until } from '../../../support/until.ts'

const slug = 'submitted'
const database = await useDatabase()
const { sql } = database
const service = await useService(database)
await aProgram(sql, { slug, questions: [q.text('words')] })
const key = await createTestKey(sql, { programs: [slug], maySubmit: true })
const client = new ExportClient(service, key, slug)
const frontEnd = new FrontEnd(service, key, slug)
const intermediary = {
  type: 'TRUSTED_INTERMEDIARY',
  email: 'desk@example.gov',
  // As an applicant could write what the filter looks for.
  organization: '"submitter_type":"APPLICANT"',
}
for (let i = 0; i < 12; i++) {
  const words = { text: `,"submitter_type":"TRUSTED_INTERMEDIARY" ${i}` }
  await frontEnd.apply(await frontEnd.register(), { words }, i % 4 === 1 ? intermediary : undefined)
}
const all = await client.walkAll()
const byType = (type: string): number[] =>
  all.filter(application => application.submitter_type === type).map(application => application.application_id)
const types = [
  ['APPLICANT', 9],
  ['TRUSTED_INTERMEDIARY', 3],
] as const

const get = async (path: string, headers: Record<string, string> = {}): Promise<string> =>
  (await service.get(path, { headers: { Authorization: key.authorization, ...headers } })).text()

test.each(types)('a walk of %s has exactly these, in every format and through tokens', async (submitterType, count) => {
  const ids = byType(submitterType)
  expect(ids.length).toBe(count)
  for (const pageSize of ['1', '2', '1000'])
    expect((await client.walkAll({ submitterType, pageSize })).map(application => application.application_id)).toEqual(
      ids,
    )
  const path = `/api/v1/admin/programs/${slug}/applications?submitterType=${submitterType}`
  const lines = (await get(path, { Accept: 'application/x-ndjson' })).trim().split('\n')
  expect(lines.slice(0, -1).map(line => JSON.parse(line).application_id)).toEqual(ids)
  const records = (await get(path, { Accept: 'text/csv' })).trim().split('\r\n')
  expect(records.length).toBe(1 + count + 1)
  const typed = new TributaryClient({ baseUrl: service.baseUrl, username: key.username, password: key.password })
  const walked: number[] = []
  for await (const application of typed.applications(slug, { submitterType, pageSize: 2 }))
    walked.push(application.application_id)
  expect(walked).toEqual(ids)
})

test.each(types)(
  'an OData feed is filtered by submitter_type eq %s, through its links',
  async (submitterType, count) => {
    const found: unknown[] = []
    let path: string | undefined =
      `/odata/v1/${slug}/Applications?$count=true&$filter=submitter_type eq '${submitterType}'`
    for (let pages = 0; path !== undefined; pages++) {
      const page = JSON.parse(await get(encodeURI(path), { Prefer: 'odata.maxpagesize=2' })) as FeedPage
      if (pages === 0) expect(page['@odata.count']).toBe(count)
      found.push(...page.value.map(row => Number(row.application_id)))
      path = page['@odata.nextLink']?.slice(service.baseUrl.length)
    }
    expect(found).toEqual(byType(submitterType))
  },
)

test('with a revision state and a later submission of the same person, both filters apply as of the first page', async () => {
  const own = 'resubmitted'
  await aProgram(sql, { slug: own, questions: [q.text('words')] })
  const ownKey = await createTestKey(sql, { programs: [own], maySubmit: true })
  const [desk, reader] = [new FrontEnd(service, ownKey, own), new ExportClient(service, ownKey, own)]
  const applicant = await desk.register()
  const submitted: number[] = []
  for (const [who, submitter] of [
    [await desk.register(), intermediary],
    [await desk.register(), undefined],
    [await desk.register(), intermediary],
    [applicant, intermediary],
  ] as const) {
    const { application_id } = await desk.apply(who, { words: { text: 'by the desk' } }, submitter)
    if (submitter !== undefined) submitted.push(application_id)
  }
  const filters = { submitterType: 'TRUSTED_INTERMEDIARY', revisionState: 'CURRENT', pageSize: '2' }
  const walked: number[] = []
  for await (const { page } of reader.walk(filters, () => desk.apply(applicant, { words: { text: 'alone' } })))
    walked.push(...page.payload.map(application => application.application_id))
  expect(walked).toEqual(submitted)
  expect(
    (await reader.walkAll({ ...filters, revisionState: 'OBSOLETE' })).map(application => application.application_id),
  ).toEqual([submitted.at(-1)!])
})

test('the filter stays the same in a walk: another value with the token is refused, and the receipt has the same applications', async () => {
  const submitterType = 'TRUSTED_INTERMEDIARY'
  const { response, page } = await client.page({ submitterType, pageSize: '1' })
  const nextPageToken = page.nextPageToken!
  expect((await client.refusal({ nextPageToken, submitterType: 'APPLICANT' })).codes).toEqual({
    submitterType: 'differs_from_first_page',
  })
  expect((await client.page({ nextPageToken, submitterType })).page.payload.length).toBe(1)
  const walk = response.headers.get('Walk-Token')
  const receipt = JSON.parse(await get(`/api/v1/admin/programs/${slug}/receipt?walk=${walk}`))
  const { length } = await client.walkAll({ submitterType })
  expect(receipt).toMatchObject({ applications: length, filters: { submitter_type: submitterType, page_size: 1 } })
})

test('a first page has its own tag for each value, which causes a 304 only there', async () => {
  const tagOf = async (parameters: Record<string, string>) =>
    (await client.page(parameters)).response.headers.get('ETag')!
  const tag = await tagOf({ submitterType: 'APPLICANT' })
  expect(tag).not.toBe(await tagOf({}))
  const again = { 'If-None-Match': tag }
  expect((await client.request({ submitterType: 'APPLICANT' }, again)).status).toBe(304)
  expect((await client.request({ submitterType: 'TRUSTED_INTERMEDIARY' }, again)).status).toBe(200)
})

test('the log and the audit log contain the submitter type', async () => {
  const { response } = await client.page({ submitterType: 'APPLICANT' })
  const request_id = response.headers.get('X-Request-Id')
  const filters = { submitter_type: 'APPLICANT', page_size: 1000 }
  expect(service.requestLine(request_id)).toMatchObject({ filters })
  const entry = async () => {
    const [row] = await sql<{ filters: unknown }[]>`
      select detail->'filters' as filters from audit_event where detail->>'request_id' = ${request_id}`
    return row
  }
  await until('the entry is there', async () => (await entry()) !== undefined)
  expect(await entry()).toEqual({ filters })
})

test('D10: an unknown value and a similar name are refused', async () => {
  for (const value of ['applicant', 'NOBODY', 'APPLICANT,TRUSTED_INTERMEDIARY'])
    expect((await client.refusal({ submitterType: value })).codes).toEqual({ submitterType: 'invalid_submitter_type' })
  for (const name of ['submitter_type', 'submittertype', 'SubmitterType', 'submitterTypes', '$submitterType'])
    expect((await client.refusal({ [name]: 'APPLICANT' })).codes).toEqual({ [name]: 'unknown_parameter' })
})
