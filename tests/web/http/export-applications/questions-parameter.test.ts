// Contract D58: `questions=current` limits applications to the questions of the newest published version, as of page 1, at every depth.

import { describe, expect, test } from 'bun:test'
import { exportFormats } from '../../../../src/core/export/framings/all-framings.ts'
import type { JsonSchema } from '../../../../src/domain/fields/field-schema.ts'
import { ExportClient, type ExportPage } from '../../../support/export-client.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { createTestKey } from '../../../support/keys.ts'
import { formats } from '../../../support/page-formats.ts'
import { aProgram, q } from '../../../support/programs.ts'
import { schemaErrors } from '../../../support/response-schema.ts'
import { until } from '../../../support/until.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database)
const slug = 'moves-on'
const optional = { optional: true }
const member = (...children: ReturnType<typeof q.text>[]) => q.enumerator('member', children, optional)
const job = q.enumerator('job', [q.text('employer', optional)], optional)
const publish = (...questions: ReturnType<typeof q.text>[]) => aProgram(sql, { slug, questions })

await publish(q.name('applicant', optional), q.text('story', optional), member(q.text('likes', optional), job))
const key = await createTestKey(sql, { programs: [slug], maySubmit: true })
const frontEnd = new FrontEnd(service, key, slug)
const entity = { entity_name: 'M', likes: { text: 'tea' } }
const ids: number[] = []
const apply = async (answers: Record<string, unknown>) => {
  const { application_id } = await frontEnd.apply(await frontEnd.register(), answers)
  ids.push(application_id)
}
for (const first_name of ['Ada', 'Bo', 'Cy']) {
  await apply({
    applicant: { first_name, last_name: 'X' },
    story: { text: '"},"member":{"entities":[{' },
    member: { entities: [{ ...entity, job: { entities: [{ entity_name: 'J', employer: { text: 'A' } }] } }] },
  })
}
// Without the story and the jobs, and with a question more at each depth.
await publish(
  q.name('applicant', optional),
  member(q.text('likes', optional), q.date('born', optional)),
  q.number('rooms', optional),
)
for (const first_name of ['Di', 'Ed'])
  await apply({ applicant: { first_name, last_name: 'X' }, member: { entities: [entity] }, rooms: { number: 3 } })

const client = new ExportClient(service, key, slug)
const pageOf = async (parameters: Record<string, string>, reader = client): Promise<ExportPage> => {
  const response = await reader.request(parameters)
  expect(response.status).toBe(200)
  return (await response.json()) as ExportPage
}
const path = `/api/v1/admin/programs/${slug}`
const get = (at: string) => service.get(at, { headers: { Authorization: key.authorization } })
const read = async <Body>(at: string) => {
  const response = await get(at)
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  return (await response.json()) as Body
}
/** What an exported application keeps of all its questions. */
function current<Item extends { application: Record<string, unknown> }>(item: Item): Item {
  const { story: _, ...kept } = structuredClone(item.application)
  const { entities } = kept.member as { entities: Record<string, unknown>[] | null }
  for (const held of entities ?? []) delete held.job
  return { ...item, application: kept }
}
const whole = (await pageOf({})).payload

describe.each([...exportFormats])('D58, %s', format => {
  test('"the questions of the newest published version as of page 1, at every depth", on every page of the walk', async () => {
    const { read: readPage, itemOf } = formats[format]
    const items: unknown[] = []
    let next: string | null = null
    for (let pages = 0; pages === 0 || next !== null; pages++) {
      const first: Record<string, string> = { pageSize: '2', questions: 'current', format }
      const response = await client.request(next === null ? first : { nextPageToken: next })
      const page = readPage(Buffer.from(await response.arrayBuffer()).toString(), response.headers)
      items.push(...page.items)
      next = page.nextPageToken
    }
    expect(items).toEqual(whole.map(current).map(itemOf))
  })
})

test('without it, "the specification applies: every question ever"', () => {
  for (const { application } of whole)
    expect(Object.keys(application).sort()).toEqual(['applicant', 'member', 'rooms', 'story'])
})

test('a version published during the walk does not change its pages', async () => {
  const other = 'moves-on-again'
  const questions = [q.text('kept', optional), q.text('dropped', optional)]
  await aProgram(sql, { slug: other, questions })
  const otherKey = await createTestKey(sql, { programs: [other], maySubmit: true })
  const front = new FrontEnd(service, otherKey, other)
  for (let i = 0; i < 3; i++) await front.apply(await front.register(), {})
  const walk = new ExportClient(service, otherKey, other)
  const page = await pageOf({ pageSize: '1', questions: 'current' }, walk)
  await aProgram(sql, { slug: other, questions: [questions[0]!] })
  const rest = await pageOf({ nextPageToken: page.nextPageToken!, pageSize: '1', questions: 'current' }, walk)
  expect(Object.keys(rest.payload[0]!.application)).toEqual(['kept', 'dropped'])
  const again = await pageOf({ questions: 'current' }, walk)
  expect(Object.keys(again.payload[0]!.application)).toEqual(['kept'])
})

describe('together with other parameters', () => {
  test('fields chooses only from these questions', async () => {
    const page = await pageOf({ questions: 'current', fields: 'rooms,member.likes' })
    expect(Object.keys(page.payload[0]!.application)).toEqual(['member', 'rooms'])
    const refused = await client.refusal({ questions: 'current', fields: 'story,member.job' })
    expect([refused.status, refused.codes]).toEqual([400, { fields: 'unknown_field' }])
    const later = await pageOf({ questions: 'current', fields: 'rooms', pageSize: '2' })
    const nextPageToken = later.nextPageToken!
    expect((await pageOf({ nextPageToken, fields: 'rooms' })).payload).toHaveLength(2)
    expect((await client.refusal({ nextPageToken, fields: 'applicant' })).codes).toEqual({
      fields: 'differs_from_first_page',
    })
  })

  test('spec, "Pagination rules" 4: it may be omitted later, but not added later', async () => {
    const chosen = (await pageOf({ pageSize: '2', questions: 'current' })).nextPageToken!
    expect((await pageOf({ nextPageToken: chosen })).payload).toHaveLength(2)
    const all = (await pageOf({ pageSize: '2' })).nextPageToken!
    const { status, codes } = await client.refusal({ nextPageToken: all, questions: 'current' })
    expect([status, codes]).toEqual([400, { questions: 'differs_from_first_page' }])
  })

  test.each(['all', 'CURRENT', 'newest', 'constructor'])('an unknown value, %s, is an error', async questions => {
    const { status, codes } = await client.refusal({ questions, pageSize: '0' })
    expect([status, codes]).toEqual([400, { questions: 'invalid_questions', pageSize: 'invalid_page_size' }])
  })

  test('the first page has its own ETag', async () => {
    const tags = await Promise.all(
      ['', 'questions=current'].map(async query => (await client.request(query)).headers.get('ETag')),
    )
    expect(tags[0]).not.toBe(tags[1]!)
  })

  test('a question hidden from a key stays hidden', async () => {
    const blind = await createTestKey(sql, { programs: [slug], hiddenQuestions: ['rooms'] })
    const page = await pageOf({ questions: 'current' }, new ExportClient(service, blind, slug))
    expect(Object.keys(page.payload[0]!.application)).toEqual(['applicant', 'member'])
  })
})

describe('"A view, like fields": the same applications', () => {
  const shown = whole.map(current)

  test('are read by their IDs, with their revisions, and in the change feed', async () => {
    for (const item of shown) {
      const at = `${path}/applications/${item.application_id}`
      expect(await read(`${at}?questions=current`)).toEqual(item)
      expect(await read<{ payload: unknown[] }>(`${at}/revisions?questions=current`)).toMatchObject({ payload: [item] })
    }
    const { payload } = await read<{ payload: { type: string; application?: ExportPage['payload'][0] }[] }>(
      `${path}/changes?include=application&questions=current`,
    )
    expect(payload.map(change => change.application!)).toEqual(shown)
    const refused = await get(`${path}/changes?include=application&questions=all`)
    const { errors } = (await refused.json()) as { errors: { parameter: string; code: string }[] }
    expect([refused.status, errors[0]]).toMatchObject([400, { parameter: 'questions', code: 'invalid_questions' }])
  })

  test('match the JSON Schema with the same parameter', async () => {
    const at = `/docs/api/programs/${slug}/versions/active/response.schema.json?inline=1&questions=current`
    const schema = await read<JsonSchema>(at)
    expect(schemaErrors(schema, { payload: shown, nextPageToken: null })).toEqual([])
    const text = JSON.stringify(schema)
    expect([text.includes('"story"'), text.includes('"job"'), text.includes('"rooms"')]).toEqual([false, false, true])
  })

  test('are in the audit log with the questions that were sent', async () => {
    await pageOf({ questions: 'current' })
    await until('the entry of the page', async () => {
      const rows = await sql`
        select from audit_event where action = 'applications_exported' and detail @> '{"questions":"current"}'`
      return rows.length > 0
    })
  })
})
