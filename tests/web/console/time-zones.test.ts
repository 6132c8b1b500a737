// Each person chooses the time zone in which the console shows times and reads days. The API keeps the instance's (D57).

import { expect, test } from 'bun:test'
import { timeZones } from '../../../src/core/people/time-zones.ts'
import { zoneName } from '../../../src/web/html/components.tsx'
import { aPerson, ConsoleVisitor, errorsOf, noticesOf } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { anIntermediary, anOrganization } from '../../support/intermediary.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database)
const program = await insertRawProgram(sql, 'far')
// In Auckland, this is 9:30 in the morning of the next day.
const [applicationId] = await insertRawApplications(
  sql,
  program,
  1,
  undefined,
  () => Date.UTC(2026, 0, 31, 20, 30) * 1000,
)
const list = '/admin/programs/far/applications'
const atHome = await new ConsoleVisitor(service).signIn((await aPerson(sql, { name: 'In UTC' })).email)
const traveler = await aPerson(sql, { name: 'In Auckland' })
const away = await new ConsoleVisitor(service).signIn(traveler.email)
const choose = (browser: ConsoleVisitor, time_zone: string) => browser.post('/admin/account/time-zone', { time_zone })
await choose(away, 'Pacific/Auckland')

const zoneOf = (page: string): string | undefined => /id="zone">.*?<a[^>]*>([^<]*)</s.exec(page)?.[1]
const isListed = async (browser: ConsoleVisitor, search: string): Promise<boolean> =>
  (await browser.page(list + search)).includes(`href="${list}/${applicationId}`)

test('a chosen time zone is confirmed, kept across sessions, audited, and reset with the default', async () => {
  const chosen = await choose(away, 'Pacific/Auckland')
  expect([chosen.status, chosen.headers.get('location')]).toEqual([303, '/admin/account?done=zone'])
  const page = await away.page('/admin/account?done=zone')
  expect(noticesOf(page)).toEqual(['zone'])
  expect(page).toContain('<option value="Pacific/Auckland" selected')
  const again = await new ConsoleVisitor(service).signIn(traveler.email)
  expect(zoneOf(await again.page('/admin'))).toBe(zoneName('Pacific/Auckland'))
  expect(
    await sql`select detail->>'time_zone' as zone from audit_event where action = 'time_zone_chosen'`,
  ).toContainEqual({ zone: 'Pacific/Auckland' })
  await choose(again, '')
  expect(zoneOf(await again.page('/admin'))).toBe('UTC')
  await choose(again, 'Pacific/Auckland')
})

test('times on pages are in the reader’s time zone, which each page names once', async () => {
  for (const [browser, zone, exact] of [
    [away, 'Pacific/Auckland', '2026-02-01T09:30:00+13:00'],
    [atHome, 'UTC', '2026-01-31T20:30:00+00:00'],
  ] as const) {
    const page = await browser.page(list)
    expect(page).toContain(`<time datetime="${exact}"`)
    expect(zoneOf(page)).toBe(zoneName(zone))
    expect(page.match(/id="zone"/g)).toHaveLength(1)
    expect(zoneOf(await browser.page('/docs/api/programs'))).toBe(zoneName(zone))
  }
})

test('entered days begin and end in that time zone, in lists and for an expiry', async () => {
  const ofFebruary = '?from=2026-02-01&to=2026-02-02'
  expect([await isListed(away, ofFebruary), await isListed(atHome, ofFebruary)]).toEqual([true, false])
  const ofJanuary = '?from=2026-01-31&to=2026-02-01'
  expect([await isListed(away, ofJanuary), await isListed(atHome, ofJanuary)]).toEqual([false, true])
  const filtered = await away.page(list + ofFebruary)
  expect(filtered).toMatch(/title="[^"]*Auckland[^"]*"/)
  // Filters are written as all dates are.
  expect(filtered).toMatch(/class="chips">.*?Feb 1, 2026.*?Feb 2, 2026/s)

  const [{ day }] = await sql<[{ day: string }]>`
    select ((clock_timestamp() at time zone 'Pacific/Auckland')::date + 10)::text as day`
  await away.post('/admin/account/tokens/new', { name: 'far', scopes: 'jobs:read', expiry: 'day', expiry_day: day })
  const [token] = await sql`
    select ((expires_at at time zone 'Pacific/Auckland') = (${day}::date + 1)::timestamp) as ends from admin_token`
  expect(token).toEqual({ ends: true })
  const shown = new Date(day).toLocaleDateString('en-US', {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  })
  expect(await away.page('/admin/account/tokens')).toContain(`>${shown}</time>`)
})

test('the API and its files use the instance’s time zone, whatever the person chose', async () => {
  const api = await away.get(`/admin/api/v1/programs/far/applications?from=2026-01-31&to=2026-02-01`)
  const { items } = (await api.json()) as { items: { submit_time: string }[] }
  expect(items.map(({ submit_time }) => submit_time)).toEqual(['2026-01-31T20:30:00+00:00'])
  const none = await away.get(`/admin/api/v1/programs/far/applications?from=2026-02-01`)
  expect(((await none.json()) as { items: unknown[] }).items).toEqual([])
})

test('an unknown time zone is refused, and a stored one that this release no longer knows is ignored', async () => {
  for (const zone of ['Mars/Base', '<b>', 'utc ', '../etc/passwd', 'x'.repeat(5000)])
    expect(errorsOf(await atHome.refused(400, '/admin/account/time-zone', { time_zone: zone }))).toEqual([
      'time_zone unknown_time_zone',
    ])
  // Nor one that only the database knows, which pages would pass over.
  const [{ name }] = await sql<[{ name: string }]>`
    select name from pg_timezone_names where name <> all (${[...timeZones]}) order by name limit 1`
  expect(errorsOf(await atHome.refused(400, '/admin/account/time-zone', { time_zone: name }))).toEqual([
    'time_zone unknown_time_zone',
  ])
  await sql`update person set time_zone = 'Mars/Base' where person_id = ${traveler.person_id}`
  expect(zoneOf(await away.page('/admin'))).toBe('UTC')
  await choose(away, 'Pacific/Auckland')
})

test('the database knows every offered time zone', async () => {
  const rows = await sql<{ name: string }[]>`select name from pg_timezone_names`
  const known = new Set(rows.map(({ name }) => name))
  expect(timeZones.filter(name => !known.has(name))).toEqual([])
})

test('intermediaries, who can’t choose a zone, see the instance’s, and no link to a choice', async () => {
  const clinic = await anIntermediary(sql, await anOrganization(sql, 'Clinic'))
  await sql`update person set time_zone = 'Pacific/Auckland' where email = ${clinic.email}`
  const page = await (await new ConsoleVisitor(service).signIn(clinic.email)).page('/admin/account')
  expect(/id="zone">(.*?)<\/p>/s.exec(page)![1]).toMatch(/\bUTC\.$/)
  expect(page).not.toMatch(/datetime="[^"]*\+1[23]:00"/)
})
