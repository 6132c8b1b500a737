// `fields`: a client's own choice among the questions, for a whole walk, in every format.

import { describe, expect, test } from 'bun:test'
import type { ExportPage } from '../../../support/export-client.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { createTestKey } from '../../../support/keys.ts'
import { aProgram, q } from '../../../support/programs.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database)
const slug = 'chosen'
const optional = { optional: true }
const questions = [
  q.name('applicant', optional),
  q.text('story', optional),
  q.checkbox('needs', ['food', 'rent'], optional),
  q.enumerator(
    'member',
    [
      q.text('likes', optional),
      q.enumerator('job', [q.text('employer', optional), q.currency('pay', optional)], optional),
    ],
    optional,
  ),
]
await aProgram(sql, { slug, questions })
const key = await createTestKey(sql, { programs: [slug], maySubmit: true })
const frontEnd = new FrontEnd(service, key, slug)
const people = ['Ada', 'Bo', 'Cy', 'Di', 'Ed']
const ids: number[] = []
for (const name of people) {
  const { application_id } = await frontEnd.apply(await frontEnd.register(), {
    applicant: { first_name: name, last_name: 'X' },
    story: { text: `"},"member":{"entities":[{ ${name}` },
    needs: { selections: ['food'] },
    member: {
      entities: [
        {
          entity_name: 'M',
          likes: { text: 'tea' },
          job: { entities: [{ entity_name: 'J', pay: { currency_dollars: 12.5 } }] },
        },
      ],
    },
  })
  ids.push(application_id)
}
// A question more than any of them was asked.
await aProgram(sql, { slug, questions: [...questions, q.number('asked later', optional)] })

const path = `/api/v1/admin/programs/${slug}/applications`
const request = (query: string, headers: Record<string, string> = {}) =>
  service.get(`${path}${query}`, { headers: { Authorization: key.authorization, ...headers } })
const pageOf = async (query: string) => {
  const response = await request(query)
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  return (await response.json()) as ExportPage
}
const refusalOf = async (query: string) => {
  const response = await request(query)
  const { errors } = (await response.json()) as { errors: { parameter: string; code: string }[] }
  return [response.status, ...errors.map(({ parameter, code }) => `${parameter} ${code}`)]
}

describe('a walk with fields', () => {
  test('has only the chosen questions on every page, all other members, and each application once', async () => {
    const whole = (await pageOf('')).payload
    const walked: ExportPage['payload'] = []
    let query = '?pageSize=2&fields=member.job.pay,asked_later,story'
    for (let pages = 0; ; pages++) {
      const page = await pageOf(query)
      walked.push(...page.payload)
      if (page.nextPageToken === null) break
      query = `?nextPageToken=${page.nextPageToken}${pages === 0 ? '' : '&fields=asked_later,member.job.pay,story,story'}`
    }
    const pay = { question_type: 'CURRENCY', currency_dollars: 12.5 }
    const job = { question_type: 'ENUMERATOR', entities: [{ entity_name: 'J', pay }] }
    const member = { question_type: 'ENUMERATOR', entities: [{ entity_name: 'M', job }] }
    const asked_later = { question_type: 'NUMBER', number: null }
    expect(walked).toEqual(
      whole.map(application => ({
        ...application,
        application: { story: application.application.story!, member, asked_later },
      })),
    )
    expect(Object.keys(walked[0]!.application)).toEqual(['story', 'member', 'asked_later'])
    expect(service.logLines.findLast(line => line.msg === 'request')).toMatchObject({ fields: 3 })
  })

  test('spec, "Pagination rules" 4: refuses other fields on a later page, and fields if the first page had none', async () => {
    const chosen = (await pageOf('?pageSize=2&fields=story')).nextPageToken
    expect(await refusalOf(`?nextPageToken=${chosen}&fields=needs`)).toEqual([400, 'fields differs_from_first_page'])
    const whole = (await pageOf('?pageSize=2')).nextPageToken
    expect(await refusalOf(`?nextPageToken=${whole}&fields=story`)).toEqual([400, 'fields differs_from_first_page'])
    // Compared by effective value: these are all there are.
    const all = 'fields=applicant,story,needs,member.likes,member.job,asked_later'
    expect((await pageOf(`?nextPageToken=${whole}&${all}`)).payload.length).toBe(2)
  })

  test('D34: does not know questions added after its first page', async () => {
    const other = 'chosen-grows'
    const first = q.text('grows at first', optional)
    await aProgram(sql, { slug: other, questions: [first] })
    const keyOfOther = await createTestKey(sql, { programs: [other], maySubmit: true })
    const frontEnd = new FrontEnd(service, keyOfOther, other)
    for (let i = 0; i < 2; i++) await frontEnd.apply(await frontEnd.register(), {})
    const ask = async (query: string) => {
      const headers = { Authorization: keyOfOther.authorization }
      const response = await service.get(`/api/v1/admin/programs/${other}/applications?${query}`, { headers })
      return { status: response.status, body: (await response.json()) as ExportPage }
    }
    const { body } = await ask('pageSize=1&fields=grows_at_first')
    await aProgram(sql, { slug: other, questions: [first, q.text('grows later', optional)] })
    const later = await ask(`nextPageToken=${body.nextPageToken}&fields=grows_at_first`)
    expect(Object.keys(later.body.payload[0]!.application)).toEqual(['grows_at_first'])
    expect((await ask(`nextPageToken=${body.nextPageToken}&fields=grows_later`)).status).toBe(400)
    expect((await ask('fields=grows_later')).status).toBe(200)
  })

  test('D3 "All bad parameters are named at once", also for HEAD and before a 304', async () => {
    expect(await refusalOf('?fields=stroy&pageSize=x')).toEqual([
      400,
      'pageSize invalid_page_size',
      'fields unknown_field',
    ])
    const head = await service.get(`${path}?fields=stroy`, {
      method: 'HEAD',
      headers: { Authorization: key.authorization },
    })
    expect(head.status).toBe(400)
    expect((await request('?fields=stroy', { 'If-None-Match': '*' })).status).toBe(400)
    const token = await request('?fields=story&nextPageToken=x')
    const line = service.requestLine(token.headers.get('X-Request-Id'))
    expect(line).toMatchObject({ status: 400, reason: 'token_malformed' })
  })

  test('has an ETag for the chosen questions, so the tag of another choice causes no 304', async () => {
    const tagOf = async (query: string): Promise<string> => {
      const response = await request(query)
      await response.text()
      return response.headers.get('ETag')!
    }
    const [whole, story, needs] = [await tagOf(''), await tagOf('?fields=story'), await tagOf('?fields=needs')]
    expect(new Set([whole, story, needs]).size).toBe(3)
    expect((await request('?fields=story', { 'If-None-Match': story })).status).toBe(304)
    expect((await request('?fields=story', { 'If-None-Match': `${whole}, ${needs}` })).status).toBe(200)
  })
})
