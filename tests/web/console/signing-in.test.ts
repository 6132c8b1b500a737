// Signing in to the console: what a session is, how it begins and ends, and what a form needs to be taken.

import { beforeEach, describe, expect, test } from 'bun:test'
import { acceptInvitation, changePassword, disablePerson, inviteAgain } from '../../../src/core/people/people.ts'
import { beginSession, verifySignIn } from '../../../src/core/people/sessions.ts'
import { parseSubnet, type Subnet } from '../../../src/domain/values/ip-address.ts'
import { aPerson, ConsoleVisitor, errorsOf, fieldsOf, testPassword } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'

const database = await useDatabase()
let now = Date.now() * 1000
const service = await useService(
  database,
  { sessionIdleMs: 30 * 60_000, sessionLifetimeMs: 12 * 3_600_000 },
  { now: () => now },
)
const minutes = 60_000_000
const visitor = (fields?: Record<string, string>) => new ConsoleVisitor(service, fields)
const status = async (response: Promise<Response>): Promise<number> => (await response).status

let ada: { person_id: number; email: string }
beforeEach(async () => {
  ada = await aPerson(database.sql)
})

describe('signing in', () => {
  test('an email address in any case and the password begin a console session', async () => {
    const browser = await visitor().signIn(ada.email.toUpperCase())
    expect(await browser.page('/admin/account')).toContain(ada.email)
    const [event] =
      await database.sql`select action, subject, host(address) as address from audit_event where subject = ${ada.email} and action = 'signed_in'`
    expect(event).toEqual({ action: 'signed_in', subject: ada.email, address: '127.0.0.1' })
  })

  test('confirming leads back to the page that requires it', async () => {
    const browser = await visitor().signIn(ada.email)
    now += 11 * minutes
    const path = `/admin/people/${ada.person_id}`
    expect(await status(browser.post(`${path}/link`))).toBe(403)
    const shown = await browser.post('/admin/confirm', { password: testPassword, next: path })
    expect([shown.status, shown.headers.get('location')]).toEqual([303, path])
    expect(await status(browser.post(`${path}/link`))).toBe(200)
  })

  test('a page requested without a session is shown after signing in, and an address elsewhere is not', async () => {
    const browser = visitor()
    const sent = await browser.get('/admin/people?x=1')
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/admin/sign-in?next=%2Fadmin%2Fpeople%3Fx%3D1'])
    for (const [next, location] of [
      ['/admin/people?x=1', '/admin/people?x=1'],
      ['/admin/people?q=é 中 🙂%25', '/admin/people?q=%C3%A9%20%E4%B8%AD%20%F0%9F%99%82%25'],
      ['https://evil.example/', '/admin'],
      ['//evil.example/admin', '/admin'],
      ['/admin\\evil', '/admin'],
      ['/administrators', '/admin'],
      ['/admin/\r\nSet-Cookie: x=y', '/admin'],
    ]) {
      const response = await visitor().post('/admin/sign-in', {
        csrf: '',
        email: ada.email,
        password: testPassword,
        next: next!,
      })
      expect([next, response.status, response.headers.get('location')]).toEqual([next, 303, location!])
    }
  })

  test('an unknown email address, a wrong password and a disabled person get the same page', async () => {
    const gone = await aPerson(database.sql)
    await disablePerson(database.sql, gone.person_id, { actor: 'operator:test', now })
    const answers: string[] = []
    for (const [email, password] of [
      ['unknown@example.gov', testPassword],
      [ada.email, 'not the password'],
      [gone.email, testPassword],
    ]) {
      const next = '/admin/people?x=1'
      const response = await visitor().post('/admin/sign-in', { csrf: '', email: email!, password: password!, next })
      expect(response.status).toBe(401)
      expect(response.headers.getSetCookie()).toEqual([])
      const text = await response.text()
      expect(fieldsOf(text, '/admin/sign-in')).toEqual({ next, email: email!, password: '', code: '' })
      answers.push(text.replaceAll(email!, 'E-MAIL'))
    }
    expect(new Set(answers).size).toBe(1)
    expect(errorsOf(answers[0]!)).toEqual(['email wrong_email_or_password'])
    expect(answers[0]).not.toContain(testPassword)
  })

  test('plain HTTP is refused, except from this machine in development', async () => {
    const production = await useService(database, { environment: 'production' })
    const response = await production.get('/admin/sign-in', { headers: { Accept: 'text/html' } })
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('HTTPS')
  })
})

describe('a session', () => {
  test('is in a cookie that scripts, other sites and plain HTTP never receive', async () => {
    const browser = await visitor().signIn(ada.email)
    expect(browser.setCookies).toHaveLength(2)
    expect(browser.setCookies[0]).toMatch(/^tributary=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    const baseUrl = 'https://apply.example.gov'
    const trustedProxies = [parseSubnet('127.0.0.0/8') as Subnet]
    const proxied = await useService(
      database,
      { environment: 'production', trustedProxies, baseUrl },
      { now: () => now },
    )
    const outside = new ConsoleVisitor(
      { get: proxied.get, baseUrl },
      { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.7' },
    )
    await outside.signIn(ada.email)
    expect(outside.setCookies[0]).toMatch(
      /^__Host-tributary=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    )
    expect(outside.setCookies[1]).toMatch(
      /^__Host-tributary-known=[A-Za-z0-9_-]+; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict; Secure$/,
    )
    expect(await outside.page('/admin/account')).toContain('192.0.2.7')
  })

  test('has a new ID at each sign-in, and a planted one is refused (session fixation)', async () => {
    const browser = visitor()
    browser.cookies.set('tributary', 'A'.repeat(43))
    await browser.signIn(ada.email)
    const first = browser.cookies.get('tributary')!
    expect(first).not.toBe('A'.repeat(43))
    await browser.signIn(ada.email)
    expect(browser.cookies.get('tributary')).not.toBe(first)
    const old = visitor()
    old.cookies.set('tributary', first)
    expect(await status(old.get('/admin/account'))).toBe(303)
  })

  test('is stored only as the hash of its token', async () => {
    const browser = await visitor().signIn(ada.email)
    const token = browser.cookies.get('tributary')!
    const rows = await database.sql<{ row: string }[]>`select row_to_json(s)::text as row from console_session s`
    expect(rows.map(({ row }) => row).join()).not.toContain(token)
  })

  test('ends when it is idle, and at its maximum age', async () => {
    const browser = await visitor().signIn(ada.email)
    await visitor().signIn(ada.email)
    // Both, and then the one that is not idle, below the head of the table.
    for (const rows of [3, 2]) {
      now += 29 * minutes
      const [signIns] = (await browser.page('/admin/account')).split('</table>')
      expect(signIns!.match(/<tr>/g)).toHaveLength(rows)
    }
    now += 30 * minutes
    expect(await status(browser.get('/admin/account'))).toBe(303)
    await browser.signIn(ada.email)
    for (let i = 0; i < 12 * 3 - 1; i++) {
      now += 20 * minutes
      expect(await status(browser.get('/admin/account'))).toBe(200)
    }
    now += 20 * minutes
    expect(await status(browser.get('/admin/account'))).toBe(303)
  })

  test('ends by signing out, and all sessions by signing out everywhere', async () => {
    const [item, two, three] = [
      await visitor().signIn(ada.email),
      await visitor().signIn(ada.email),
      await visitor().signIn(ada.email),
    ]
    expect(await status(item.post('/admin/sign-out'))).toBe(303)
    expect([...item.cookies.keys()]).toEqual(['tributary-known'])
    expect(await status(two.get('/admin/account'))).toBe(200)
    expect(await status(two.post('/admin/sign-out', { everywhere: 'yes' }))).toBe(303)
    expect(await status(three.get('/admin/account'))).toBe(303)
    expect(await status((await visitor().signIn(ada.email)).post('/admin/sign-out', { tokens: 'yes' }))).toBe(303)
    const events = await database.sql`
      select action, detail from audit_event
      where subject = ${ada.email} and action like 'signed_out%' order by audit_event_id`
    expect([...events]).toEqual([
      { action: 'signed_out', detail: {} },
      { action: 'signed_out_everywhere', detail: {} },
      { action: 'signed_out', detail: { tokens: 'retired' } },
    ])
  })

  test('does not begin if the password was changed or the person disabled since it was checked', async () => {
    const limits = { idleMs: 1000, lifetimeMs: 1000 }
    // Another administrator, without whom she could not be disabled.
    await aPerson(database.sql)
    const queued = { name: 'ada', isKnown: false }
    const known = (await verifySignIn(database.sql, ada.email, testPassword, queued))!
    const begin = () =>
      beginSession(database.sql, { ...known, address: undefined, how: 'password' }, limits, now, undefined)
    await begin()
    const token = await inviteAgain(database.sql, ada.person_id, { actor: 'operator:test', now })
    await acceptInvitation(database.sql, token, 'another good one', { now })
    await expect(begin()).rejects.toThrow('same time')
    const change = { password: 'some words of a thief', earlier: known.password_hash }
    const by = { actor: 'operator:test', now }
    await expect(changePassword(database.sql, { ...ada, name: 'Ada' }, change, by, Buffer.alloc(32))).rejects.toThrow(
      'same time',
    )
    const again = (await verifySignIn(database.sql, ada.email, 'another good one', queued))!
    await disablePerson(database.sql, ada.person_id, by)
    await expect(
      beginSession(database.sql, { ...again, address: undefined, how: 'oidc' }, limits, now, undefined),
    ).rejects.toThrow('same time')
    expect(await database.sql`select from console_session where person_id = ${ada.person_id}`).toHaveLength(0)
  })
})

describe('a form', () => {
  test('without its session’s token, or with another session’s, changes nothing', async () => {
    const browser = await visitor().signIn(ada.email)
    const other = await visitor().signIn((await aPerson(database.sql)).email)
    for (const csrf of ['', 'x', await other.csrf()]) {
      expect(await status(browser.post('/admin/sign-out', { csrf, everywhere: 'yes' }))).toBe(403)
    }
    expect(await status(browser.get('/admin/account'))).toBe(200)
  })

  test('from another origin, or without an origin, changes nothing', async () => {
    const browser = await visitor().signIn(ada.email)
    for (const fields of [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: '' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ] as Record<string, string>[])
      expect([fields, await status(browser.post('/admin/sign-out', {}, fields))]).toEqual([fields, 403])
    expect(await status(browser.get('/admin/account'))).toBe(200)
  })

  test('that is too large, or not a form, is refused', async () => {
    const browser = await visitor().signIn(ada.email)
    expect(await status(browser.post('/admin/account/password', { current: 'x'.repeat(70_000) }))).toBe(413)
    expect(await status(browser.post('/admin/sign-out', {}, { 'Content-Type': 'text/plain' }))).toBe(415)
  })
})

describe('a password', () => {
  test('is chosen once with a link, which signs in', async () => {
    const token = await inviteAgain(database.sql, ada.person_id, { actor: 'operator:test', now })
    const before = await visitor().signIn(ada.email)
    const browser = visitor()
    const path = `/admin/invitations/${token}`
    const page = await browser.page(path)
    for (const part of [ada.email, '<form method="post" novalidate>', ' name="password"', ' name="repeated"'])
      expect(page).toContain(part)
    const choose = (password: string, repeated = password) => browser.post(path, { csrf: '', password, repeated })
    for (const [password, repeated] of [
      ['short', 'short'],
      ['aaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaaa'],
      [ada.email.toUpperCase(), ada.email.toUpperCase()],
      ['another good one', 'another good 0ne'],
    ])
      expect(await status(choose(password!, repeated))).toBe(400)
    const both = await (await choose('short', 'other')).text()
    expect(both.match(/id="(?:password|repeated)-error"/g)).toHaveLength(2)
    const chosen = await choose('another good one')
    expect([chosen.status, chosen.headers.get('location')]).toEqual([303, '/admin'])
    expect(await browser.page('/admin/account')).toContain(ada.email)
    // Sign-ins with the old password have ended.
    expect(await status(before.get('/admin/account'))).toBe(303)
    expect(await status(visitor().get(path))).toBe(404)
    expect(await status(visitor().post('/admin/sign-in', { csrf: '', email: ada.email, password: testPassword }))).toBe(
      401,
    )
    await visitor().signIn(ada.email, 'another good one')
  })

  test('is chosen with a link that is valid for seven days, until another link replaces it', async () => {
    const by = { actor: 'operator:test', now }
    const first = await inviteAgain(database.sql, ada.person_id, by)
    const second = await inviteAgain(database.sql, ada.person_id, by)
    expect(await status(visitor().get(`/admin/invitations/${first}`))).toBe(404)
    expect(await status(visitor().get(`/admin/invitations/${second}`))).toBe(200)
    now += 7 * 24 * 60 * minutes
    expect(await status(visitor().get(`/admin/invitations/${second}`))).toBe(404)
  })

  test('is changed with the current one, and ends every other session', async () => {
    const browser = await visitor().signIn(ada.email)
    const other = await visitor().signIn(ada.email)
    const form = { current: testPassword, password: 'quite another password', repeated: 'quite another password' }
    const token = await inviteAgain(database.sql, ada.person_id, { actor: 'operator:test', now })
    const refused = await browser.refused(400, '/admin/account/password', { ...form, current: 'no' })
    expect(errorsOf(refused)).toEqual(['current wrong_password'])
    const changed = await browser.post('/admin/account/password', form)
    expect(changed.status).toBe(303)
    expect(await status(browser.get('/admin/account'))).toBe(200)
    expect(await status(other.get('/admin/account'))).toBe(303)
    // A link that was still out would set yet another one.
    expect(await status(visitor().get(`/admin/invitations/${token}`))).toBe(404)
  })
})

test('pages load nothing from other origins, and are not cached, framed or sniffed', async () => {
  const { headers } = await (await visitor().signIn(ada.email)).get('/admin/account')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(headers.get('content-security-policy')).not.toContain('unsafe')
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})
