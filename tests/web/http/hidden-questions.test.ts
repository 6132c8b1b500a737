// What a hidden question is to a key, apart from the fact that no route reveals it (hidden-everywhere): one that was never asked.

import { describe, expect, test } from 'bun:test'
import { findDisclosures } from '../../../src/core/audit/disclosure.ts'
import { editApiKey, rotateApiKey } from '../../../src/core/keys/api-keys.ts'
import { useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey, type TestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { applications, hostile, mark, optional, slug, usePartlyHidden } from './partly-hidden.ts'

const { database, first, redacted, service, sql, whole } = await usePartlyHidden()

const get = (path: string, of: TestKey = redacted, headers: Record<string, string> = {}) =>
  service.get(path, { headers: { Authorization: of.authorization, ...headers } })

describe('a hidden question', () => {
  test('is refused in `fields` exactly as one that does not exist', async () => {
    const routes = [
      applications,
      `${applications}/${first.application_id}`,
      `${applications}/${first.application_id}/revisions`,
    ]
    const schema = `/docs/api/programs/${slug}/versions/active/response.schema.json`
    for (const route of [...routes, schema]) {
      const refusal = async (name: string) => {
        const response = await get(`${route}?fields=plain_words,${name}`)
        const { request_id: _, ...body } = (await response.json()) as Record<string, unknown>
        expect(response.status).toBe(400)
        return JSON.stringify(body).replaceAll(name, 'NAME')
      }
      const never = await refusal('qqq_salary')
      for (const name of [
        'zyxquavompel_salary',
        'zyxquavompel_roster',
        'zyxquavompel_roster.zyxquavompel_deep',
        'pet.zyxquavompel_chip',
        'pet.vet_visit.zyxquavompel_price',
        'zyxquavompel_retired',
      ])
        expect(await refusal(name)).toBe(never)
    }
  })

  test('is in no table, column, filter or count of the OData feed, and is refused there exactly as one that does not exist', async () => {
    const root = `/odata/v1/${slug}`
    const refusal = async (path: string, name: string) => {
      const response = await get(root + path.replaceAll('NAME', name))
      const { error } = (await response.json()) as { error: Record<string, unknown> }
      return [response.status, JSON.stringify({ ...error, innererror: undefined }).replaceAll(name, 'NAME')]
    }
    const tablePaths = ['/NAME', '/NAME?$top=1', '/NAME/$count', '/NAME(1)']
    const tables = ['zyxquavompel_roster', '_zyxquavompel_roster__zyxquavompel_deep', 'zyxquavompel_roster__zyxquavompel_deep']
    const columnPaths = ["/Applications?$select=NAME", "/Applications?$filter=NAME eq 1", '/Applications?$orderby=NAME']
    const columns = ['zyxquavompel_salary__text', 'zyxquavompel_roster__entities', 'zyxquavompel_retired__number']
    for (const [paths, names] of [[tablePaths, tables], [columnPaths, columns]] as const)
      for (const path of paths)
        for (const name of names) expect([name, path, ...(await refusal(path, name))]).toEqual([name, path, ...(await refusal(path, 'qqq_never'))])
    expect((await refusal('/Applications?$select=NAME', 'qqq'))[0]).toBe(400)
    expect((await refusal('/NAME', 'qqq'))[0]).toBe(404)
    const inner = "/pet?$select=NAME"
    expect(await refusal(inner, 'zyxquavompel_chip__text')).toEqual(await refusal(inner, 'qqq_never'))
    // A count is of applications, whatever is hidden of them.
    const counts = await Promise.all([whole, redacted].map(async of => JSON.parse(await (await get(`${root}/Applications?$count=true&$top=0`, of)).text())))
    expect(counts[1]!['@odata.count']).toBe(counts[0]!['@odata.count'])
    expect(counts[0]!['@odata.count']).toBeGreaterThan(0)
  }) // biome-ignore format: side by side

  test('"Retiring or editing takes effect on every instance within 1 s, and on the next page of a walk" (contract, section 3)', async () => {
    const key = await createTestKey(sql, { programs: [slug] })
    const by = { actor: 'operator:test', now: Date.now() * 1000 }
    const page = async (query: string) => {
      const response = await get(`${applications}?${query}`, key)
      const body = (await response.json()) as {
        payload: { application: Record<string, unknown> }[]
        nextPageToken: string
      }
      return {
        tag: response.headers.get('ETag')!,
        keys: Object.keys(body.payload[0]!.application),
        token: body.nextPageToken,
      }
    }
    const before = await page('pageSize=1')
    expect(before.keys).toContain('zyxquavompel_salary')
    const tagged = { 'If-None-Match': before.tag }
    expect((await get(`${applications}?pageSize=1`, key, tagged)).status).toBe(304)
    await editApiKey(sql, key.api_key_id, { hidden_questions: [`${mark} salary`] }, by)
    const next = await page(`nextPageToken=${before.token}`)
    expect(next.keys).not.toContain('zyxquavompel_salary')
    expect(next.keys).toContain('zyxquavompel_choice')
    // What the client has is not what it would be sent now.
    expect((await get(`${applications}?pageSize=1`, key, tagged)).status).toBe(200)
    await editApiKey(sql, key.api_key_id, { hidden_questions: [] }, by)
    expect((await page(`nextPageToken=${before.token}`)).keys).toContain('zyxquavompel_salary')
  })

  test('D9: that is hidden during a walk is left out even if the walk chose it, whatever is sent with the token', async () => {
    const key = await createTestKey(sql, { programs: [slug] })
    const by = { actor: 'operator:test', now: Date.now() * 1000 }
    const chosen = 'plain_words,zyxquavompel_salary'
    const pageOf = async (query: string) => {
      const response = await get(`${applications}?${query}`, key)
      const body = (await response.json()) as { payload?: { application: object }[]; nextPageToken: string }
      return [response.status, Object.keys(body.payload?.[0]?.application ?? {}), body.nextPageToken] as const
    }
    const feed = async (address: string) => {
      const response = await service.get(address, { headers: { Authorization: key.authorization } })
      const body = (await response.json()) as { value?: object[]; '@odata.nextLink'?: string }
      const columns = Object.keys(body.value?.[0] ?? {}).filter(name => !name.startsWith('@'))
      return { status: response.status, columns, next: body['@odata.nextLink']?.replace(/^https?:\/\/[^/]+/, '') }
    }
    const [, , token] = await pageOf(`pageSize=1&fields=${chosen}`)
    const [, , alone] = await pageOf('pageSize=1&fields=zyxquavompel_salary')
    const select = '$select=plain_words__text,zyxquavompel_salary__text'
    const table = await service.get(`/odata/v1/${slug}/Applications?${select}`, {
      headers: { Authorization: key.authorization, Prefer: 'odata.maxpagesize=1' },
    })
    const link = ((await table.json()) as { '@odata.nextLink': string })['@odata.nextLink'].replace(
      /^https?:\/\/[^/]+/,
      '',
    )
    expect((await feed(link)).columns).toEqual(['application_id', 'plain_words__text', 'zyxquavompel_salary__text'])
    await editApiKey(sql, key.api_key_id, { hidden_questions: [`${mark} salary`] }, by)
    expect((await pageOf(`nextPageToken=${token}`)).slice(0, 2)).toEqual([200, ['plain_words']])
    expect((await pageOf(`nextPageToken=${token}&fields=${chosen}`)).slice(0, 2)).toEqual([200, ['plain_words']])
    expect((await pageOf(`nextPageToken=${alone}&fields=zyxquavompel_salary`)).slice(0, 2)).toEqual([200, []])
    expect(await feed(link)).toMatchObject({ status: 200, columns: ['application_id', 'plain_words__text'] })
    // It says nothing of what else there is.
    for (const other of ['zyxquavompel_salary,zyxquavompel_choice', 'plain_words,zyxquavompel_never'])
      expect((await pageOf(`nextPageToken=${token}&fields=${other}`))[0]).toBe(400)
    const [, , plain] = await pageOf('pageSize=1&fields=plain_words')
    for (const other of [chosen, 'plain_words,zyxquavompel_never'])
      expect((await pageOf(`nextPageToken=${plain}&fields=${other}`))[0]).toBe(400)
  })

  test('stays hidden from both secrets of a key while both are valid', async () => {
    const key = await createTestKey(sql, { programs: [slug], hiddenQuestions: [`${mark} salary`] })
    const by = { actor: 'operator:test', now: Date.now() * 1000 }
    const { apiSecretToken } = await rotateApiKey(sql, service.config.apiKeyPepper, key.api_key_id, 1, by)
    for (const authorization of [key.authorization, `Basic ${apiSecretToken}`]) {
      const text = await (await get(applications, { ...key, authorization })).text()
      expect(text).toContain('zyxquavompel_choice')
      expect(text).not.toContain('zyxquavompel_salary')
    }
  })

  test('cannot be found by trying ETags, which depend on a secret of the installation', async () => {
    const pepper = 'Zk3J9vXq2LmZ8wR5tYb7NcD4fGhP6sUaE1iOx'
    const elsewhere = await useService(database, { apiKeyPepper: pepper })
    const hidden = { programs: [slug], hiddenQuestions: [`${mark} salary`] }
    const tagOf = async (at: TestService, key: TestKey): Promise<string> => {
      const response = await at.get(applications, { headers: { Authorization: key.authorization } })
      expect(response.status).toBe(200)
      return response.headers.get('ETag')!
    }
    const tag = await tagOf(service, await createTestKey(sql, hidden))
    expect(await tagOf(service, await createTestKey(sql, hidden))).toBe(tag)
    expect(await tagOf(elsewhere, await createTestKey(sql, { ...hidden, pepper }))).not.toBe(tag)
  })

  test('is hidden in every program of the key, also if published later', async () => {
    const later = 'hidden-later'
    const key = await createTestKey(sql, { programs: [later], hiddenQuestions: [`${mark} salary`] })
    await aProgram(sql, {
      slug: later,
      questions: [q.text('plain words', optional), q.text(`${mark} salary`, optional)],
    })
    const both = await createTestKey(sql, { programs: [later], maySubmit: true })
    const frontEnd = new FrontEnd(service, both, later)
    await frontEnd.apply(await frontEnd.register(), { zyxquavompel_salary: { text: hostile } })
    const text = await (await get(`/api/v1/admin/programs/${later}/applications`, key)).text()
    expect(JSON.parse(text).payload.map((item: { application: unknown }) => item.application)).toEqual([
      { plain_words: { question_type: 'TEXT', text: null } },
    ])
    expect(text).not.toContain(mark)
  })

  test('is in the audit log with the chosen questions, for a page and a single application', async () => {
    const key = await createTestKey(sql, { programs: [slug], hiddenQuestions: [`${mark} salary`, `${mark} roster`] })
    const keyOfAll = await createTestKey(sql, { programs: [slug] })
    const reported = () => sql<{ detail: { fields?: string[]; hidden_questions?: string[] } }[]>`
      select detail from audit_event
      where actor in (${`key:${key.api_key_id}`}, ${`key:${keyOfAll.api_key_id}`}) and action = 'applications_exported'
      order by audit_event_id desc`
    await (await get(`${applications}?fields=pet.pet_name,plain_words`, key)).text()
    // The line on a page is written when the client has it.
    await until('the line on the page', async () => (await reported()).length === 1)
    await (await get(`${applications}/${first.application_id}?fields=plain_words`, key)).text()
    await (await get(`${applications}/${first.application_id}`, keyOfAll)).text()
    const hidden = [`${mark} salary`, `${mark} roster`]
    expect((await reported()).map(({ detail }) => [detail.fields, detail.hidden_questions])).toEqual([
      [undefined, undefined],
      [['plain_words'], hidden],
      [['plain_words', 'pet.pet_name'], hidden],
    ])
    const [sent] = await findDisclosures(sql, first.application_id, { rowsMax: 1000 })
    const own = sent!.pages.filter(({ actor }) => actor.endsWith(key.api_key_id) || actor.endsWith(keyOfAll.api_key_id))
    expect(own.map(({ questions }) => questions)).toEqual([
      'all',
      `only plain_words, without ${hidden.join(', ')}`,
      `only plain_words, pet.pet_name, without ${hidden.join(', ')}`,
    ])
  })
})
