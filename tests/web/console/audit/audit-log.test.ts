// The audit log in the console: "An audit log, append-only" (contract, section 3), to be read, filtered, taken away and checked.

import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { sealAuditLog } from '../../../../src/core/audit/seal-audit.ts'
import { appendAuditEvent, readAuditEvents } from '../../../../src/db/audit/audit.ts'
import { detailPairs } from '../../../../src/web/console/audit/audit-details.ts'
import { applicationsIn, entriesOf } from '../../../../src/web/console/audit/audit-grouping.ts'
import { phraseOf } from '../../../../src/web/console/audit/audit-labels.ts'
import { refuseAuditLines, tamper } from '../../../support/audit-log.ts'
import { aPerson, ConsoleVisitor, isEmptyList, seenIn } from '../../../support/console.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'

const timeZone = 'Pacific/Auckland'
const database = await useDatabase({ timeZone })
const { sql } = database
await sql`insert into program (slug, display_name) values ('food', 'Food')`
const service = await useService(database, { timeZone })
const ada = await aPerson(sql, { role: 'AUDITOR', name: 'Ada Auditor' })
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const path = '/admin/audit'

const note = (subject: string, more: Partial<Parameters<typeof appendAuditEvent>[1]> = {}) =>
  appendAuditEvent(sql, { actor: 'admin:kim@example.gov', action: 'program_published', subject, ...more })

/** The subjects of a page's events, in order. */
const subjectsOf = (page: string): string[] =>
  [...page.matchAll(/<a class="subject"[^>]*>([^<]*)</g)].map(([, subject]) => subject!)

const hostile = `<script>alert(1)</script>"'&<img src=x onerror=alert(2)>`

describe('the list of audit entries', () => {
  test('shows who did what, when, from where, on what, newest first', async () => {
    const key = await createTestKey(sql, { programs: ['food'], name: 'County sync' })
    await note('first-thing')
    await note('second-thing', { actor: `key:${key.api_key_id}`, address: '192.0.2.17', detail: { version: 7 } })
    const page = await browser.page(path)
    const subjects = subjectsOf(page)
    expect(subjects.indexOf('second-thing')).toBe(subjects.indexOf('first-thing') - 1)
    expect(page).toContain('County sync')
    expect(page).toContain('192.0.2.17')
    expect(page).toContain('Program published')
    expect(page).toContain('>version: 7<')
    await note('role-change', {
      detail: { role: 'PROGRAM_ADMINISTRATOR', former: { role: 'AUDITOR' }, reason: 'AUDITOR' },
    })
    expect(await browser.page(`${path}?subject=role-change`)).toContain(
      '>role: Program administrator · former: role: Auditor · reason: AUDITOR<',
    )
  })

  test('has each action as a sentence under its day, and people by name, who can be chosen as a filter', async () => {
    for (const action of ['signed_in', 'program_draft_saved'])
      await note('sentence', { actor: `admin:${ada.email}`, action })
    await note('sentence', { actor: 'anonymous', action: 'sign_in_failed' })
    const times = await sql<{ at: string }[]>`
      select to_char(happened_at at time zone ${timeZone}, 'YYYY-MM-DD HH24:MI') as at
      from audit_event where subject = 'sentence' order by audit_event_id`
    const page = await browser.page(`${path}?subject=sentence`)
    const text = seenIn(page)
    for (const [i, did] of ['signed in as', 'saved a draft of'].entries()) {
      const [day, clock] = times[i]!.at.split(' ')
      expect(text).toContain(`${clock} Ada Auditor ${ada.email} ${did} sentence`)
      expect(page).toContain(`<h2 id="day-${day}">`)
    }
    expect(text).toMatch(/\d anonymous [a-z ]+ sentence/)
    expect(page).toContain(`<option value="${ada.email}">Ada Auditor</option>`)
    const theirs = await browser.page(`${path}?subject=sentence&actor=${encodeURIComponent(ada.email)}`)
    expect(subjectsOf(theirs)).toHaveLength(2)
  })

  test('has applications that got a status together as one entry, and a note separately', async () => {
    const annotated = (subject: number, detail: { status: string | null; status_changed: boolean }) =>
      note(`9${subject}`, { actor: `admin:${ada.email}`, action: 'application_annotated', detail })
    for (let i = 0; i < 12; i++) await annotated(i, { status: i < 9 ? 'Approved' : 'Denied', status_changed: true })
    await annotated(50, { status: 'Approved', status_changed: false })
    const page = await browser.page(`${path}?action=application_annotated&actor=${encodeURIComponent(ada.email)}`)
    const text = seenIn(page)
    expect(text).toMatch(/ 911 and 2 .{1,12} Denied\b/)
    expect(text).toMatch(/ 98 and 8 .{1,12} Approved\b/)
    expect(subjectsOf(page)).toEqual(['950', '911', '98'])
    // Those of more than an hour are more than one.
    const detail = { status: 'Approved', status_changed: true }
    const set = { audit_event_id: 1, actor: 'x', action: 'application_annotated', subject: '1', address: null, detail }
    const events = [0, 30, 59, 60, 90, 120].map(minutes => ({ ...set, happened_at: -minutes * 60_000_000 }))
    expect(entriesOf(events, 9).entries.map(({ together }) => together.length)).toEqual([3, 2, 1])
  })

  test('has the applications that one person viewed within an hour as one entry, without one for each comparison', async () => {
    const viewed = (subject: string, reading: string) =>
      note(subject, { actor: `admin:${ada.email}`, action: 'application_read', detail: { program_id: 1, reading } })
    for (const subject of ['71', '72', '73']) await viewed(subject, 'shown')
    await viewed('72', 'compared')
    const page = await browser.page(`${path}?action=application_read&actor=${encodeURIComponent(ada.email)}`)
    expect(seenIn(page)).toMatch(/ viewed 3 /)
    expect(page.match(/<a class="at"/g)).toHaveLength(1)
    expect(page.match(/<ol class="pages-of">.*?<\/ol>/s)![0].match(/<li>/g)).toHaveLength(4)
    const view = { actor: 'x', action: 'application_read', address: null, detail: { program_id: 1 } }
    const events = [0, 59, 60].map((minutes, i) => ({
      ...view,
      subject: `${i}`,
      audit_event_id: i,
      happened_at: -minutes * 60_000_000,
    }))
    expect(entriesOf(events, 9).entries.map(({ together }) => applicationsIn(together))).toEqual([2, 1])
  })

  test('has the views of one list within an hour as one entry, and of another list separately', async () => {
    for (const [subject, applications] of [
      ['one-list', [1, 2]],
      ['one-list', [3]],
      ['other-list', [4]],
    ] as const)
      await note(subject, { actor: `admin:${ada.email}`, action: 'applications_listed', detail: { applications } })
    const page = await browser.page(`${path}?action=applications_listed&actor=${encodeURIComponent(ada.email)}`)
    expect(page.match(/<a class="at"/g)).toHaveLength(2)
    expect(page.match(/<ol class="pages-of">.*?<\/ol>/s)![0].match(/<li>/g)).toHaveLength(2)
  })

  test('has what one person saved of a draft as one entry, and another person’s separately', async () => {
    for (const actor of ['admin:kim@example.gov', 'admin:kim@example.gov', `admin:${ada.email}`])
      await note('drafted', { actor, action: 'program_draft_saved' })
    const page = await browser.page(`${path}?subject=drafted`)
    expect(page.match(/<a class="at"/g)).toHaveLength(2)
  })

  test('has the pages of a walk as one entry, and those of another key or walk separately', async () => {
    const keys = [await createTestKey(sql, { name: 'One' }), await createTestKey(sql, { name: 'Two' })]
    for (const [key, walk, pages] of [[0, 'a', 600], [0, 'b', 20], [1, 'b', 1]] as const) // biome-ignore format: a table
      await sql`
        insert into audit_event (actor, action, subject, detail)
        select ${`key:${keys[key]!.api_key_id}`}, 'applications_exported', 'walked',
          ${sql.json({ walk, applications: 10, outcome: 'complete' })} from generate_series(1, ${pages}::integer)`
    // A page looks at 500 events, and the one after it goes on in the same walk.
    const page = await browser.page(`${path}?subject=walked`)
    expect(subjectsOf(page)).toHaveLength(3)
    expect(page).toMatch(/>4,790 [^<]* 479 /)
    expect(page).toMatch(/>200 [^<]* 20 /)
    expect(page.match(/class="pages-of"/g)).toHaveLength(2)
    expect(page.match(/<li><a href="\/admin\/audit\/events\/\d+">/g)).toHaveLength(499)
    const earlier = await browser.page(/rel="next" href="([^"]*)"/.exec(page)![1]!.replaceAll('&amp;', '&'))
    expect(earlier).toMatch(/>1,210 [^<]* 121 /)
    expect(earlier).not.toContain('rel="next"')
  })

  test('breaks an email address between its parts on a narrow screen, not within a word', async () => {
    await note('bo@desk.example.gov')
    const page = await browser.page(`${path}?subject=bo%40desk.example.gov`)
    for (const address of ['kim@<wbr/>example<wbr/>.gov', 'bo@<wbr/>desk<wbr/>.example<wbr/>.gov'])
      expect(page).toContain(`>${address}</a>`)
  })

  test('takes its filters from the address, and shows them', async () => {
    await note('filtered', { actor: 'operator:bo', action: 'program_draft_saved' })
    await note('filtered', { actor: 'operator:bo', action: 'program_published' })
    await note('filtered', { actor: 'operator:cy', action: 'program_published' })
    const query = '?actor=operator%3Abo&action=program_published&subject=filtered'
    const page = await browser.page(path + query)
    expect(subjectsOf(page)).toEqual(['filtered'])
    expect(page).toContain('value="operator:bo"')
    expect(page).toMatch(/<option value="program_published" selected/)
    // Each that is on is a link that takes it off.
    expect(
      [...page.matchAll(/class="badge info" href="([^"]*)".*?dir="auto">([^<]*)/g)].map(([, ...chip]) => chip),
    ).toEqual([
      ['/admin/audit?action=program_published&amp;subject=filtered', 'by operator:bo'],
      ['/admin/audit?actor=operator%3Abo&amp;subject=filtered', 'Program published'],
      ['/admin/audit?actor=operator%3Abo&amp;action=program_published', 'on filtered'],
    ])
    expect(page).toContain(`href="/admin/audit/events.csv${query.replaceAll('&', '&amp;')}"`)
    expect(isEmptyList(await browser.page(`${path}?subject=nothing-of-the-kind`))).toBe(true)
    const wanted = { actor: 'operator:wanted', action: 'wanted_action', subject: 'wanted subject' }
    const filters = Object.entries(wanted)
    await note(wanted.subject, wanted)
    for (const [name] of filters)
      await note(name === 'subject' ? 'other' : wanted.subject, { ...wanted, [name]: 'other' })
    // Each alone leaves out the one event that has something else there.
    for (const [name, value] of filters)
      expect(
        (await browser.page(`${path}?${new URLSearchParams({ [name]: value })}`)).match(/class="at"/g),
      ).toHaveLength(3)
  })

  test('accepts dates and instants in the instance’s time zone for from and before, and reports other text at its field', async () => {
    await note('dated')
    const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
    expect(subjectsOf(await browser.page(`${path}?subject=dated&from=2020-01-01&to=${tomorrow}`))).toEqual(['dated'])
    expect(subjectsOf(await browser.page(`${path}?subject=dated&from=${tomorrow}`))).toEqual([])
    expect(subjectsOf(await browser.page(`${path}?subject=dated&to=2020-01-01T00:00:00Z`))).toEqual([])
    const refused = await browser.get(`${path}?from=yesterday&to=2026-02-30&subject=dated`)
    const text = await refused.text()
    expect(refused.status).toBe(400)
    for (const name of ['from', 'to']) {
      expect(text).toContain(`href="#${name}"`)
      expect(text).toContain(`id="${name}-error"`)
    }
    expect(await browser.page(path)).toContain(' name="to" type="date" value spell')
    for (const value of ['yesterday', '2026-02-30']) expect(text).toContain(`type="text" value="${value}"`)
    expect(text).toContain('value="dated"')
    expect(subjectsOf(text)).toEqual([])
    expect(isEmptyList(text)).toBe(false)
  })

  test('has pages that together are the whole list, whatever is added meanwhile', async () => {
    for (let i = 0; i < 120; i++) await note(`paged-${i}`, { actor: 'operator:pages' })
    const seen: string[] = []
    let next: string | undefined = `${path}?actor=operator%3Apages`
    while (next !== undefined) {
      const page: string = await browser.page(next)
      if (seen.length > 0) expect(page).toContain('href="/admin/audit?actor=operator%3Apages">Newest<')
      seen.push(...subjectsOf(page))
      await note('added-later', { actor: 'operator:pages' })
      next = /rel="next" href="([^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, i) => `paged-${119 - i}`))
  })

  test('shows any actor, action, subject and detail as text, on every page', async () => {
    await note(hostile, {
      actor: `admin:${hostile}`,
      action: hostile,
      detail: { [hostile]: [hostile], more: 1, and: 2 },
    })
    const [row] = await sql<{ id: number }[]>`select audit_event_id as id from audit_event where subject = ${hostile}`
    for (const where of [path, `${path}?subject=${encodeURIComponent(hostile)}`, `${path}/events/${row!.id}`]) {
      const page = await browser.page(where)
      expect(page).toContain('&lt;script>alert(1)')
      expect(page).not.toContain('<script>alert')
      expect(page).not.toContain('<img')
    }
    const odd = await browser.page(`${path}?actor=${encodeURIComponent(hostile)}&action=${encodeURIComponent(hostile)}`)
    expect(odd).not.toContain('<script>alert')
  })

  test('shortens long details, which are complete on the event’s page', async () => {
    const applications = Array.from({ length: 1000 }, (_, i) => 900_000 + i)
    await note('long', { detail: { applications, nested: { deep: { deeper: true } } } })
    const list = await browser.page(`${path}?subject=long`)
    expect(list).toContain('and 980 more')
    expect(list).not.toContain('900500')
    expect(list).toContain('nested: deep: deeper')
    const event = /\/admin\/audit\/events\/\d+/.exec(list)![0]
    expect(await browser.page(event)).toContain('900999')
    const pairs = (count: number) =>
      detailPairs(Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, i])))
    expect([pairs(40).at(-1), pairs(41).length, pairs(50).at(-1)?.name]).toEqual([
      { name: 'n39', value: '39' },
      41,
      'more',
    ])
  })

  test('has a sentence for every action that the service records', async () => {
    const writes =
      /(?:recordAction|appendAuditEvents?|auditApplicant|record)\([^;]*?\)\n|action(?::| =)[^\n]*\n[^\n]*\n[^\n]*/g
    const actions = new Set<string>()
    for (const file of new Glob('src/**/*.{ts,tsx}').scanSync())
      for (const [call] of (await Bun.file(file).text()).matchAll(writes))
        for (const [, action] of call.matchAll(/'([a-z]+(?:_[a-z]+)+)'/g))
          if (!/_(micros|seq|http|name|password|session)$/.test(action!)) actions.add(action!)
    expect(actions.size).toBeGreaterThan(70)
    const [event] = await readAuditEvents(sql, {}, { beforeId: undefined, rowsMax: 1 })
    // One that is not known would begin with the name of the action, in a capital.
    const phrases = [...actions].map(action => phraseOf({ ...event!, action, detail: {} }).did)
    expect(phrases.filter(phrase => !/^[a-z]/.test(phrase))).toEqual([])
  })

  test('shows what happened to a program, and formats times in details', async () => {
    for (const [before, intake_state] of [
      ['OPEN', 'CLOSED'],
      ['CLOSED', 'ARCHIVED'],
      ['ARCHIVED', 'OPEN'],
      ['OPEN', 'PAUSED'],
      ['PAUSED', 'PAUSED'],
    ])
      await note('food', { action: 'program_intake_set', detail: { intake_state, before } })
    const earlier_secret_until = '2026-12-04T08:35:49.975000Z'
    await note('tribk_x', { action: 'api_key_rotated', detail: { earlier_secret_until } })
    await note('9', { action: 'application_read', detail: { reading: 'shown' } })
    const page = await browser.page(path)
    const text = seenIn(page)
    for (const said of ['closed Food', 'archived Food', 'opened Food', 'paused Food', 'message for Food'])
      expect(text).toContain(said)
    expect(text).toMatch(/before: Open · [a-z ]+: Closed/)
    expect(text).toMatch(/[a-z ]+: Dec 4, 2026, 21:35/)
    expect(text).not.toContain('shown')
    expect(text).not.toContain(earlier_secret_until)
  })

  test('shows the program of a detail, and how an application was read', () => {
    const names = new Map([['program 7', 'Rent']])
    expect(detailPairs({ program_id: 7, reading: 'as_exported' }, names)).toEqual([
      { name: 'program', value: 'Rent' },
      { name: 'viewed', value: 'as exported' },
    ])
    expect(detailPairs({ program_id: 8 }, names)).toEqual([{ name: 'program ID', value: '8' }])
  })
})

describe('the download of the audit log', () => {
  const csvOf = async (query: string) => {
    const response = await browser.get(`${path}/events.csv${query}`)
    return { response, text: await response.text() }
  }

  test('has every matching event once, over many batches, and is recorded in the audit log', async () => {
    await sql`
      insert into audit_event (actor, action, subject)
      select 'operator:many', 'x', 'many-' || n from generate_series(1, 2500) as n`
    const [from, to] = ['2020-01-01T00:00:00.000000Z', '2099-01-01T00:00:00.000000Z']
    const { response, text } = await csvOf(`?actor=operator%3Amany&from=${from}&to=${to}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"$/)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const lines = text.split('\r\n')
    expect(lines[0]).toBe('"event","happened_at","actor","key_name","action","subject","address","detail"')
    expect(lines[1]).toMatch(/\+1[23]:00","operator:many"/)
    expect(lines.at(-1)).toBe('')
    const subjects = lines.slice(1, -1).map(line => /"(many-\d+)"/.exec(line)![1])
    expect(subjects).toEqual(Array.from({ length: 2500 }, (_, i) => `many-${2500 - i}`))
    const [event] =
      await sql`select actor, detail from audit_event where action = 'audit_log_downloaded' order by audit_event_id desc`
    expect(event).toEqual({
      actor: `admin:${ada.email}`,
      detail: { filters: { actor: 'operator:many', from, to }, events: 2500 },
    })
  })

  test('is not sent if its audit entry cannot be written', async () => {
    await note('kept back')
    const takeLines = await refuseAuditLines(sql)
    const { response, text } = await csvOf('')
    expect(response.status).toBe(500)
    expect(text).not.toContain('kept back')
    await takeLines()
    expect((await csvOf('')).text).toContain('kept back')
  })

  test('does not contain its own entry, and HEAD makes none', async () => {
    const before = await sql`select from audit_event where action = 'audit_log_downloaded'`
    const head = await service.get(`${path}/events.csv`, {
      method: 'HEAD',
      headers: { Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(await sql`select from audit_event where action = 'audit_log_downloaded'`).toHaveLength(before.length)
    const [{ count }] = (await sql`select count(*) from audit_event`) as unknown as [{ count: number }]
    const { text } = await csvOf('')
    expect(text.match(/"\r\n"\d+",/g)).toHaveLength(count)
  })

  test('contains no cell that is a formula', async () => {
    await note('=HYPERLINK("http://evil.example","x")', { actor: '@SUM(1)', action: '+1+1', detail: {} })
    const { text } = await csvOf(`?actor=${encodeURIComponent('@SUM(1)')}`)
    expect(text).toContain(`"'@SUM(1)"`)
    expect(text).toContain(`"'+1+1"`)
    expect(text).toContain(`"'=HYPERLINK(""http://evil.example"",""x"")"`)
  })

  test('with invalid filters returns an error page', async () => {
    const { response, text } = await csvOf('?from=never')
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    expect(text).toContain('id="from-error"')
  })
})

describe('verifying it', () => {
  const parts = async (form: Record<string, string> = {}): Promise<string> =>
    (await browser.post(`${path}/verify`, form)).text()
  const toneOf = (page: string): string | undefined => /class="notice (\w+)/.exec(page)?.[1]

  test('an unchanged audit log is intact, and contains a seal noted earlier', async () => {
    await sealAuditLog(sql)
    const seal = /<code id="seal">([^<]*)</.exec(await browser.page(`${path}/verify`))![1]!
    await note('after-the-seal')
    const [{ count }] = (await sql`select sum(events)::bigint as count from audit_seal`) as unknown as [
      { count: number },
    ]
    const found = await parts({ seal: ' ' })
    expect(toneOf(found)).toBe('good')
    expect(found).toContain(`${count.toLocaleString('en-US')} events`)
    expect(toneOf(await parts({ seal }))).toBe('good')
  })

  test('an invalid seal is reported at its field', async () => {
    const text = await browser.refused(400, `${path}/verify`, { seal: 'hello' })
    for (const part of ['id="seal-error"', 'value="hello"']) expect(text).toContain(part)
  })

  test('a changed or inserted event is found in its segment', async () => {
    await note('to-be-tampered-with')
    await sealAuditLog(sql)
    const [{ segment }] = await sql<[{ segment: number }]>`select max(segment) as segment from audit_seal`
    await tamper(sql, `update audit_event set actor = 'admin:other' where subject = 'to-be-tampered-with'`)
    expect(await parts()).toContain(`segment ${segment}`)
    await tamper(sql, `update audit_event set actor = 'admin:kim@example.gov' where subject = 'to-be-tampered-with'`)
    expect(toneOf(await parts())).toBe('good')
    await tamper(
      sql,
      `insert into audit_event (audit_event_id, actor, action, subject) values (0, 'admin:x', 'x', 'inserted')`,
    )
    expect(await parts()).toContain('segment 1 ')
    await tamper(sql, `delete from audit_event where subject = 'inserted'`)
  })
})
