// The start of the console: what needs attention, only to those it concerns, and how programs are doing.

import { beforeAll, expect, test } from 'bun:test'
import { appendAuditEvent } from '../../../src/db/audit/audit.ts'
import { beginRun, failRun, requestDerived } from '../../../src/db/derived/derived-status.ts'
import { disableApiKeyRow } from '../../../src/db/keys/api-key-rows.ts'
import { insertRefusals } from '../../../src/db/keys/refusal-rows.ts'
import { loadActivity } from '../../../src/web/console/home/program-activity.tsx'
import { testConfig } from '../../support/config.ts'
import { aPerson, ConsoleVisitor, isEmptyList, seenIn } from '../../support/console.ts'
import { endWithTest, useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram } from '../../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'
import { TestWebhooks } from '../../support/webhooks.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database)
const now = Date.now() * 1000
const day = 86_400_000_000
const rent = await insertRawProgram(sql, 'rent')
const food = await insertRawProgram(sql, 'food')
const read = await insertRawProgram(sql, 'read')
const key = await createTestKey(sql, { name: 'County sync', programs: ['read'], expiresAt: now + 6.5 * day })
const disabled = await createTestKey(sql, { expiresAt: now + 6.5 * day })
await disableApiKeyRow(sql, disabled.api_key_id, now, 'operator:test')
const as = async (role: 'ADMINISTRATOR' | 'AUDITOR' | 'PROGRAM_ADMINISTRATOR', programs: string[] = []) =>
  new ConsoleVisitor(service).signIn((await aPerson(sql, { role, programs })).email)

/** The sentences of the page, as they are read. */
async function sentences(visitor: ConsoleVisitor): Promise<string[]> {
  const list = /<ul class="attention-list">(.*?)<\/ul>/s.exec(await visitor.page('/admin'))?.[1] ?? ''
  return [...list.matchAll(/<p>(.*?)<\/p>/gs)].map(([, text]) => seenIn(text!))
}
const marks = (html: string): Record<string, number> =>
  Object.fromEntries(
    [...html.matchAll(/href="([^"]*)"[^>]*>(?:(?!<\/a>).)*class="mark-count">(\d+)/gs)].map(([, path, count]) => [
      path,
      Number(count),
    ]),
  )

beforeAll(async () => {
  await sql`update program set created_at = now() - interval '9 days', statuses = '{R&D}'`
  for (const program of [rent, food, read]) await insertRawApplications(sql, program, 3, undefined, i => now - i * day)
  await sql`update submission_counter set last_submit_time = now()`
  await sql`
    update application
    set status = 'R&D', status_last_modified_time = ${now}, superseded_seq = case when submit_seq = 2 then 3 end
    where program_id = ${rent.program_id} and submit_seq < 3`
})

/** A page that a key was sent. */
const sent = (slug: string, detail: object, by = key.api_key_id, db = sql) => db`
  insert into audit_event (actor, action, subject, detail)
  values (${`key:${by}`}, 'applications_exported', ${slug}, ${db.json(detail as never)})`

test('shows what needs attention to the people concerned, and marks it in the sidebar of every page', async () => {
  const unread = ' has applications but has never been exported.'
  const expiring = 'County sync expires in 6 days.'
  const [ada, aud, pat] = [await as('ADMINISTRATOR'), await as('AUDITOR'), await as('PROGRAM_ADMINISTRATOR', ['food'])]
  for (const reader of [ada, aud]) {
    const said = await sentences(reader)
    expect(said.filter(text => text.includes(' expires in '))).toEqual([expiring])
    expect(said).toContain(`food${unread}`)
    const counts = marks(await reader.page('/admin/settings'))
    expect(counts['/admin']).toBe(said.length)
    expect(counts['/admin/programs']).toBe(said.filter(text => /has applications|draft/.test(text)).length)
    expect(counts['/admin/keys']).toBe(said.filter(text => text.startsWith('County sync')).length)
  }
  expect(await sentences(pat)).toEqual([`food${unread}`])
  expect(marks(await pat.page('/docs/api/programs'))).toEqual({ '/admin': 1, '/admin/programs': 1 })
})

test('the home page shows each person what their role allows', async () => {
  expect(await (await as('ADMINISTRATOR')).page('/admin')).toContain('id="lately"')
  expect(await (await as('PROGRAM_ADMINISTRATOR', ['food'])).page('/admin')).not.toContain('id="lately"')
})

test('an empty installation shows the first step to people who can take it', async () => {
  const empty = await useDatabase({}, endWithTest)
  const there = await useService(empty, {}, {}, endWithTest)
  const visitor = async (role: 'ADMINISTRATOR' | 'AUDITOR') =>
    new ConsoleVisitor(there).signIn((await aPerson(empty.sql, { role })).email)
  const [ada, aud] = [await visitor('ADMINISTRATOR'), await visitor('AUDITOR')]
  expect(await ada.page('/admin')).toContain('href="/admin/new-program"')
  expect(await aud.page('/admin')).not.toContain('/admin/new-program')
  const add = await ada.page('/admin/webhooks/new')
  expect(add).not.toContain('<select')
  for (const [visitor, path] of [[ada, '/admin/keys'], [aud, '/admin/keys'], [aud, '/admin/programs']] as const) // biome-ignore format: a table
    expect(isEmptyList(await visitor.page(path))).toBe(true)
})

test('submissions of the last 30 days are compared with the previous 30 days', async () => {
  const lately = await insertRawProgram(sql, 'lately')
  for (const days of [70, 70, 45, 45, 5, 5, 5])
    await insertRawApplications(sql, lately, 1, undefined, () => now - days * day)
  // At any time, one of these has another day than UTC.
  for (const timeZone of ['Pacific/Kiritimati', 'Etc/GMT+12']) {
    const found = await loadActivity(sql, lately, { now, timeZone })
    const dayOf = (at: number) => new Date(at / 1000).toLocaleDateString('en-CA', { timeZone })
    const days = Array.from({ length: 30 }, (_, i) => ({
      day: dayOf(now - (29 - i) * day),
      submissions: i === 24 ? 3 : 0,
    }))
    expect(found).toMatchObject({ days, submissions: 3, before: 2, readers: [] })
  }
  const page = await (await as('ADMINISTRATOR')).page('/admin/programs/lately')
  expect(page).toMatch(/>3<\/strong><small>[^<]*, 50% more /)
})

test('a program that a key exports is not listed as not exported, and shows which key and how far', async () => {
  const ada = await as('ADMINISTRATOR')
  const last_micros = now - 12 * 3_600_000_000
  await sent('read', { applications: 2, after_micros: 0, last_micros })
  expect((await sentences(ada)).join()).not.toContain('read has')
  const page = await ada.page('/admin/programs/read')
  expect(page).toContain('County sync')
  expect(page).toContain('data-read="some"')
  // One that was read by its id says nothing of those before it; a page that goes further does, and none takes anything back.
  await sent('read', { applications: 1, application_id: 3, after_micros: 0, last_micros: now + day })
  expect(await ada.page('/admin/programs/read')).toContain('data-read="some"')
  const [newest] = await sql<{ at: number }[]>`
    select (extract(epoch from last_submit_time) * 1000000)::bigint as at
    from submission_counter where program_id = ${read.program_id}`
  await sent('read', { applications: 1, after_micros: 0, last_micros: newest!.at })
  await sent('read', { applications: 1, after_micros: 0, last_micros })
  for (const path of ['/admin', '/admin/programs/read']) expect(await ada.page(path)).toContain('data-read="all"')
})

test('the age of the newest application is its own, not that of the load that added it', async () => {
  const other = await useDatabase({}, endWithTest)
  const visitor = new ConsoleVisitor(await useService(other, {}, {}, endWithTest))
  await visitor.signIn((await aPerson(other.sql)).email)
  const loaded = await insertRawProgram(other.sql, 'loaded')
  const newest = now - 20 * day
  await insertRawApplications(other.sql, loaded, 3, undefined, i => newest - i * day)
  await other.sql`update program set created_at = now() - interval '9 days'`
  await other.sql`update submission_counter set last_submit_time = now()`
  const seen = async (path: string) => seenIn(await visitor.page(path))
  expect(await seen('/admin/programs/loaded')).toMatch(/\b3 applications\b.*\b20 days ago\b/)
  expect(await seen('/admin/programs')).toContain('20 days ago')
  expect(await sentences(visitor)).toHaveLength(1)
  // A key that read all of them long ago has nothing left to read.
  const { api_key_id } = await createTestKey(other.sql, { programs: ['loaded'] })
  await sent('loaded', { applications: 3, after_micros: 0, last_micros: newest }, api_key_id, other.sql)
  await other.sql`update program_reader set read_at = read_at - interval '8 days'`
  for (const path of ['/admin', '/admin/programs/loaded']) {
    expect(await visitor.page(path)).toContain('data-read="all"')
    expect(await seen(path)).toContain(' 8 days ago')
  }
  expect(await sentences(visitor)).toEqual([])
})

test('a program that accepts no applications is marked, and an archived one needs no attention', async () => {
  const other = await useDatabase({}, endWithTest)
  const visitor = new ConsoleVisitor(await useService(other, {}, {}, endWithTest))
  await visitor.signIn((await aPerson(other.sql)).email)
  await aProgram(other.sql, { slug: 'going-on' })
  const ended = await insertRawProgram(other.sql, 'ended')
  await insertRawApplications(other.sql, ended, 3)
  const { program_id, program_version_id } = ended
  await other.sql`update program set created_at = now() - interval '9 days'`
  await other.sql`
    insert into program_version (program_id, state, screens, display_name, statuses, created_at, created_by)
    select program_id, 'DRAFT', screens, display_name, statuses, now() - interval '9 days', 'admin:ada'
    from program_version where program_version_id = ${program_version_id}`
  const set = (state: string) => other.sql`
    update program set intake_state = ${state}, display_name = 'Ended Help' where program_id = ${program_id}`
  const seen = async (path: string) => seenIn(await visitor.page(path))
  const choices = ['/admin/new-program', '/admin/keys/new']
  await set('CLOSED')
  expect((await sentences(visitor)).length).toBe(2)
  for (const path of ['/admin', '/admin/applications']) expect(await seen(path)).toMatch(/Ended Help (ended )?Closed/)
  for (const path of choices) expect(await seen(path)).toContain('ended, closed')
  const docsOf = async (slug: string) =>
    (await visitor.get(`/docs/api/programs/${slug}`, { Accept: 'application/json' })).json()
  expect(await docsOf('ended')).toMatchObject({ intake_state: 'CLOSED' })
  expect(await seen('/docs/api/programs/ended')).toMatch(/\bclosed\b/)
  expect(await seen('/docs/api/programs/going-on')).not.toMatch(/\bclosed\b/)
  await set('ARCHIVED')
  expect(await sentences(visitor)).toEqual([])
  expect(await seen('/admin')).not.toContain('Ended Help')
  expect(await seen('/admin/applications')).toContain('Ended Help ended Archived')
  // Last of all, though it would be first by its slug.
  for (const path of choices) expect(await seen(path)).toMatch(/going-on.*ended, archived/s)
})

test('shows recent events to people who read the audit log, a walk as one, without page views', async () => {
  const [aud, pat] = [await as('AUDITOR'), await as('PROGRAM_ADMINISTRATOR', ['food'])]
  await aProgram(sql, { slug: 'parks' })
  const status = { status: 'In review', status_changed: true, program_id: 1 }
  for (const subject of ['81', '82', '83'])
    await appendAuditEvent(sql, { actor: 'operator:kim', action: 'application_annotated', subject, detail: status })
  for (const walk of 'wabcdww') await sent('parks', { walk, applications: 100 })
  const lately = (html: string): string[] => {
    const list = /<ol class="event-list lately">(.*?)<\/ol>/s.exec(html)?.[1] ?? ''
    return [...list.matchAll(/<div>(.*?)<\/div>/gs)].map(([, said]) => said!.replace(/<[^>]*>/g, ''))
  }
  const said = lately(await aud.page('/admin'))
  expect(said[0]).toMatch(/^County sync .*\bProgram parks\b.*\b300\b/)
  expect(said[5]).toMatch(/^kim .*\b3\b.*\brent\b.*\bIn review$/)
  expect(said.filter(text => /walk|signed/.test(text))).toEqual([])
  expect(said.length).toBeLessThanOrEqual(6)
  expect(lately(await pat.page('/admin'))).toEqual([])
})

test('reports a failing or disabled webhook to people who see its program', async () => {
  const hooks = new TestWebhooks(sql, { keys: testConfig().webhookKeys })
  // One after the other: programs that are inserted at once can deadlock in a distributed installation.
  const failing = await hooks.endpoint('https://127.0.0.1/failing')
  const givenUp = await hooks.endpoint('https://127.0.0.1/given-up')
  const working = await hooks.endpoint('https://127.0.0.1/working')
  const fail = { failures: 2, first_failed_at: now - 3 * 3_600_000_000 }
  expect(
    await sql`update webhook_endpoint set ${sql(fail)} where webhook_endpoint_id = ${failing.id} returning 1`,
  ).toHaveLength(1)
  const end = { disabled_at: now - 25 * 3_600_000_000, disabled_because: 'gone' }
  expect(
    await sql`update webhook_endpoint set ${sql(end)} where webhook_endpoint_id = ${givenUp.id} returning 1`,
  ).toHaveLength(1)
  const fails = /^2 messages .* https:\/\/127\.0\.0\.1\/failing .* 3 hours ago\.$/
  const isGivenUp = /^https:\/\/127\.0\.0\.1\/given-up .* 25 hours ago\. /
  const about = async (visitor: ConsoleVisitor) => (await sentences(visitor)).filter(text => text.includes('127.0.0.1'))
  expect((await about(await as('AUDITOR'))).sort()).toEqual([
    expect.stringMatching(fails),
    expect.stringMatching(isGivenUp),
  ])
  const pat = await as('PROGRAM_ADMINISTRATOR', [failing.program.slug, working.program.slug])
  expect(await about(pat)).toEqual([expect.stringMatching(fails)])
  expect(marks(await pat.page('/docs/api/programs'))).toEqual({ '/admin': 1, '/admin/webhooks': 1 })
  expect(await pat.page('/admin')).toContain(`href="/admin/webhooks/${failing.id}"`)
})

test('reports a failed job, refused requests and a draft that waits, each with its link', async () => {
  const ada = await as('ADMINISTRATOR')
  const { program_version_id } = await aProgram(sql, { slug: 'drafted', display_name: 'شؤون' })
  const thing = { job_name: 'refresh-docs-example', program_version_id }
  await requestDerived(sql, [thing])
  await failRun(sql, thing, { request: await beginRun(sql, thing, 1), error: 'broke', final: true })
  await insertRefusals(
    sql,
    [30, 2, 3].map(hours => ({
      request_id: crypto.randomUUID(),
      happened_at: now - hours * 3_600_000_000,
      reason: 'expired',
      api_key_id: key.api_key_id,
      address: '192.0.2.1',
      path: '/',
    })),
  )
  await sql`
    insert into program_version (program_id, state, screens, display_name, statuses, created_at, created_by)
    select program_id, 'DRAFT', screens, display_name, statuses, now() - interval '9 days', 'admin:ada'
    from program_version where program_version_id = ${program_version_id}`
  const page = await ada.page('/admin')
  for (const [kind, path, ...facts] of [
    ['failed', '/admin/jobs'],
    ['refused', `/admin/keys/${key.api_key_id}`, 'County sync', '2 rejected', '2 hours ago'],
    ['draft', '/admin/programs/drafted/questions', 'شؤون', '9 days ago'],
  ] as const) {
    const item = page.split('<li ').find(part => part.includes(`data-attention="${kind}"`))!
    expect(item).toContain(`href="${path}"`)
    for (const fact of facts) expect(item).toContain(fact)
  }
})

test('the overview has the submissions of 30 days with links, and each status in use', async () => {
  const ada = await as('ADMINISTRATOR')
  for (const path of ['/admin', '/admin/programs/rent']) {
    const page = await ada.page(path)
    expect(page).toContain('<strong class="loud">3</strong>')
    const chart = page.slice(page.indexOf('<figure class="chart"'), page.indexOf('</figure>'))
    const [bars, table] = chart
      .split('<details')
      .map(part => [...part.matchAll(/applications\?from=([-\d]{10})&amp;to=([-\d]{10})"/g)].map(([, ...days]) => days))
    expect(chart.match(/class="tip"/g)).toHaveLength(30)
    expect([bars!.length, bars]).toEqual([3, bars!.toSorted()])
    expect(table).toEqual(bars!.toReversed())
    for (const [from, to] of bars!) expect(Date.parse(to!) - Date.parse(from!)).toBe(86_400_000)
    expect(page).toMatch(/status=none"[^>]*>No status<\/a><\/dt><dd>1</)
    expect(page).toMatch(/status=is:R%26D"[^>]*>R&amp;D<\/a><\/dt><dd>1</)
  }
  const listed = await ada.page('/admin/programs/rent/applications?revision=CURRENT&status=is:R%26D')
  expect(listed).toContain('figure">1 of ')
})
