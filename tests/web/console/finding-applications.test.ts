// Finding applications by whose they are, the file of what was found, and setting the status of many at once.

import { expect, test } from 'bun:test'
import { annotate } from '../../../src/core/applications/annotate.ts'
import { changedMax } from '../../../src/web/console/applications/list-query.ts'
import { aPerson, ConsoleVisitor, errorsOf, fieldsOf, seenIn } from '../../support/console.ts'
import { ApiProgram, aToken } from '../../support/console-api.ts'
import { useConsoleRole } from '../../support/console-role.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'

const database = await useDatabase()
const { sql } = database
const desk = await useConsoleRole(database)
const service = await useService(database, {}, { consoleDb: desk })

const questions = [
  q.name('applicant name'),
  q.email('mail', { optional: true }),
  q.phone('phone', { optional: true }),
  q.text('words', { optional: true }),
  q.enumerator('member', [q.name('member name', { optional: true })], { optional: true }),
]
const statuses = ['In review', 'Approved']
const program = await aProgram(sql, { slug: 'found', statuses, questions })
await aProgram(sql, { slug: 'other', statuses, questions: [q.name('name elsewhere')] })
const key = await createTestKey(sql, { programs: ['found', 'other'], maySubmit: true, mayExport: true })
const frontEnd = new FrontEnd(service, key, 'found')
const named = (first_name: string, last_name: string, more: Record<string, unknown> = {}) => ({
  applicant_name: { first_name, last_name },
  ...more,
})
const apply = async (answers: Record<string, unknown>) =>
  (await frontEnd.apply(await frontEnd.register(), answers)).application_id
const maria = await apply(
  named('María Ángel', "O'Brien-Lindqvist", {
    mail: { email: 'Maria.O71@Example.org' },
    phone: { phone_number: '+12065550144' },
    words: { text: 'A text with "question_type":"NAME","first_name":"Quoted" in it' },
  }),
)
const chidi = await apply(
  named('Chidi', 'Okafor', {
    member: {
      entities: [
        { entity_name: 'One', member_name: { first_name: 'Zuri', middle_name: 'Temperance', last_name: 'Brien' } },
      ],
    },
  }),
)
const hassan = await apply(named('Hassan \\ "}', 'Ибрагим'))
const wang = await apply(named('伟', '王'))
const li = await apply(named('小明', '李'))
const kim = await apply(named('민수', '김'))
const yamada = await apply(named('山田太郎', '-'))
const smith = await apply(named('ジョン・スミス', '-'))
const park = await apply(named('박지민', '-'))
const somchai = await apply(named('สมชายใจดี', '-'))
const malee = await apply(named('มาลี', 'ใจดี'))
const o = await apply(named('O', 'O'))
const elsewhere = new FrontEnd(service, key, 'other')
await elsewhere.apply(await elsewhere.register(), { name_elsewhere: { first_name: 'María', last_name: 'Elsewhere' } })

const ada = await aPerson(sql)
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const auditor = await new ConsoleVisitor(service).signIn((await aPerson(sql, { role: 'AUDITOR' })).email)
const list = '/admin/programs/found/applications'
const idsIn = (html: string): number[] =>
  [...html.matchAll(/class="strong" dir="auto" href="\/admin\/programs\/found\/applications\/(\d+)/g)].map(([, id]) =>
    Number(id),
  )
const find = async (sought: string, filter = '') =>
  idsIn(await browser.page(`${list}?q=${encodeURIComponent(sought)}${filter}`))
const [row] = await sql`select applicant_id from application where application_id = ${maria}`

test.each<[string, () => string, () => number[]]>([
  ['a first name, without its accents', () => 'maria', () => [maria]],
  ['a first name as it is written, in capitals', () => 'MARÍA', () => [maria]],
  ['the beginnings of two names, in any order', () => 'lind ange', () => [maria]],
  ['the text between signs', () => 'brien-lind', () => [maria]],
  ['a name in the household, and an applicant’s', () => 'brien', () => [maria, chidi]],
  ['a middle name', () => 'temper', () => [chidi]],
  ['a name with a quote and a backslash, and the next one', () => 'hassan Ибраг', () => [hassan]],
  ['a Chinese name as it is written', () => '王伟', () => [wang]],
  ['a Chinese name in the other order, with a space', () => '伟 王', () => [wang]],
  ['a family name of one character', () => '王', () => [wang]],
  ['a given name of one character', () => '伟', () => [wang]],
  ['a given name of two characters', () => '小明', () => [li]],
  ['a whole name of three characters', () => '李小明', () => [li]],
  ['a Korean name as it is written', () => '김민수', () => [kim]],
  ['a Korean name with a space', () => '김 민수', () => [kim]],
  ['a Japanese name that is stored without a space, with one', () => '山田 太郎', () => [yamada]],
  ['a Japanese given name that is stored after the family name', () => '太郎', () => [yamada]],
  ['a Japanese given name before its family name', () => '太郎 山田', () => [yamada]],
  ['a part of a name in Kana', () => 'スミス', () => [smith]],
  ['a name in narrow Kana, without its dot', () => 'ｼﾞｮﾝｽﾐｽ', () => [smith]],
  ['a name in Kana with its dot', () => 'ジョン・スミス', () => [smith]],
  ['a Korean given name that is stored after the family name', () => '지민', () => [park]],
  ['a Thai name of which one is stored after the other', () => 'ใจดี', () => [malee, somchai]],
  ['a Thai name without its space, in either order', () => 'มาลีใจดี', () => [malee]],
  ['a letter in the middle of a Latin name', () => 'hidi', () => []],
  ['a name of one letter, twice', () => 'O O', () => [o, maria]],
  ['a word of one letter, and no name that begins with it', () => 'o', () => [o, maria]],
  ['a letter that no name is', () => 'm', () => []],
  ['an email address, from its beginning', () => 'maria.o71@exa', () => [maria]],
  ['the beginning of an email address with a dot in it', () => 'MARÍA.o7', () => [maria]],
  ['a phone number as it is shown', () => '(206) 555-0144', () => [maria]],
  ['a phone number with its country', () => '+1 206 555', () => [maria]],
  ['the number of an application, as lists show it', () => `000,000,${String(chidi).padStart(3, '0')}`, () => [chidi]],
  ['what is in an answer to another question', () => 'Quoted', () => []],
  ['two words of which one is in none', () => 'maria okafor', () => []],
  ['signs that mean something to a search', () => "ab' | ! & cd:*(", () => []],
  ['signs that mean something to a search, as an email address may have them', () => "ab'|!&cd:*(", () => []],
])('an application is found by %s', async (_, sought, expected) => {
  expect(await find(sought())).toEqual(expected())
  for (const filter of [`&application=${maria}`, `&applicant=${row!.applicant_id}`])
    expect([filter, await find(sought(), filter)]).toEqual([filter, expected().filter(id => id === maria)])
})

test('applicants whose own name has the words come first, and the others are listed with the reason', async () => {
  const page = await browser.page(`${list}?q=brien`)
  expect(idsIn(page)).toEqual([maria, chidi])
  expect(page).toContain('member: Zuri Temperance Brien')
  expect(await browser.page(`${list}?q=maria.o71`)).toContain('mail: Maria.O71@Example.org')
})

test('the audit log records a search and what was seen, but not the words', async () => {
  await browser.page(`${list}?q=Okafor&status=none`)
  const [event] = await sql<{ detail: Record<string, unknown> }[]>`
    select detail from audit_event where action = 'applications_listed' order by audit_event_id desc limit 1`
  expect(event!.detail).toEqual({ program_id: program.program_id, applications: [chidi], filters: ['q', 'status'] })
  expect((await sql`select from audit_event where detail::text ilike '%okafor%'`).length).toBe(0)
  // So is each page of the API.
  const api = ApiProgram.withToken(service, (await aToken(sql, ada)).token)
  await api.ask('GET', `/programs/found/applications?q=Okafor&older=${Date.UTC(2099, 0) * 1000}-1-own`)
  const [later] = await sql`
    select actor, detail from audit_event where action = 'applications_listed' order by audit_event_id desc limit 1`
  expect(later).toEqual({
    actor: expect.stringMatching(/^admin-token:/),
    detail: { program_id: program.program_id, applications: [chidi], filters: ['q'] },
  })
})

test('a search without a letter or digit is refused with a reason', async () => {
  for (const sought of ['--', '’'])
    expect(await (await browser.get(`${list}?q=${encodeURIComponent(sought)}`)).text()).toContain('href="#q"')
})

test('auditors neither see names, nor search by them, nor download or change applications', async () => {
  const page = await auditor.page(list)
  for (const hidden of ['María', 'id="q"', '/spreadsheet', 'name="set"']) expect(page).not.toContain(hidden)
  // Nor on the page of another, which has what lies next to it in the list.
  for (const path of ['?q=maria', `/${chidi}?q=maria`, '/download', '/spreadsheet', `/status?set=none&ticked=${maria}`])
    expect((await auditor.get(list + path)).status).toBe(403)
})

test('filters stay in the address, and each has a link that removes it', async () => {
  const page = await browser.page(`${list}?q=brien&status=none&revision=CURRENT`)
  for (const left of ['status=none&amp;revision=CURRENT', 'q=brien&amp;revision=CURRENT', 'q=brien&amp;status=none'])
    expect(page).toContain(`href="${list}?${left}"`)
  expect(page).toContain(`href="${list}/${maria}?q=brien&amp;status=none&amp;revision=CURRENT"`)
  expect(page).toContain(`href="${list}/spreadsheet?q=brien&amp;status=none&amp;revision=CURRENT"`)
  expect(fieldsOf(page, `${list}/status`)).toMatchObject({ q: 'brien', status: 'none', revision: 'CURRENT' })
  // So do the applicant, which has no field, and a status that the program has no more.
  const rest = await browser.page(`${list}?applicant=4711&status=is%3AFormer`)
  expect(fieldsOf(rest, list)).toMatchObject({ applicant: '4711', status: 'is:Former' })
})

test('a position outside the range of a filter does not extend it', async () => {
  const placeIn = (year: number): string => `${Date.UTC(year, 0) * 1000}-1`
  for (const outside of [`to=2000-01-01&older=${placeIn(2099)}`, `from=2099-01-01&newer=${placeIn(2000)}`])
    expect(idsIn(await browser.page(`${list}?${outside}`))).toEqual([])
})

test('the file contains the exported form of the found applications, and each is in the audit log', async () => {
  const exported = await service.get('/api/v1/admin/programs/found/applications', {
    headers: { Authorization: key.authorization, Accept: 'text/csv' },
  })
  const [head, ...records] = (await exported.text()).split('\r\n')
  const [{ newest }] = (await sql`select max(audit_event_id) as newest from audit_event`) as unknown as [
    { newest: number },
  ]
  const file = await browser.get(`${list}/download?q=brien`)
  expect(file.headers.get('content-type')).toStartWith('text/csv')
  const lines = (await file.text()).split('\r\n')
  // As in the list: the applicant’s own name comes first.
  const wanted = [maria, chidi].map(id => records.find(record => record.startsWith(`,${id},`))!)
  expect(lines.slice(0, 3)).toEqual([head!, ...wanted])
  expect(lines[3]).toStartWith('"none",')
  const events = await sql<{ detail: object }[]>`
    select detail - 'program_id' as detail from audit_event
    where action = 'applications_downloaded' and audit_event_id > ${newest}`
  expect(events.map(({ detail }) => detail)).toEqual([{ applications: [maria, chidi], filters: ['q'] }])
})

test('a file of several batches contains exactly what the filter finds', async () => {
  const raw = await insertRawProgram(sql, 'many')
  const ids = await insertRawApplications(sql, raw, 430)
  const superseded = ids.filter((_, i) => i % 3 === 0)
  await sql`
    update application set superseded_seq = submit_seq + 1
    where program_id = ${raw.program_id} and application_id = any(${superseded}::bigint[])`
  await sql`update submission_counter set submit_seq = submit_seq + 1 where program_id = ${raw.program_id}`
  for (const [revision, wanted] of [
    ['CURRENT', ids.filter(id => !superseded.includes(id))],
    ['OBSOLETE', superseded],
  ] as const) {
    const file = await browser.get(`/admin/programs/many/applications/download?revision=${revision}`)
    const found = [...(await file.text()).matchAll(/^,(\d+),/gm)].map(([, id]) => Number(id))
    expect(found).toEqual(wanted.toReversed())
  }
})

test('an empty file is complete', async () => {
  const lines = (await (await browser.get(`${list}/download?q=unmatched`)).text()).split('\r\n')
  expect([lines.length, lines[1]!.startsWith('"none",')]).toEqual([3, true])
})

test('statuses are in the order of the program, after “no status” and before removed ones', async () => {
  const ordered = await insertRawProgram(sql, 'ordered')
  const { program_id } = ordered
  await sql`update program set statuses = '{Received,In review,Approved}' where program_id = ${program_id}`
  await insertRawApplications(sql, ordered, 5)
  const given = ['Approved', 'In review', 'Archived', 'Received']
  for (const [i, status] of given.entries())
    await sql`
      update application set status = ${status}, status_last_modified_time = now()
      where program_id = ${program_id} and submit_seq = ${i + 1}`
  const page = await browser.page('/admin/programs/ordered')
  const shown = [...page.matchAll(/status=(?:none|is:)[^"]*">([^<]*)<\/a><\/dt>/g)].map(([, status]) => status)
  expect(shown).toEqual(['No status', 'Received', 'In review', 'Approved', 'Archived'])
})

test('the preview of a change counts obsolete applications, and excludes them on request', async () => {
  const ids = [await apply(named('Yu', 'A')), await apply(named('Yu', 'B'))]
  await sql`update application set superseded_seq = submit_seq + 1 where application_id = ${ids[0]!}`
  const path = `${list}/status?set=is%3AApproved&ticked=${ids[0]}&ticked=${ids[1]}`
  const seen = (page: string) => [...page.matchAll(/name="seen" value="(\d+)-/g)].map(([, id]) => Number(id))
  const page = await browser.page(path)
  expect(seen(page)).toEqual(ids)
  const left = /href="([^"]*only=current)"/.exec(page)![1]!.replaceAll('&amp;', '&')
  const rest = await browser.page(left)
  expect([seen(rest), /href="[^"]*only=current"/.test(rest)]).toEqual([[ids[1]!], false])
})

test('the status of many applications is set after a preview, each with an entry in its history', async () => {
  // Of its own: other tests find those above by their status.
  const [gone, first, second, third] = [
    await apply(named('Xu', 'Gone')),
    await apply(named('Xu', 'A')),
    await apply(named('Xu', 'B')),
    await apply(named('Xu', 'C')),
  ]
  const at = { program_id: program.program_id, actor: 'admin:test', timeZone: service.config.timeZone }
  await annotate(sql, { ...at, application_id: second, status: 'Approved', now: Date.now() * 1000 })
  const filter = `application=%2C${first}`
  const chosen = `set=is%3AApproved&${filter}&ticked=${gone}&ticked=${first}&ticked=${second}&ticked=${third}`
  const path = `${list}/status?${chosen}`
  const page = await browser.page(path)
  const changes = /<ul id="seen">(.*?)<\/ul>/s.exec(page)![1]!.split('<li').map(seenIn)
  expect(changes.slice(1)).toEqual([expect.stringMatching(/\b3\b.*\bApproved$/), expect.stringMatching(/\b1\b/)])
  // In the meantime another caseworker changes one of them, and one is erased.
  await sql`delete from application where application_id = ${gone}`
  await annotate(sql, { ...at, application_id: third, status: 'In review', now: Date.now() * 1000 })
  const seen = [...page.matchAll(/name="seen" value="([^"]*)"/g)].map(([, value]) => value!)
  const fields = { ...fieldsOf(page, path.replaceAll('&', '&amp;')), seen }
  const response = await browser.post(path, fields)
  expect([response.status, response.headers.get('location')]).toEqual([
    303,
    `${list}?${filter}&done=status&set=is%3AApproved&changed=1&left=2`,
  ])
  const done = await browser.page(response.headers.get('location')!)
  expect(done).toMatch(/data-notice="status".*?\b1\b[^<]*\bApproved\b[^<]*\b2\b/s)
  expect(done).not.toMatch(/href="[^"]*changed=1/)
  const rows = await sql<{ application_id: number; status: string | null; states: number }[]>`
    select application_id, status,
      (select count(*) from application_annotation s where (s.program_id, s.application_id) = (a.program_id, a.application_id)) as states
    from application a where application_id in ${sql([first, second, third])} order by application_id`
  expect(rows.map(row => ({ ...row }))).toEqual([
    { application_id: first, status: 'Approved', states: 1 },
    { application_id: second, status: 'Approved', states: 1 },
    { application_id: third, status: 'In review', states: 1 },
  ])
})

test('a note is added to many applications, with or without a status', async () => {
  const ids = [await apply(named('Zu', 'A')), await apply(named('Zu', 'B'))]
  const ticked = ids.map(id => `ticked=${id}`).join('&')
  const send = async (set: string, note: string) => {
    const path = `${list}/status?set=${set}&${ticked}`
    const page = await browser.page(path)
    const seen = [...page.matchAll(/name="seen" value="([^"]*)"/g)].map(([, value]) => value!)
    return { path, sent: { ...fieldsOf(page, path.replaceAll('&', '&amp;')), seen, note } }
  }
  const states = async () => [
    ...(await sql<{ status: string | null; application_note: string | null }[]>`
      select status, application_note from application where application_id in ${sql(ids)} order by application_id`),
  ]
  const empty = await send('unchanged', '')
  expect(errorsOf(await browser.refused(400, empty.path, empty.sent))).toEqual(['note missing'])
  const alone = await send('unchanged', 'Batch 7\r\nchecked')
  expect((await browser.post(alone.path, alone.sent)).status).toBe(303)
  expect(await states()).toEqual(ids.map(() => ({ status: null, application_note: 'Batch 7\nchecked' })))
  const both = await send('is%3AApproved', 'Batch 8')
  expect((await browser.post(both.path, both.sent)).status).toBe(303)
  expect(await states()).toEqual(ids.map(() => ({ status: 'Approved', application_note: 'Batch 8' })))
  const kept = await send('is%3AIn+review', '')
  expect((await browser.post(kept.path, kept.sent)).status).toBe(303)
  expect(await states()).toEqual(ids.map(() => ({ status: 'In review', application_note: 'Batch 8' })))
  const long = await send('unchanged', 'x'.repeat(10_001))
  expect(errorsOf(await browser.refused(400, long.path, long.sent))).toEqual(['note too_long'])
})

test('a link selects all rows of a page', async () => {
  const ticks = (page: string) => [...page.matchAll(/<input type="checkbox" class="tick"[^>]*>/g)].map(([tick]) => tick)
  const page = await browser.page(list)
  expect(ticks(page).filter(tick => tick.includes('checked'))).toEqual([])
  const link = /href="(\?[^"]*)" data-ticks/.exec(page)![1]!.replaceAll('&amp;', '&')
  const selected = await browser.page(list + link)
  expect(ticks(selected).every(tick => tick.includes('checked'))).toBe(true)
  expect(/href="(\?[^"]*)" data-ticks/.exec(selected)![1]).toBe('?')
})

test('a list is sorted by time or status, with each application once on its pages, in both directions', async () => {
  const sorted = await insertRawProgram(sql, 'sorted')
  await sql`update program set statuses = '{Received,"In review",Approved}' where program_id = ${sorted.program_id}`
  const ids = await insertRawApplications(sql, sorted, 130)
  const given = [null, 'Approved', 'In review', 'Archived', 'Received']
  for (const [i, status] of given.entries())
    if (status !== null)
      await sql`
        update application set status = ${status}, status_last_modified_time = now()
        where program_id = ${sorted.program_id} and submit_seq % 5 = ${i}`
  const wanted = [null, 'Received', 'In review', 'Approved', 'Archived'].flatMap(status =>
    ids.filter((_, i) => given[(i + 1) % 5] === status).toReversed(),
  )
  const path = '/admin/programs/sorted/applications'
  const shown = (page: string) => [...page.matchAll(/name="ticked" value="(\d+)"/g)].map(([, id]) => Number(id))
  const linkTo = (page: string, rel: string) =>
    new RegExp(`rel="${rel}" href="([^"]*)"|href="([^"]*)"[^>]*rel="${rel}"`)
      .exec(page)
      ?.slice(1)
      .find(Boolean)
      ?.replaceAll('&amp;', '&')
  for (const [order, expected] of [
    ['newest', ids.toReversed()],
    ['oldest', ids],
    ['status', wanted],
  ] as const) {
    const pages = [await browser.page(`${path}?sort=${order}`)]
    for (let next = linkTo(pages[0]!, 'next'); next !== undefined; next = linkTo(pages.at(-1)!, 'next'))
      pages.push(await browser.page(next))
    expect(pages.flatMap(shown)).toEqual([...expected])
    const back = await browser.page(linkTo(pages[2]!, 'prev')!)
    expect(shown(back)).toEqual(shown(pages[1]!))
    expect(pages[0]).toContain(order === 'newest' ? 'aria-sort="descending"' : 'aria-sort="ascending"')
  }
  // The status at which a page ended is nobody's by the time the next one is read.
  const first = await browser.page(`${path}?sort=status`)
  await sql`
    update application set status = 'Approved', status_last_modified_time = now()
    where program_id = ${sorted.program_id} and status = 'Received'`
  const moved = ids.filter((_, i) => ['Approved', 'Received'].includes(given[(i + 1) % 5] ?? ''))
  const next = shown(await browser.page(linkTo(first, 'next')!))
  expect(next).toEqual([...wanted.slice(52, 78), ...moved.toReversed().slice(0, 24)])
  expect(errorsOf(await (await browser.get(`${path}?sort=color`)).text())).toEqual(['sort malformed'])
})

test('a status is shown in its color, and in gray without one', async () => {
  const colored = await insertRawProgram(sql, 'colored')
  const [first, second] = await insertRawApplications(sql, colored, 2)
  await sql`
    insert into program_version (program_id, state, screens, display_name, statuses, details, created_at, created_by, published_at, published_by)
    select program_id, 'OBSOLETE', screens, display_name, statuses, '{"status_details": [{"status": "Denied", "color": "red"}]}',
      created_at, created_by, now() + interval '1 hour', created_by
    from program_version where program_id = ${colored.program_id} limit 1`
  for (const [id, status] of [
    [first, 'Denied'],
    [second, 'New'],
  ] as const)
    await sql`update application set status = ${status}, status_last_modified_time = now() where application_id = ${id!}`
  const page = await browser.page('/admin/programs/colored/applications')
  for (const badge of ['badge bad">Denied<', 'badge">New<']) expect(page).toContain(badge)
  expect(await browser.page('/admin/programs/colored')).toMatch(/Denied<\/a><\/dt><dd>1<\/dd><svg class="bad"/)
})

test('if another person has changed all of them meanwhile, the form says so and shows their current state', async () => {
  const ids = [await apply(named('Xu', 'D')), await apply(named('Xu', 'E'))]
  const path = `${list}/status?set=is%3AApproved&ticked=${ids[0]}&ticked=${ids[1]}`
  const seenOn = (page: string) => [...page.matchAll(/name="seen" value="([^"]*)"/g)].map(([, value]) => value!)
  const sent = { set: 'is:Approved', seen: seenOn(await browser.page(path)) }
  const at = { program_id: program.program_id, actor: 'admin:test', timeZone: service.config.timeZone }
  for (const application_id of ids)
    await annotate(sql, { ...at, application_id, status: 'In review', now: Date.now() * 1000 })
  const again = await browser.refused(400, path, sent)
  for (const part of ['data-code="changed_concurrently"', 'data-status="is:In review"']) expect(again).toContain(part)
  expect((await browser.post(path, { ...sent, seen: seenOn(again) })).status).toBe(303)
})

test('everything that a filter finds can be selected at once', async () => {
  const form = (await browser.page(list))
    .split(/<form |<\/form>/)
    .find(part => part.includes(`action="${list}/status"`))
  for (const field of ['<select id="set" name="set">', `name="ticked" value="${maria}"`, 'name="all" value="yes"'])
    expect(form).toContain(field)
  const page = await browser.page(`${list}/status?set=is%3AApproved&all=yes&ticked=${maria}&q=hassan`)
  expect(page).toContain(`name="seen" value="${hassan}-`)
  expect(page).not.toContain(`value="${maria}-`)
})

test('exactly the maximum can be selected at once', async () => {
  const statusOf = async (chosen: number) => {
    const sent = Array.from({ length: chosen }, (_, i) => `ticked=${i + 1}`)
    return (await browser.get(`${list}/status?set=none&${sent.join('&')}`)).status
  }
  expect([await statusOf(changedMax), await statusOf(changedMax + 1)]).toEqual([200, 413])
  const many = await insertRawProgram(sql, 'found-many')
  const statusOfAll = async (more: number) => {
    await insertRawApplications(sql, many, more)
    return (await browser.get(`/admin/programs/${many.slug}/applications/status?set=none&all=yes`)).status
  }
  expect([await statusOfAll(changedMax), await statusOfAll(1)]).toEqual([200, 413])
  // Of so many, all are offered where the filters find no more.
  const [item] = await sql`select max(application_id) as id from application where program_id = ${many.program_id}`
  const isOffered = async (filter: string) =>
    (await browser.page(`/admin/programs/${many.slug}/applications${filter}`)).includes('name="all"')
  expect([await isOffered(''), await isOffered(`?application=${item!.id}`)]).toEqual([false, true])
})

const wrongCount = 'seen wrong_count'
test.each([
  ['is:Else', 1, 'seen unknown_status'],
  ['none', 0, wrongCount],
  ['none', changedMax + 1, wrongCount],
])('the status %s of %p applications is not set, and the form says why', async (set, count, reason) => {
  const seen = Array.from({ length: count }, (_, i) => `${maria + i}-1`)
  const path = `${list}/status?set=${set}${count === 0 ? '' : `&ticked=${maria}`}`
  expect(errorsOf(await browser.refused(400, path, { set, seen }))).toEqual([reason])
})
test('the status of applications that are no longer there is not set, and the form says why', async () => {
  const answer = await browser.get(`${list}/status?set=none&ticked=999999999`)
  expect([answer.status, errorsOf(await answer.text())]).toEqual([400, [wrongCount]])
})
