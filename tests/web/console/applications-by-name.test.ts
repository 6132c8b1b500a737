// Lists of applications by name: their order, their pages while they change, who may see them, and how long they may be.

import { expect, test } from 'bun:test'
import { namedMax } from '../../../src/core/applications/list-by-name.ts'
import { aPerson, ConsoleVisitor, errorsOf } from '../../support/console.ts'
import { ApiProgram, aToken } from '../../support/console-api.ts'
import { useConsoleRole } from '../../support/console-role.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database, {}, { consoleDb: await useConsoleRole(database) })
const ada = await aPerson(sql)
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const auditor = await aPerson(sql, { role: 'AUDITOR' })
const optional = { optional: true }
const key = await createTestKey(sql, { programs: ['named', 'paged', 'searched'], maySubmit: true })

/** Members come first, and have names under the same key as the applicant. */
const questions = [
  q.enumerator('member', [q.name('name2', optional)], optional),
  q.name('maiden name', optional),
  q.name('name', optional),
]
await aProgram(sql, { slug: 'named', statuses: ['Approved'], questions })
const frontEnd = new FrontEnd(service, key, 'named')
type Name = { first_name: string; middle_name?: string; last_name: string }
const apply = async (name?: Name, maiden?: Name) =>
  (
    await frontEnd.apply(await frontEnd.register(), {
      member: { entities: [{ entity_name: 'One', name: { first_name: 'Aa', last_name: 'Aa' } }] },
      ...(name && { name }),
      ...(maiden && { maiden_name: maiden }),
    })
  ).application_id

const named = (first_name: string, last_name: string): Name => ({ first_name, last_name })
const zu = await apply(named('Ana', 'Zu'))
const unnamed = await apply()
const okafor = await apply(named('chidi', 'okafor'))
const angel = await apply(named('Bo', 'Ángel'))
const quoted = await apply(named('A', 'B "\\" },"x'))
const first = await apply(named('Adaeze', 'Okafor'))
const maiden = await apply(named('Ana', 'Zz'), named('Ana', 'Olu'))
const cyrillic = await apply(named('Анна', 'Иванова'))
const middle = await apply({ ...named('Chidi', 'Okafor'), middle_name: 'Al' })
const again = await apply(named('chidi', 'okafor'))
const wanted = [angel, quoted, first, again, okafor, middle, maiden, zu, cyrillic, unnamed]

const list = '/admin/programs/named/applications'
const idsIn = (html: string): number[] =>
  [...html.matchAll(/class="strong" dir="auto" href="[^"]*\/applications\/(\d+)/g)].map(([, id]) => Number(id))
const linkIn = (html: string, rel: string): string | undefined =>
  new RegExp(`<a[^>]*rel="${rel}"[^>]*>`)
    .exec(html)?.[0]
    .match(/href="([^"]*)"/)?.[1]
    ?.replaceAll('&amp;', '&')

test('a list is by last name, then first and middle name, of the name that it shows; equal names newest first, and none at the end', async () => {
  const page = await browser.page(`${list}?sort=name`)
  expect(idsIn(page)).toEqual(wanted)
  expect(page).toContain('aria-sort="ascending"')
  expect(idsIn(await browser.page(`${list}?sort=name&status=none&from=2000-01-01`))).toEqual(wanted)
})

test('the audit log has which were shown in it, as of every list', async () => {
  const newest = async () =>
    (await sql`select action, detail from audit_event order by audit_event_id desc limit 1`)[0]!
  await browser.page(`${list}?sort=name`)
  const event = { program_id: expect.any(Number), applications: wanted, filters: ['sort'] }
  expect({ ...(await newest()) }).toEqual({ action: 'applications_listed', detail: event })
  const api = ApiProgram.withToken(service, (await aToken(sql, ada)).token)
  const { body } = await api.ask('GET', '/programs/named/applications?sort=name')
  expect((body as { items: { application_id: number }[] }).items.map(item => item.application_id)).toEqual(wanted)
  expect({ ...(await newest()) }).toEqual({ action: 'applications_listed', detail: event })
})

test('a search is by name when that is chosen, and each names what was found', async () => {
  const page = await browser.page(`${list}?q=okafor`)
  expect(idsIn(page)).toEqual([again, middle, first, okafor])
  const sorted = /href="([^"]*sort=name)"/.exec(page)![1]!.replaceAll('&amp;', '&')
  const byName = await browser.page(sorted)
  expect(idsIn(byName)).toEqual([first, again, okafor, middle])
  expect(byName).toContain(`href="${list}?q=okafor"`)
})

test('an application leads to its neighbors in the list', async () => {
  const page = await browser.page(`${list}/${okafor}?sort=name`)
  expect([linkIn(page, 'prev'), linkIn(page, 'next')]).toEqual([
    `${list}/${again}?sort=name`,
    `${list}/${middle}?sort=name`,
  ])
  const [start, end] = [
    await browser.page(`${list}/${angel}?sort=name`),
    await browser.page(`${list}/${unnamed}?sort=name`),
  ]
  expect([linkIn(start, 'prev'), linkIn(end, 'next')]).toEqual([undefined, undefined])
})

test('the file is in the order of the list', async () => {
  const file = await (await browser.get(`${list}/download?sort=name`)).text()
  expect([...file.matchAll(/^,(\d+),/gm)].map(([, id]) => Number(id))).toEqual(wanted)
})

test('auditors can’t sort by name, because the order says something about names', async () => {
  const visitor = await new ConsoleVisitor(service).signIn(auditor.email)
  const page = await visitor.page(list)
  expect(page).not.toContain('sort=name')
  expect(page).not.toContain('value="name"')
  for (const path of ['', `/${zu}`]) expect((await visitor.get(`${list}${path}?sort=name`)).status).toBe(403)
})

test('pages continue where the previous one ended, while applications come, leave the list and are erased', async () => {
  await aProgram(sql, { slug: 'paged', statuses: ['Approved'], questions })
  const paged = new FrontEnd(service, key, 'paged')
  const path = '/admin/programs/paged/applications'
  for (let i = 0; i < 120; i++) await paged.apply(await paged.register(), { name: named('X', 'CAB'[i % 3]!) })
  const rows = await sql<{ application_id: number }[]>`
    select application_id from application join program using (program_id)
    where slug = 'paged'
    order by substring(snapshot from '"last_name":"([ABC])"'), submit_time desc, submit_seq desc`
  const all = rows.map(row => row.application_id)
  const start = await browser.page(`${path}?sort=name&status=none`)
  expect(idsIn(start)).toEqual(all.slice(0, 50))
  // The last of the page leaves the list, and another comes before it.
  await sql`
    update application set status = 'Approved', status_last_modified_time = now() where application_id = ${all[49]!}`
  await paged.apply(await paged.register(), { name: named('A', 'A') })
  const second = await browser.page(linkIn(start, 'next')!)
  expect(idsIn(second)).toEqual(all.slice(50, 100))
  const third = await browser.page(linkIn(second, 'next')!)
  expect(idsIn(third)).toEqual(all.slice(100))
  expect(idsIn(await browser.page(linkIn(third, 'prev')!))).toEqual(all.slice(50, 100))
  // Without the application it ended with, nothing says where the next page begins.
  await sql`delete from application where application_id = ${all[99]!}`
  expect(idsIn(await browser.page(linkIn(second, 'next')!))).toHaveLength(50)
  expect(linkIn(await browser.page(linkIn(second, 'next')!), 'next')).toBeDefined()
})

test('a list is sorted up to its maximum, and beyond it says that a filter is needed and stays as it was', async () => {
  const long = await insertRawProgram(sql, 'long')
  const [oldest] = await insertRawApplications(sql, long, namedMax)
  const path = '/admin/programs/long/applications'
  const isTooLong = (page: string): boolean => page.includes('data-notice="too-long-for-names"')
  const api = ApiProgram.withToken(service, (await aToken(sql, ada)).token)
  const ask = async () => await api.ask('GET', '/programs/long/applications?sort=name')
  const within = await browser.page(`${path}?sort=name`)
  expect([isTooLong(within), within.includes('aria-sort="ascending"'), (await ask()).status]).toEqual([
    false,
    true,
    200,
  ])
  await insertRawApplications(sql, long, 1)
  const beyond = await browser.page(`${path}?sort=name`)
  expect([isTooLong(beyond), beyond.includes('aria-sort="descending"')]).toEqual([true, true])
  expect(idsIn(beyond)).toEqual(idsIn(await browser.page(path)))
  const refused = await ask()
  expect([refused.status, refused.body]).toMatchObject([400, { errors: [{ parameter: 'sort', code: 'too_many' }] }])
  // A filter makes it short enough.
  await sql`
    update application set status = 'Approved', status_last_modified_time = now()
    where application_id = ${oldest!}`
  const filtered = await browser.page(`${path}?sort=name&status=is%3AApproved`)
  expect([isTooLong(filtered), idsIn(filtered)]).toEqual([false, [oldest!]])
})

test('a search is in the applicant’s name, in what else is in an application, or in both', async () => {
  await aProgram(sql, { slug: 'searched', questions })
  const searched = new FrontEnd(service, key, 'searched')
  const path = '/admin/programs/searched/applications'
  const member = (first_name: string) => ({ entities: [{ entity_name: 'One', name: named(first_name, 'Quist') }] })
  const own = (await searched.apply(await searched.register(), { name: named('Xi', 'Quist') })).application_id
  const both = (await searched.apply(await searched.register(), { name: named('Yu', 'Quist'), member: member('Vi') }))
    .application_id
  const other = (await searched.apply(await searched.register(), { name: named('Yu', 'Li'), member: member('Wu') }))
    .application_id
  const find = async (where: string) => idsIn(await browser.page(`${path}?q=quist${where}`))
  expect([await find(''), await find('&in=applicant'), await find('&in=others')]).toEqual([
    [both, own, other],
    [both, own],
    [other, both],
  ])
  const others = await browser.page(`${path}?q=quist&in=others`)
  expect([...others.matchAll(/class="match"[^>]*>([^<]*)/g)].map(([, match]) => match)).toEqual([
    'member: Wu Quist',
    'member: Vi Quist',
  ])
  expect(errorsOf(await (await browser.get(`${path}?q=quist&in=elsewhere`)).text())).toEqual(['in malformed'])
  const numbered = async (query: string) => idsIn(await browser.page(`${path}?q=${query}`))
  expect([await numbered(`${own}`), await numbered(`${own}&in=others`), await numbered(`0${own}`)]).toEqual([
    [own],
    [],
    [],
  ])
  // Of nothing that is searched for, it is no filter.
  expect((await browser.page(`${path}?in=applicant`)).includes(`href="${path}?in`)).toBe(false)
})
