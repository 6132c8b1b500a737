// API keys in the console: "created by the administrator in the admin UI", the confirmation screen, the index page.

import { describe, expect, test } from 'bun:test'
import {
  aPerson,
  ConsoleVisitor,
  decoded,
  errorsOf,
  factsOf,
  fieldsOf,
  isEmptyList,
  noticesOf,
  rowsOf,
} from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey, type TestKey } from '../../support/keys.ts'
import { findNeeded, needs } from '../../support/needs.ts'
import { aProgram, everyKind, q } from '../../support/programs.ts'
import { until } from '../../support/until.ts'

const database = await useDatabase()
let now = Date.now() * 1000
const service = await useService(
  database,
  { sessionLifetimeMs: 604_800_000, sessionIdleMs: 86_400_000 },
  { now: () => now },
)
for (const slug of ['food', 'rent']) await aProgram(database.sql, { slug, questions: [q.text(`words ${slug}`)] })
const ada = await aPerson(database.sql, { name: 'Ada Administrator' })
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const day = 86_400_000_000
const dayOf = (at: number): string =>
  new Date(at / 1000).toLocaleDateString('en-US', { timeZone: 'UTC', dateStyle: 'medium' })

const wanted = {
  name: 'County sync',
  programs: ['food'],
  from: 'subnets',
  allowed_subnets: '127.0.0.1\n192.0.2.0/24',
  expiry: '90d',
  may: 'export',
}
const text = (html: string, id: string): string => new RegExp(`<code id="${id}">([^<]*)</code>`).exec(html)![1]!

async function issued(
  response: Response,
): Promise<{ path: string; username: string; password: string; token: string; html: string }> {
  expect(response.status).toBe(303)
  const path = response.headers.get('location')!
  const html = await browser.page(path)
  return { path, html, username: text(html, 'username'), password: text(html, 'password'), token: text(html, 'token') }
}
const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
const checkAuth = async (authorization: string): Promise<number> =>
  (await service.get('/api/v1/checkAuth', { headers: { Authorization: authorization } })).status

describe('creating a key', () => {
  test('suggests the front ends that keys submit as', async () => {
    for (const frontEnd of ['portal', 'kiosk'])
      await createTestKey(database.sql, { programs: ['food'], maySubmit: true, frontEnd })
    const form = await browser.page('/admin/keys/new')
    const [, list] = /<input[^>]*list="([^"]*)"[^>]*name="front_end"|<input[^>]*name="front_end"[^>]*list="([^"]*)"/
      .exec(form)!
      .filter(Boolean)
    const [, options] = new RegExp(`<datalist id="${list}">(.*?)</datalist>`, 's').exec(form)!
    const values = [...options!.matchAll(/<option value="([^"]*)"/g)].map(([, value]) => value)
    expect(values).toEqual(values.toSorted())
    expect(values).toEqual(expect.arrayContaining(['kiosk', 'portal']))
  })

  test('offers the client’s IP address, and selects the program named in the address of the form', async () => {
    const form = await browser.page('/admin/keys/new?programs=rent')
    expect(fieldsOf(form, '/admin/keys/new').programs).toBe('rent')
    const typed = { ...wanted, from: 'current', allowed_subnets: '192.0.2.0/24' }
    const { username } = await issued(await browser.post('/admin/keys/new', typed))
    const [row] = await database.sql<{ subnets: string[] }[]>`
      select allowed_subnets::text[] as subnets from api_key where api_key_id = ${username}`
    expect(row!.subnets.toSorted()).toEqual(['127.0.0.1/32', '192.0.2.0/24'])
    const [, shown] = /<code>([^<]*192\.0\.2\.0\/24[^<]*)</.exec(await browser.page(`/admin/keys/${username}`))!
    expect(shown!.split(', ').toSorted()).toEqual(['127.0.0.1', '192.0.2.0/24'])
  })

  test('shows a message for the integrator with the username and not the password', async () => {
    const { html, username, password, token } = await issued(await browser.post('/admin/keys/new', wanted))
    const message = /<pre id="message"[^>]*>([^<]*)/.exec(html)![1]!
    expect(message).toContain(username)
    expect(message).toContain('/docs/api/programs/food')
    for (const secret of [password, token]) expect(message).not.toContain(secret)
  })

  test('shows the requests to submit on the page of a key that submits, without its password', async () => {
    const submits = { ...wanted, may: 'submit', front_end: 'samples' }
    const { username, password } = await issued(await browser.post('/admin/keys/new', submits))
    const page = await browser.page(`/admin/keys/${username}`)
    expect(page).toContain('<code id="sample-submit">')
    expect(page).not.toContain(password)
    const exports = await issued(await browser.post('/admin/keys/new', wanted))
    expect(await browser.page(`/admin/keys/${exports.username}`)).not.toContain('sample-submit')
  })

  test('shows username, password and API Secret Token once with a working curl command, and says so when they are gone', async () => {
    const key = await issued(await browser.post('/admin/keys/new', { ...wanted, hidden_questions: 'words food' }))
    expect(key.token).toBe(Buffer.from(`${key.username}:${key.password}`).toString('base64'))
    expect(key.html).toContain(`${service.baseUrl}/api/v1/admin/programs/food/applications`)
    expect(await checkAuth(`Basic ${key.token}`)).toBe(200)
    const again = await browser.page(key.path)
    expect(again).not.toContain('id="password"')
    expect(again).not.toContain(key.password)
    // In no sink: not in the log, the audit log or any table.
    const everything = service.logText() + JSON.stringify(await database.sql`select * from audit_event`)
    expect(everything).not.toContain(key.password)
    const [event] =
      await database.sql`select actor, detail from audit_event where action = 'api_key_created' and subject = ${key.username}`
    expect(event).toMatchObject({ actor: `admin:${ada.email}`, detail: { name: 'County sync', programs: ['food'] } })
    expect(factsOf(await browser.page(`/admin/keys/${key.username}`))['Hidden questions']).toBe('words food')
  })

  test.skipIf(!needs('curl'))('F12: shows a sample that submits an application as copied', async () => {
    await aProgram(database.sql, { slug: 'asks', questions: everyKind })
    const submits = { ...wanted, programs: 'asks', may: 'submit', front_end: 'portal' }
    const { html } = await issued(await browser.post('/admin/keys/new', submits))
    expect(html).not.toContain('id="sample-curl"')
    const env = { PATH: process.env.PATH ?? '' }
    const ran = Bun.spawn(['sh', '-c', decoded(text(html, 'sample-submit'))], { env, stderr: 'pipe' })
    const [out, err] = await Promise.all([new Response(ran.stdout).text(), new Response(ran.stderr).text()])
    expect([err, await ran.exited]).toEqual(['', 0])
    expect(out).toMatch(/"application_id":\d+/)
    const applications = await database.sql`
      select from application join program using (program_id) where slug = 'asks'`
    expect(applications).toHaveLength(1)
  })

  test.skipIf(!needs('curl', 'python3'))('shows samples that get the first page as copied', async () => {
    const { html } = await issued(await browser.post('/admin/keys/new', wanted))
    const code = (id: string) => decoded(text(html, id))
    const run = async (command: string[], env: Record<string, string>): Promise<string> =>
      new Response(Bun.spawn(command, { env, stderr: 'ignore' }).stdout).text()
    const path = { PATH: process.env.PATH ?? '' }
    expect(JSON.parse(await run(['sh', '-c', code('sample-curl')], path))).toEqual({ payload: [], nextPageToken: null })
    expect(await run([findNeeded('python3')!, '-c', code('sample-python')], path)).toBe('0 applications\n')
    const own = { ...path, BUN_BE_BUN: '1' }
    expect(await run([process.execPath, '-e', code('sample-typescript')], own)).toBe('0 applications\n')
    expect(code('sample-excel')).toBe(`${service.baseUrl}/odata/v1/food`)
  })

  test('shows the secret only in the session that created it', async () => {
    const response = await browser.post('/admin/keys/new', wanted)
    const other = await new ConsoleVisitor(service).signIn((await aPerson(database.sql)).email)
    other.cookies.set('issued', browser.cookies.get('issued')!)
    const location = response.headers.get('location')!
    expect(await other.page(location)).not.toContain('id="password"')
    expect(await browser.page(location)).toContain('id="password"')
  })

  test('shows errors at their fields, loses no input, and creates no key', async () => {
    const before = await database.sql`select from api_key`
    const html = await browser.refused(400, '/admin/keys/new', {
      ...wanted,
      name: '<b>"x"</b>'.repeat(20),
      programs: ['food', 'nowhere'],
      allowed_subnets: '192.0.2.0/24\n300.1.1.1',
      expiry: 'day',
      expiry_day: 'tomorrow',
    })
    expect(html).toContain('<title>Error: ')
    expect(html).toContain('href="#expiry"')
    expect(html).toContain('300.1.1.1')
    expect(html).toContain('value="tomorrow"')
    expect(html).not.toContain('<b>"x"')
    const more = await (
      await browser.post('/admin/keys/new', { ...wanted, expiry: '400d', may: [], programs: [], allowed_subnets: '' })
    ).text()
    for (const field of ['expiry', 'programs', 'may', 'allowed_subnets']) expect(more).toContain(`href="#${field}"`)
    expect(errorsOf(more)).toContain('allowed_subnets required')
    expect(fieldsOf(more, '/admin/keys/new')).not.toHaveProperty('may')
    expect(await database.sql`select from api_key`).toHaveLength(before.length)
  })

  test('requires the name of a front end for keys that submit, and makes "anywhere" an explicit choice', async () => {
    const refused = await browser.post('/admin/keys/new', { ...wanted, may: ['submit'], front_end: '' })
    expect(await refused.text()).toContain('href="#front_end"')
    const key = await issued(
      await browser.post('/admin/keys/new', {
        ...wanted,
        from: 'anywhere',
        allowed_subnets: '',
        may: ['submit'],
        front_end: 'portal',
      }),
    )
    const [row] =
      await database.sql`select front_end, allowed_subnets::text[] as subnets, may_export from api_key where api_key_id = ${key.username}`
    expect(row).toEqual({ front_end: 'portal', subnets: ['0.0.0.0/0', '::/0'], may_export: false })
  })
})

describe('an existing key', () => {
  const make = async (): Promise<TestKey> =>
    createTestKey(database.sql, { name: 'Old name', programs: ['food'], createdAt: now - day })

  test('is edited, including its expiry, from the next request', async () => {
    const key = await make()
    const path = `/admin/keys/${key.username}`
    const form = { name: 'New name', programs: ['rent'], from: 'subnets', allowed_subnets: '127.0.0.1', expiry: '300d' }
    expect((await browser.post(path, form)).headers.get('location')).toBe(`${path}?done=saved`)
    const response = await service.get('/api/v1/checkAuth', { headers: { Authorization: key.authorization } })
    expect(await response.json()).toMatchObject({ name: 'New name', programs: ['rent'] })
    const [row] = await database.sql`select expires_at from api_key where api_key_id = ${key.username}`
    expect(row!.expires_at).toBe(now + 300 * day)
    expect(await (await browser.post(path, { ...form, expiry: '367d' })).text()).toContain('href="#expiry"')
    // A key that ends with a day is said to end on it, not on the next.
    const end = new Date(now / 1000 + 30 * 86_400_000).toISOString().slice(0, 10)
    await browser.post(path, { ...form, allowed_subnets: '192.0.2.1', expiry: 'day', expiry_day: end })
    expect(await checkAuth(key.authorization)).toBe(401)
    expect(await browser.page(path)).toContain(`>${dayOf(Date.parse(end) * 1000)}</time>`)
  })

  test('has hidden questions, which are chosen from the bank, hidden from the next request, and shown again', async () => {
    const key = await make()
    const path = `/admin/keys/${key.username}`
    const form = { name: 'Hiding', programs: ['food'], from: 'anywhere', expiry: '' }
    const keys = async () => {
      const address = '/api/v1/admin/programs/food/applications?fields=words_food'
      return (await service.get(address, { headers: { Authorization: key.authorization } })).status
    }
    // The fold that they are in: whether it is open, and how many it says are hidden.
    const foldOn = (page: string) =>
      /<details( open|)><summary><strong>Hidden questions<\/strong> <span class="soft">(\w+)</.exec(page)?.slice(1)
    expect(await keys()).toBe(200)
    expect(foldOn(await browser.page('/admin/keys/new'))).toEqual(['', 'none'])
    expect(foldOn(await browser.page(path))).toEqual(['', 'none'])
    const html = await browser.refused(400, path, { ...form, hidden_questions: ['words food', 'words <b>'] })
    expect(foldOn(html)).toEqual([' open', '2'])
    expect(errorsOf(html)).toEqual(['hidden_questions unknown_question'])
    expect(html).toContain('value="words &lt;b>" checked')
    expect((await browser.post(path, { ...form, hiding: 'asked', hidden_questions: ['words food'] })).status).toBe(303)
    expect(await keys()).toBe(400)
    expect(await browser.page(path)).toContain('value="words food" checked')
    expect(foldOn(await browser.page(path))).toEqual([' open', '1'])
    const auditor = await new ConsoleVisitor(service).signIn((await aPerson(database.sql, { role: 'AUDITOR' })).email)
    expect(factsOf(await auditor.page(path))['Hidden questions']).toBe('words food')
    // What does not speak of them changes nothing about them.
    expect((await browser.post(path, { ...form, name: 'Still hiding' })).status).toBe(303)
    expect(await keys()).toBe(400)
    expect((await browser.post(path, { ...form, hiding: 'asked' })).status).toBe(303)
    expect(await keys()).toBe(200)
  })

  test('has a note that is stored, searched and shown to people, and never sent to its client', async () => {
    const made = { ...wanted, name: 'Noted', allowed_subnets: '127.0.0.1', note: 'Ask Kim\r\n<b>zyxnote</b>' }
    const { username, token } = await issued(await browser.post('/admin/keys/new', made))
    const path = `/admin/keys/${username}`
    expect(factsOf(await browser.page(path)).Note).toContain('zyxnote')
    expect(fieldsOf(await browser.page(path), path).note).toBe('Ask Kim\n<b>zyxnote</b>')
    for (const [search, isThere] of [
      ['ZYXNOTE', true],
      ['zyxnothing', false],
    ] as const)
      expect((await browser.page(`/admin/keys?q=${search}`)).includes(path)).toBe(isThere)
    for (const address of ['checkAuth', 'admin/programs/food/applications', 'admin/programs/food/changes']) {
      const response = await service.get(`/api/v1/${address}`, { headers: { Authorization: `Basic ${token}` } })
      const sent = JSON.stringify([...response.headers]) + (await response.text())
      expect([response.status, sent.includes('zyxnote')]).toEqual([200, false])
    }
    expect(service.logText()).not.toContain('zyxnote')
    const [row] = await database.sql`select note from api_key where api_key_id = ${username}`
    const form = { name: 'Noted', programs: ['food'], from: 'subnets', allowed_subnets: '127.0.0.1', expiry: '' }
    // A form without the field leaves it as it is.
    expect((await browser.post(path, form)).status).toBe(303)
    expect(factsOf(await browser.page(path)).Note).toContain('zyxnote')
    expect((await browser.post(path, { ...form, note: '' })).status).toBe(303)
    expect([row!.note, factsOf(await browser.page(path)).Note]).toEqual(['Ask Kim\n<b>zyxnote</b>', 'none'])
  })

  test('is edited by two people at once, and the second is shown the first change and loses nothing', async () => {
    const key = await make()
    const path = `/admin/keys/${key.username}`
    const based_on = / name="based_on" value="([^"]*)"/.exec(await browser.page(path))![1]!
    const form = { programs: ['rent'], from: 'subnets', allowed_subnets: '127.0.0.1', expiry: '', based_on }
    expect((await browser.post(path, { ...form, name: 'First' })).status).toBe(303)
    const text = await browser.refused(409, path, { ...form, name: 'Second' })
    expect([factsOf(text).Name, fieldsOf(text, path).name]).toEqual(['First', 'Second'])
    // What was typed is seen at once; without it the form is folded.
    const fold = '<details class="card wide-form"'
    expect([text.includes(`${fold} open>`), (await browser.page(path)).includes(`${fold}>`)]).toEqual([true, true])
    const newer = / name="based_on" value="([^"]*)"/.exec(text)![1]!
    expect((await browser.post(path, { ...form, name: 'Second', based_on: newer })).status).toBe(303)
  })

  test('that is rotated expires when it did before, and its overlap ends no later', async () => {
    const over = { programs: ['food'], createdAt: now - 9 * day }
    const key = await createTestKey(database.sql, { ...over, name: 'Ends soon', expiresAt: now + 3 * day })
    const path = `/admin/keys/${key.username}`
    expect(await browser.page(`${path}/rotate`)).toContain(`href="${path}#expiry"`)
    const { html } = await issued(await browser.post(`${path}/rotate`, { overlap: '7' }))
    const [, until] = /data-notice="overlap".*?<time datetime="([^"]*)"/s.exec(html)!
    expect(Date.parse(until!) * 1000).toBeWithin(now + 3 * day - 1_000_000, now + 3 * day + 1)
    expect(await browser.page(path)).toMatch(/<select[^>]* id="expiry"/)
  })

  test('is rotated: both passwords work during the overlap, and only the new one after it', async () => {
    const key = await make()
    const form = await browser.page(`/admin/keys/${key.username}/rotate`)
    expect(form).toContain(`<a class="button plain" href="/admin/keys/${key.username}">Cancel</a>`)
    const rotated = await issued(await browser.post(`/admin/keys/${key.username}/rotate`, { overlap: '2' }))
    expect(rotated.username).toBe(key.username)
    expect(noticesOf(rotated.html)).toContain('overlap')
    const fresh = basic(rotated.username, rotated.password)
    expect([await checkAuth(key.authorization), await checkAuth(fresh)]).toEqual([200, 200])
    expect(noticesOf(await browser.page(`/admin/keys/${key.username}`))).toContain('two-passwords')
    now += 2 * day
    expect([await checkAuth(key.authorization), await checkAuth(fresh)]).toEqual([401, 200])
    const line = service.logLines.filter(logLine => logLine.reason === 'rotated_secret')
    expect(line).toHaveLength(1)
    await browser.signIn(ada.email)
    // With no overlap the one before ends at once, and so does one of an earlier rotation.
    const last = await issued(await browser.post(`/admin/keys/${key.username}/rotate`, { overlap: '0' }))
    expect([await checkAuth(fresh), await checkAuth(basic(last.username, last.password))]).toEqual([401, 200])
    for (const overlap of ['', '-1', '31', '1.5', 'x'])
      expect((await browser.post(`/admin/keys/${key.username}/rotate`, { overlap })).status).toBe(400)
  })

  test('is disabled and enabled again, both after confirming the password', async () => {
    const key = await make()
    const path = `/admin/keys/${key.username}`
    const check = `/admin/keys/check?key=${key.username}&address=127.0.0.1&program=food`
    now += 11 * 60_000_000
    expect(await browser.refused(403, `${path}/disable`)).toContain('name="confirm_password"')
    expect(await checkAuth(key.authorization)).toBe(200)
    await browser.signIn(ada.email)
    expect((await browser.post(`${path}/disable`)).headers.get('location')).toBe(`${path}?done=disabled`)
    expect(await checkAuth(key.authorization)).toBe(401)
    const page = await browser.page(path)
    expect(noticesOf(page)).toEqual(['disabled'])
    expect(factsOf(page).Disabled).toMatch(/^\w+ \d+, \d+, \d\d:\d\d Ada Administrator$/)
    expect(noticesOf(await browser.page(check))).toEqual(['disabled'])
    expect(await browser.page('/admin/keys?state=disabled')).toContain(key.username)
    expect(await browser.page('/admin/keys')).not.toContain(key.username)
    now += 11 * 60_000_000
    expect(await browser.refused(403, `${path}/enable`)).toContain('name="confirm_password"')
    expect(await checkAuth(key.authorization)).toBe(401)
    await browser.signIn(ada.email)
    expect((await browser.post(`${path}/enable`)).headers.get('location')).toBe(`${path}?done=enabled`)
    expect(await checkAuth(key.authorization)).toBe(200)
  })

  test('is retired permanently after its name is entered', async () => {
    await browser.signIn(ada.email)
    const key = await make()
    const path = `/admin/keys/${key.username}`
    const wrong = await browser.post(`${path}/retire`, { confirmation: 'new name' })
    expect(wrong.status).toBe(400)
    expect(await checkAuth(key.authorization)).toBe(200)
    expect((await browser.post(`${path}/retire`, { confirmation: 'Old name' })).status).toBe(303)
    expect(await checkAuth(key.authorization)).toBe(401)
    expect((await browser.post(path, { name: 'x' })).status).toBe(409)
    expect((await browser.post(`${path}/rotate`, { overlap: '1' })).status).toBe(409)
    const [listed] = rowsOf(await browser.page('/admin/keys?state=retired'), 'Retired API keys')
    expect(listed).toMatchObject({
      Key: expect.stringContaining('Old name'),
      Retired: `${dayOf(now)} Ada Administrator`,
    })
    expect(listed).not.toHaveProperty('Expires')
    const facts = factsOf(await browser.page(path))
    expect(facts.Retired).toMatch(/^\w+ \d+, \d+, \d\d:\d\d Ada Administrator$/)
    expect(facts).not.toHaveProperty('Expires')
  })

  test('is marked as exposed after it was sent in plain text', async () => {
    const key = await make()
    await database.sql`update api_key set exposed_at = now(), name = 'Seen in plain' where api_key_id = ${key.username}`
    expect(noticesOf(await browser.page(`/admin/keys/${key.username}`))).toEqual(['exposed'])
    expect(await browser.page('/admin/keys?q=Seen+in+plain')).toContain('exposed')
  })
})

describe('the list of keys', () => {
  test('has tabs by state, a search, and the exports of 30 days', async () => {
    const over = { programs: ['food'], createdAt: now - 9 * day, expiresAt: now - day }
    const key = await createTestKey(database.sql, { ...over, name: 'Pulls a lot', expiresAt: now + 10 * day })
    const justOver = await createTestKey(database.sql, { ...over, name: 'Just over', expiresAt: now - day / 2 })
    await createTestKey(database.sql, { ...over, name: 'Long over' })
    for (const [name, days] of Object.entries({ 'Retired first': 3, 'Retired last': 2 }))
      await createTestKey(database.sql, { ...over, name, expiresAt: now + days * day, retiredAt: now - days * day })
    for (let i = 0; i < 3; i++)
      await service
        .get('/api/v1/admin/programs/food/applications', { headers: { Authorization: key.authorization } })
        .then(r => r.text())
    await until('pages to be counted', async () => {
      const [row] = await database.sql`select pages from api_key_day where api_key_id = ${key.username}`
      return row?.pages === 3
    })
    // The thirtieth day before today is not one of the last 30.
    await database.sql`
      insert into api_key_day (api_key_id, day, pages, applications)
      select id, (now() at time zone 'UTC')::date - days, 5, applications
      from (values (${key.username}, 30, 1), (${key.username}, 29, 20), (${justOver.username}, 1, 300)) x (id, days, applications)`
    const active = await browser.page('/admin/keys')
    expect(active).toContain('Pulls a lot')
    expect(active).not.toContain('Long over')
    expect(active).toContain('within 21 days')
    expect(await browser.page('/admin/keys?state=expiring')).toContain('Pulls a lot')
    for (const [state, names] of Object.entries({
      expired: ['Just', 'Long'],
      retired: ['Retired last', 'Retired first'],
    }))
      expect(await browser.page(`/admin/keys?state=${state}`)).toMatch(new RegExp(names.join('.*'), 's'))
    for (const search of ['pulls', key.username.slice(8, 20), '127.0.0.1', 'q=&program=food', 'q=pulls&after=20'])
      expect(await browser.page(`/admin/keys?${search.includes('=') ? search : `q=${search}`}`)).toContain(
        'Pulls a lot',
      )
    expect(isEmptyList(await browser.page('/admin/keys?q=no-such-thing'))).toBe(true)
    expect(active).toContain('>Any program</option>')
    expect(await browser.page('/admin/keys?q=pulls&program=a%26b')).toContain(
      'href="/admin/keys?state=retired&amp;q=pulls&amp;program=a%26b"',
    )
    const rent = await browser.page('/admin/keys?q=pulls&program=rent&state=expiring')
    expect(fieldsOf(rent, '/admin/keys')).toEqual({ q: 'pulls', program: 'rent', state: 'expiring' })
    expect(isEmptyList(rent)).toBe(true)
    expect(rowsOf(active, 'Active API keys').find(row => row.Key!.startsWith('Pulls a lot'))).toEqual({
      Key: `Pulls a lot test, ${dayOf(now - 9 * day)}`,
      Programs: 'Program food',
      'Allowed addresses': 'anywhere',
      Expires: `${dayOf(now + 10 * day)} in 10 days`,
      'Last used': expect.stringMatching(/ 127\.0\.0\.1$/),
      'Last 30 days': '20',
      Actions: '… Rotate Retire…',
    })
    const row = active.split('<tr>').find(text => text.includes('Pulls a lot'))!
    for (const step of ['rotate', 'retire']) expect(row).toContain(`href="/admin/keys/${key.username}/${step}"`)
    expect(Object.values(factsOf(await browser.page(`/admin/keys/${key.username}`)))).toEqual([
      expect.stringContaining('export'),
      'Program food',
      'anywhere',
      'none',
      'none',
      `${dayOf(now + 10 * day)} in 10 days`,
      expect.stringMatching(/^20 .* 8 /),
      expect.stringMatching(/ 127\.0\.0\.1$/),
      expect.stringContaining(dayOf(now - 9 * day)),
    ])
  })
})

describe('testing access', () => {
  test('gives the reason by the same rules as for real requests', async () => {
    const key = await createTestKey(database.sql, {
      programs: ['food'],
      allowedSubnets: ['192.0.2.0/24'],
      createdAt: now - day,
    })
    const ask = (address: string, program: string) =>
      browser.page(`/admin/keys/check?key=${key.username}&address=${encodeURIComponent(address)}&program=${program}`)
    expect(noticesOf(await ask('192.0.2.9', 'food'))).toEqual(['passes'])
    expect(noticesOf(await ask('192.0.3.9', 'food'))).toEqual(['address_not_allowed'])
    for (const address of ['not an address', '', '192.0.2', 'abc']) {
      const response = await browser.get(`/admin/keys/check?${new URLSearchParams({ key: key.username, address })}`)
      expect([address, response.status]).toEqual([address, 400])
      const page = await response.text()
      expect(noticesOf(page)).toEqual([])
      expect(errorsOf(page)).toEqual(['address not_an_address'])
      expect(page).toContain('id="address-error"')
    }
    const refused = await ask('192.0.2.9', 'rent')
    expect(noticesOf(refused)).toEqual(['no_grant'])
    expect(refused).toMatch(/<option value="rent" selected/)
    await database.sql`
      update api_key set may_export = false, may_submit = true, front_end = 'Portal' where api_key_id = ${key.username}`
    // F12: of a key that only submits, a submission is judged.
    expect(noticesOf(await ask('192.0.2.9', 'food'))).toEqual(['passes'])
    expect(noticesOf(await ask('192.0.2.9', 'rent'))).toEqual(['no_grant'])
    now += 90 * day
    await browser.signIn(ada.email)
    expect(noticesOf(await ask('192.0.2.9', 'food'))).toEqual(['expired'])
  })

  test('finds a refused request by its request ID, and on the page of its key', async () => {
    const key = await createTestKey(database.sql, { programs: ['food'], createdAt: now - day })
    const response = await service.get('/api/v1/admin/programs/rent/applications', {
      headers: { Authorization: key.authorization },
    })
    expect(response.status).toBe(401)
    const { request_id } = (await response.json()) as { request_id: string }
    await until(
      'the refusal to be kept',
      async () => (await database.sql`select from refusal where request_id = ${request_id}`).length === 1,
    )
    const found = await browser.page(`/admin/keys/check?request_id=${request_id}`)
    expect(noticesOf(found)).toEqual(['no_grant'])
    expect(found).toContain(key.username)
    expect(await browser.page(`/admin/keys/${key.username}`)).toContain(request_id)
    for (const unknown of [crypto.randomUUID(), '%27;drop'])
      expect(noticesOf(await browser.page(`/admin/keys/check?request_id=${unknown}`))).toEqual(['not-on-record'])
  })
})
