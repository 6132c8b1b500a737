// The people of the console, as an administrator works with them.

import { describe, expect, test } from 'bun:test'
import { disablePerson, editPerson } from '../../../src/core/people/people.ts'
import { runScript } from '../../scripts/run-script.ts'
import { aPerson, ConsoleVisitor, errorsOf, factsOf, isEmptyList, noticesOf } from '../../support/console.ts'
import { ApiProgram, aToken } from '../../support/console-api.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../../support/held-transaction.ts'
import { until } from '../../support/until.ts'

const database = await useDatabase()
const service = await useService(database)
await database.sql`insert into program (slug, display_name) values ('food', 'Food'), ('rent', 'Rent')`
const root = await aPerson(database.sql, { name: 'Root Administrator' })
const browser = await new ConsoleVisitor(service).signIn(root.email)

const invite = (form: Record<string, string | readonly string[]>) => browser.post('/admin/people/invite', form)
const linkIn = (text: string): string => /\/admin\/invitations\/[A-Za-z0-9_-]{43}/.exec(text)![0]

describe('inviting', () => {
  test('shows a link once, with which the person chooses a password, and leaves an audit entry without the link', async () => {
    const response = await invite({ name: 'Bo Reader', email: 'bo@example.gov', role: 'AUDITOR' })
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(noticesOf(text)).toEqual(['shown-once'])
    const path = linkIn(text)
    const bo = new ConsoleVisitor(service)
    const password = 'some words of my own'
    expect((await bo.post(path, { csrf: '', password, repeated: password })).status).toBe(303)
    expect(await bo.page('/admin/people')).toContain('Bo Reader')
    const events =
      await database.sql`select actor, action, detail from audit_event where subject = 'bo@example.gov' order by audit_event_id`
    expect(events.map(event => event.action)).toEqual(['person_invited', 'password_chosen', 'signed_in'])
    expect(events[0]).toMatchObject({ actor: `admin:${root.email}`, detail: { role: 'AUDITOR' } })
    const all = JSON.stringify(await database.sql`select * from audit_event`) + service.logText()
    expect(all).not.toContain(path.split('/').at(-1)!)
    expect(all).not.toContain(password)
  })

  test('adds to a list that can be searched by name, email address, role and program', async () => {
    await database.sql`insert into program (slug, display_name) values ('help-7', 'Help with energy')`
    const { name } = await aPerson(database.sql, {
      name: 'Fern Fooder',
      role: 'PROGRAM_ADMINISTRATOR',
      programs: ['food', 'help-7'],
    })
    // Signs in at a provider.
    await database.sql`update person set password_hash = null, last_signed_in_at = now() where name = ${name}`
    for (const q of ['fern', 'program_administrator.', 'program administrator', 'food', 'help-7', 'with energy']) {
      const page = await browser.page(`/admin/people?q=${encodeURIComponent(q)}`)
      for (const shown of [`>${name}</a>`, '>active<', 'title="help-7" dir="auto">Help with energy</span>'])
        expect(page).toContain(shown)
      expect(page).not.toContain('>Root Administrator</a>')
    }
    expect(isEmptyList(await browser.page('/admin/people?q=rooted'))).toBe(true)
  })

  test('with invalid fields is shown again as filled in, with errors at their fields and in a summary', async () => {
    const response = await invite({ name: '  ', email: 'no email', role: 'PROGRAM_ADMINISTRATOR' })
    const text = await response.text()
    expect(response.status).toBe(400)
    for (const field of ['name', 'email', 'programs']) expect(text).toContain(`href="#${field}"`)
    expect(text).toContain('value="no email"')
    expect(text).toMatch(/value="PROGRAM_ADMINISTRATOR" checked/)
    expect(await database.sql`select from person where email = 'no email'`).toHaveLength(0)
  })

  test('with programs for another role than program administrator is refused without an audit entry', async () => {
    const form = { name: 'Di', email: 'di@example.gov', role: 'AUDITOR', programs: ['food', 'nowhere'] }
    const text = await browser.refused(400, '/admin/people/invite', form)
    expect(errorsOf(text)).toContain('programs not_allowed')
    expect(text).toMatch(/value="food" checked/)
    const fay = await aPerson(database.sql, { role: 'PROGRAM_ADMINISTRATOR', programs: ['food'] })
    const path = `/admin/people/${fay.person_id}`
    await browser.refused(400, path, { name: 'Fay', role: 'ADMINISTRATOR', programs: ['food', 'rent'] })
    const { status, body } = await ApiProgram.withToken(service, (await aToken(database.sql, root)).token).ask(
      'PUT',
      `/people/${fay.person_id}`,
      { name: 'Fay', role: 'AUDITOR', programs: ['food'] },
    )
    expect([status, body.errors[0]]).toEqual([400, expect.objectContaining({ path: '/programs', code: 'not_allowed' })])
    const reported = await database.sql`
      select from audit_event
      where subject = 'di@example.gov' or (subject = ${fay.email} and action = 'person_edited')`
    expect(reported).toHaveLength(0)
    expect((await browser.post(path, { name: 'Fay', role: 'AUDITOR' })).status).toBe(303)
    const [edited] = await database.sql`
      select detail from audit_event where subject = ${fay.email} and action = 'person_edited'`
    expect(edited!.detail).toEqual({ name: 'Fay', role: 'AUDITOR' })
  })

  test('refuses an existing email address in any case, an invisible name or one with several lines, and an unknown program', async () => {
    const again = await invite({ name: 'Root Again', email: root.email.toUpperCase(), role: 'AUDITOR' })
    expect(errorsOf(await again.text())).toEqual(['email taken'])
    for (const name of ['\u202e \u200f', 'Two\tcells', 'Two\u2028lines', 'x'.repeat(201)]) {
      const unseen = await invite({ name, email: 'unseen@example.gov', role: 'AUDITOR' })
      expect(errorsOf(await unseen.text())).toEqual(['name missing'])
    }
    const nowhere = await invite({
      name: 'Cy',
      email: 'cy@example.gov',
      role: 'PROGRAM_ADMINISTRATOR',
      programs: ['food', 'nowhere'],
    })
    const unknown = await nowhere.text()
    expect(errorsOf(unknown)).toEqual(['programs unknown_program'])
    expect(unknown).toContain('&quot;nowhere&quot;')
    expect(await database.sql`select from person where email in ('unseen@example.gov', 'cy@example.gov')`).toHaveLength(
      0,
    )
  })
})

describe('a person', () => {
  test('is given another role and programs from the next request', async () => {
    const dee = await aPerson(database.sql, { role: 'AUDITOR' })
    const theirs = await new ConsoleVisitor(service).signIn(dee.email)
    expect((await theirs.get('/admin/people')).status).toBe(200)
    const path = `/admin/people/${dee.person_id}`
    const saved = await browser.post(path, { name: 'Dee', role: 'PROGRAM_ADMINISTRATOR', programs: ['food', 'rent'] })
    expect(saved.headers.get('location')).toBe(`${path}?done=saved`)
    expect((await theirs.get('/admin/people')).status).toBe(403)
    expect(await browser.page(path)).toMatch(/value="rent" checked/)
    const auditor = await aPerson(database.sql, { role: 'AUDITOR' })
    const seen = await (await new ConsoleVisitor(service).signIn(auditor.email)).page(path)
    expect(seen).toContain('<h2>Program administrator</h2>')
    expect(factsOf(seen)).toEqual({ Programs: 'Food, Rent' })
    // As they were, in whatever order the page has them, they give way to the role.
    const back = { name: 'Dee', role: 'AUDITOR', programs: ['rent', 'food'] }
    expect((await browser.post(path, back)).headers.get('location')).toBe(`${path}?done=saved`)
  })

  test('is disabled and enabled again', async () => {
    const eve = await aPerson(database.sql)
    const path = `/admin/people/${eve.person_id}`
    expect((await browser.post(`${path}/disable`)).status).toBe(303)
    expect(noticesOf(await browser.page(`${path}?done=disabled`))).toContain('disabled')
    const theirs = new ConsoleVisitor(service)
    await expect(theirs.signIn(eve.email)).rejects.toThrow('401')
    await browser.post(`${path}/enable`)
    await theirs.signIn(eve.email)
  })

  test('loses an open link when disabled, even after being enabled again', async () => {
    const link = linkIn(await (await invite({ name: 'Ida', email: 'ida@example.gov', role: 'AUDITOR' })).text())
    const [ida] = await database.sql`select person_id from person where email = 'ida@example.gov'`
    const path = `/admin/people/${ida!.person_id}`
    const words = 'some words of my own'
    const choose = () => new ConsoleVisitor(service).post(link, { csrf: '', password: words, repeated: words })
    for (const change of ['disable', 'enable']) {
      expect((await browser.post(`${path}/${change}`)).status).toBe(303)
      expect((await choose()).status).toBe(404)
    }
    const shown = await (await browser.post(`${path}/link`)).text()
    expect(noticesOf(shown)).toEqual(['shown-once'])
    const again = linkIn(shown)
    expect((await new ConsoleVisitor(service).get(again)).status).toBe(200)
  })

  test('stays an enabled administrator if they are the last one, even if two are changed at once', async () => {
    const apart = await useDatabase()
    const alone = await useService(apart)
    const [item, two] = [await aPerson(apart.sql), await aPerson(apart.sql)]
    const [first, second] = [
      await new ConsoleVisitor(alone).signIn(item.email),
      await new ConsoleVisitor(alone).signIn(two.email),
    ]
    const [csrfOne, csrfTwo] = [await first.csrf(), await second.csrf()]
    // Neither can store anything before both have looked who is left.
    const release = await holdTransaction(apart.sql, tx => tx`lock table person in share mode`)
    const both = Promise.all([
      first.post(`/admin/people/${two.person_id}/disable`, { csrf: csrfOne }),
      second.post(`/admin/people/${item.person_id}/disable`, { csrf: csrfTwo }),
    ])
    await until('both to wait', async () => (await waitingForLocks(apart.sql)) === 2)
    await release()
    await both
    expect(await apart.sql`select from person where disabled_at is null`).toHaveLength(1)
    const [left] = await apart.sql<
      { person_id: number; email: string }[]
    >`select person_id, email from person where disabled_at is null`
    const last = await new ConsoleVisitor(alone).signIn(left!.email)
    expect((await last.post(`/admin/people/${left!.person_id}/disable`)).status).toBe(409)
    expect((await last.post(`/admin/people/${left!.person_id}`, { name: 'x', role: 'AUDITOR' })).status).toBe(409)
  })
})

test('a disabled administrator can be given another role, even if only one other administrator is left', async () => {
  const apart = await useDatabase()
  const left = await aPerson(apart.sql)
  const gone = await aPerson(apart.sql)
  const by = { actor: 'operator:test', now: Date.now() * 1000 }
  await disablePerson(apart.sql, gone.person_id, by)
  await editPerson(apart.sql, gone.person_id, { name: 'Gone', role: 'AUDITOR', programs: [] }, by)
  const rows = await apart.sql`select person_id, role from person order by person_id`
  expect([...rows]).toEqual([
    { person_id: left.person_id, role: 'ADMINISTRATOR' },
    { person_id: gone.person_id, role: 'AUDITOR' },
  ])
})

describe('scripts/admin', () => {
  // Without a port it would print the address of a service that runs from this checkout.
  const admin = (...args: string[]) => runScript('console-people', database.url, args, '', { PORT: '8080' })

  test('creates an administrator with a link, and enables a disabled one', async () => {
    const made = await admin('create', 'first@example.gov', 'First One')
    expect(made).toMatchObject({ code: 0, err: '' })
    expect(made.out).toContain('http://127.0.0.1:8080/admin/invitations/')
    const password = 'words for the first'
    const theirs = new ConsoleVisitor(service)
    expect((await theirs.post(linkIn(made.out), { csrf: '', password, repeated: password })).status).toBe(303)
    const [person] = await database.sql<{ person_id: number }[]>`
      select person_id from person where email = 'first@example.gov'`
    await disablePerson(database.sql, person!.person_id, { actor: 'operator:test', now: Date.now() * 1000 })
    expect((await theirs.get('/admin/people')).status).toBe(303)
    expect((await admin('link', 'first@example.gov')).code).toBe(1)
    expect((await admin('enable', 'FIRST@example.gov')).code).toBe(0)
    expect((await admin('link', 'first@example.gov')).out).toContain('/admin/invitations/')
  })

  test('reports invalid requests, and changes nothing', async () => {
    expect(await admin('create', 'p@example.gov', 'P', '--role', 'program-administrator')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^ {2}programs: .*\[missing\]$/m),
    })
    expect((await admin('enable', 'unknown@example.gov')).err).toMatch(/^.*unknown@example\.gov.* \[not_found\]\n$/)
    for (const args of [
      [],
      ['create'],
      ['create', 'a@b'],
      ['create', 'a@b', 'A', 'B'],
      ['enable'],
      ['create', 'a@b', 'A', '--role', 'king'],
    ])
      expect([args, (await admin(...args)).code]).toEqual([args, 2])
  })
})
