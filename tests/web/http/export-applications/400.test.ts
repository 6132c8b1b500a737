// Requests that cannot be answered as asked: each bad parameter named, all at once (contract D3, D8 to D10), over HTTP.

import { describe, expect, test } from 'bun:test'
import { retireApiKey } from '../../../../src/core/keys/api-keys.ts'
import { ExportClient } from '../../../support/export-client.ts'
import { useExport, useService } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'

const { database, service, key, client } = await useExport({ applications: 5, key: { programs: ['raw', 'other'] } })
const token = (await client.page({ pageSize: '2', fromDate: '2020-01-01' })).page.nextPageToken!

describe('"Any request parameter fails validation"', () => {
  test('D3: all bad parameters are named at once, with the request id of the header and the log line', async () => {
    const { status, body, codes } = await client.refusal({
      fromDate: 'yesterday',
      toDate: '2026-02-30',
      revisionState: 'current',
      pageSize: '0',
      nextPageToken: '!',
    })
    expect(status).toBe(400)
    expect(Object.keys(codes).sort()).toEqual(['fromDate', 'nextPageToken', 'pageSize', 'revisionState', 'toDate'])
    expect(body).toMatchObject({
      type: expect.any(String),
      title: 'Bad Request',
      status: 400,
      detail: expect.any(String),
      request_id: expect.any(String),
    })
    const response = await client.request({ pageSize: '-1' })
    const problem = (await response.json()) as { request_id: string }
    expect(response.headers.get('X-Request-Id')).toBe(problem.request_id)
    expect(response.headers.get('Content-Type')).toBe('application/problem+json')
    expect(service.requestLine(problem.request_id)).toMatchObject({ status: 400 })
  })

  test('D8: a token of another program is refused, although the key may read both', async () => {
    const key = await createTestKey(database.sql, { programs: ['raw', 'other'] })
    const { status, codes } = await new ExportClient(service, key, 'other').refusal({ nextPageToken: token })
    expect([status, codes]).toEqual([400, { nextPageToken: 'page_token_of_another_program' }])
  })

  test('D8: an expired token is refused and says to start again', async () => {
    const later = await useService(database, {}, { now: () => (Date.now() + 8 * 86_400_000) * 1000 })
    const key = await createTestKey(database.sql, { programs: ['raw'] })
    const { codes, body } = await new ExportClient(later, key, 'raw').refusal({ nextPageToken: token })
    expect(codes).toEqual({ nextPageToken: 'page_token_expired' })
    expect(body.errors[0]!.detail).toMatch(/again/)
  })

  test('a token from an instance whose clock is ahead is refused with that reason, on pages and for receipts, and continues on its own instance', async () => {
    const ahead = await useService(database, {}, { now: () => (Date.now() + 300_000) * 1000 })
    const key = await createTestKey(database.sql, { programs: ['raw'] })
    const there = new ExportClient(ahead, key, 'raw')
    const { nextPageToken } = (await there.page({ pageSize: '2' })).page
    const here = new ExportClient(service, key, 'raw')
    const { status, codes } = await here.refusal({ nextPageToken: nextPageToken! })
    expect({ status, codes }).toEqual({ status: 400, codes: { nextPageToken: 'page_token_issued_ahead' } })
    const receipt = await service.get(`/api/v1/admin/programs/raw/receipt?walk=${nextPageToken}`, {
      headers: { Authorization: key.authorization },
    })
    expect(receipt.status).toBe(400)
    expect(await receipt.json()).toMatchObject({ errors: [{ parameter: 'walk', code: 'page_token_issued_ahead' }] })
    expect((await there.page({ nextPageToken: nextPageToken! })).page.payload.length).toBeGreaterThan(0)
  })

  test('D8: a token grants nothing and is not bound to one key: another key with the grant may use it', async () => {
    const key = await createTestKey(database.sql, { programs: ['raw'] })
    expect((await new ExportClient(service, key, 'raw').page({ nextPageToken: token })).page.payload.length).toBe(2)
    const stranger = await createTestKey(database.sql, { programs: ['other'] })
    expect((await new ExportClient(service, stranger, 'raw').request({ nextPageToken: token })).status).toBe(401)
    await retireApiKey(database.sql, key.api_key_id, { actor: 'admin:test', now: Date.now() * 1000 })
    expect((await new ExportClient(service, key, 'raw').request({ nextPageToken: token })).status).toBe(401)
  })

  test('D10: a misspelled name is refused with the right one, other unknown names only with Prefer: handling=strict, and a known name if sent twice', async () => {
    expect((await client.page({ most: '3' })).page.payload.length).toBe(5)
    const misspelt = await client.refusal({ from_date: '2026-11-22', pagesize: '1', most: '3' })
    expect(misspelt.codes).toEqual({ from_date: 'unknown_parameter', pagesize: 'unknown_parameter' })
    expect(misspelt.body.errors.map(({ detail }) => detail.split('. ').at(-1))).toEqual([
      expect.stringMatching(/ fromDate\?$/),
      expect.stringMatching(/ pageSize\?$/),
    ])
    const strict = { Prefer: 'handling=strict' }
    const { codes } = await client.refusal({ PageSize: '1', most: '3' }, strict)
    expect(Object.keys(codes).sort()).toEqual(['PageSize', 'most'])
    expect((await client.page({ pageSize: '1' }, strict)).response.headers.get('Preference-Applied')).toBe(
      'handling=strict',
    )
    expect((await client.refusal('pageSize=1&pageSize=1')).codes).toEqual({ pageSize: 'duplicate_parameter' })
  })

  test.each([
    ['changes', 'After', 'after'],
    ['changes', 'nextCursor', 'after'],
    ['changes', 'cursor', 'after'],
    ['changes', 'nextPageToken', 'after'],
    ['changes', 'limit', 'pageSize'],
    ['receipt', 'walkToken', 'walk'],
    ['changes', 'page_size', 'pageSize'],
    ['receipt', 'WALK', 'walk'],
    ['applications/1', 'Fields', 'fields'],
    ['applications/1/revisions', 'AFTER', 'after'],
    ['applications/1/history', 'After', 'after'],
  ])('D10: %s?%s is refused with the name %s', async (path, sent, meant) => {
    const headers = { Authorization: key.authorization }
    const refused = await service.get(`/api/v1/admin/programs/raw/${path}?${sent}=1`, { headers })
    expect(refused.status).toBe(400)
    const { errors } = (await refused.json()) as { errors: { parameter: string; detail: string }[] }
    expect(errors).toContainEqual(
      expect.objectContaining({ parameter: sent, detail: expect.stringContaining(` ${meant}?`) }),
    )
  })
})
