// What a key did, on its page and in the API: requests by day and outcome, its last exports, and rejected requests.

import { expect, test } from 'bun:test'
import { appendAuditEvent } from '../../../src/db/audit/audit.ts'
import { readKeyExports } from '../../../src/db/audit/key-exports.ts'
import { addKeyRequests } from '../../../src/db/keys/key-request-days.ts'
import { formatMicros } from '../../../src/domain/values/offset-time.ts'
import { aPerson, ConsoleVisitor, rowsOf } from '../../support/console.ts'
import { ExportClient } from '../../support/export-client.ts'
import { useExport } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { until } from '../../support/until.ts'

const { sql, service, client, key, slug } = await useExport({ applications: 5 })
const ada = await aPerson(sql)
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const path = `/admin/keys/${key.api_key_id}`
const window = { timeZone: 'UTC', eventsMax: 1000, rowsMax: 20 }
const today = new Date().toISOString().slice(0, 10)
const dayAgo = (days: number): string => new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10)
/** The days of a chart's table that have a link, newest first. */
const hrefsOf = (html: string, section: string): string[] => {
  const chart = html.slice(html.indexOf(`aria-labelledby="${section}"`)).split('</figure>')[0]!
  return [...chart.matchAll(/<th scope="row"><a href="([^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'))
}

test('an export is listed with its pages, applications, filters and outcome, even if it was not continued', async () => {
  const filters = { pageSize: '2', revisionState: 'CURRENT' }
  const walked = async (pages: number) => {
    let token: string | null = null
    for (let i = 0; i < pages; i++)
      token = (await client.page(token === null ? filters : { nextPageToken: token })).page.nextPageToken
  }
  await walked(3)
  await walked(1)
  await until('the pages to be recorded', async () => {
    const [unfinished, whole] = await readKeyExports(sql, key.api_key_id, window)
    return unfinished?.pages === 1 && whole?.pages === 3
  })
  const [unfinished, whole] = await readKeyExports(sql, key.api_key_id, window)
  const shared = { program_slug: slug, kind: 'walk', format: 'json', fields: null, is_bounded: false }
  expect(unfinished).toMatchObject({ ...shared, applications: 2, outcome: 'unfinished' })
  expect(whole).toMatchObject({ ...shared, applications: 5, outcome: 'complete' })
  expect(whole!.filters).toMatchObject({ revision_state: 'CURRENT' })
  expect(whole!.ended_at).toBeGreaterThan(whole!.began_at)
  const rows = rowsOf(await browser.page(path), 'Recent exports with this key')
  expect(rows.map(row => [row.Pages, row.Applications])).toEqual([
    ['1', '2'],
    ['3', '5'],
  ])
})

test('the outcome of an export is that of its last page, and pages beyond those searched are counted', async () => {
  const began = Date.now() * 1000 - 60_000_000
  const page = (walk: string, before: number, outcome: string, last_page = false) =>
    appendAuditEvent(sql, {
      actor: 'key:other',
      action: 'applications_exported',
      subject: slug,
      detail: {
        walk,
        applications: 10,
        applications_before: before,
        outcome,
        last_page,
        format: 'json',
        began_at: formatMicros(began + before * 1_000_000),
        ended_at: formatMicros(began + (before + 1) * 1_000_000),
      },
    })
  await page('cut', 0, 'complete')
  await page('cut', 10, 'client_gone')
  for (const before of [0, 10, 20]) await page('long', before, 'complete', before === 20)
  const found = await readKeyExports(sql, 'other', window)
  expect(found.map(({ pages, applications, outcome }) => [pages, applications, outcome])).toEqual([
    [3, 30, 'complete'],
    [2, 20, 'client_gone'],
  ])
  expect(found[0]!.ended_at - found[0]!.began_at).toBe(21_000_000)
  const [bounded] = await readKeyExports(sql, 'other', { ...window, eventsMax: 2 })
  expect(bounded).toMatchObject({ pages: 2, applications: 30, is_bounded: true })
})

test('requests are counted by outcome, and each day links to its audit entries or rejected requests', async () => {
  const key = await createTestKey(sql, { programs: [slug] })
  const client = new ExportClient(service, key, slug)
  const path = `/admin/keys/${key.username}`
  await client.page()
  expect((await client.request({ pageSize: 'x' })).status).toBe(400)
  const wrong = await service.get('/api/v1/admin/programs/none/applications', {
    headers: { Authorization: key.authorization },
  })
  expect(wrong.status).toBe(401)
  await addKeyRequests(sql, [
    { api_key_id: key.username, day: dayAgo(29), outcome: 'complete', requests: 7 },
    { api_key_id: key.username, day: dayAgo(3), outcome: 'rotated_secret', requests: 2 },
    { api_key_id: key.username, day: dayAgo(30), outcome: 'expired', requests: 2 },
  ])
  await until('the requests to be written', async () => {
    const rows =
      await sql`select outcome from api_key_request_day where api_key_id = ${key.username} and day = ${today}`
    return rows.length === 3
  })
  const page = await browser.page(path)
  const audit = (days: number) =>
    `/admin/audit?${new URLSearchParams({ actor: `key:${key.username}`, from: dayAgo(days), to: dayAgo(days - 1) })}`
  const rejected = (days: number) => `${path}?day=${dayAgo(days)}#rejected`
  expect(hrefsOf(page, 'requests')).toEqual([audit(0), rejected(3), audit(29)])
  expect(hrefsOf(page, 'rejected')).toEqual([rejected(0), rejected(3)])
  expect([...page.matchAll(/data-reason="([^"]*)"/g)].map(([, reason]) => reason).toSorted()).toEqual([
    '400',
    'no_grant',
    'rotated_secret',
  ])
  const caption = 'Rejected requests with this key'
  expect(rowsOf(await browser.page(rejected(0)), caption)).toHaveLength(1)
  expect(rowsOf(await browser.page(`${path}?day=${dayAgo(3)}`), caption)).toHaveLength(0)
  for (const noDay of ['2026-13-45', '2026-02-30', 'today'])
    expect(rowsOf(await browser.page(`${path}?day=${noDay}`), caption)).toHaveLength(1)
  const audited = await browser.page(audit(0))
  expect(audited).toContain(`<option value="key:${key.username}" selected`)
})
