// A second factor: set up with an app, asked for wherever the password is, each code taken once, and reset by an administrator.

import { beforeEach, describe, expect, test } from 'bun:test'
import { generateSync } from 'otplib'
import { inviteAgain } from '../../../src/core/people/people.ts'
import { beginSession } from '../../../src/core/people/sessions.ts'
import { aPerson, ConsoleVisitor, testPassword } from '../../support/console.ts'
import { ApiProgram, aToken } from '../../support/console-api.ts'
import { useConsoleRole } from '../../support/console-role.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { storedText } from '../../support/stored-text.ts'

const database = await useDatabase()
const { sql } = database
const desk = await useConsoleRole(database)
let now = Date.now() * 1000
const clock = { now: () => now, consoleDb: desk }
const service = await useService(database, {}, clock)
const other = await useService(database, {}, clock)
const strict = await useService(database, { secondFactor: 'required' }, clock)
/** Where people sign in at a provider alone. */
const withProvider = await useService(database, { secondFactor: 'required', passwordSignIn: false }, clock)
const step = 30_000_000
const path = '/admin/account/second-factor'

const codeAt = (secret: string, at: number): string => generateSync({ secret, epoch: Math.floor(at / 1_000_000) })
const signIn = (email: string, code: string, at = service, password = testPassword) =>
  new ConsoleVisitor(at).post('/admin/sign-in', { csrf: '', email, password, code })
const statusOf = async (response: Promise<Response>): Promise<number> => (await response).status

interface SetUp {
  secret: string
  codes: string[]
}
async function setUp(browser: ConsoleVisitor): Promise<SetUp> {
  const page = await browser.page(path)
  const secret = /<code id="secret">([^<]*)</.exec(page)![1]!
  const sealed = / name="sealed" value="([^"]*)"/.exec(page)![1]!
  const csrf = / name="csrf" value="([^"]*)"/.exec(page)![1]!
  const response = await browser.post(path, { csrf, sealed, code: codeAt(secret, now) })
  expect(response.status).toBe(200)
  const shown = await response.text()
  const codes = /<pre class="codes" id="codes">([^<]*)</.exec(shown)![1]!.split('\n')
  const [, file] = /href="data:text\/plain;charset=utf-8,([^"]*)"/.exec(shown)!
  expect(decodeURIComponent(file!).split('\r\n')).toEqual([...codes, ''])
  return { secret, codes }
}

let ada: { person_id: number; email: string }
let browser: ConsoleVisitor
beforeEach(async () => {
  now += 600 * 1_000_000
  ada = await aPerson(sql)
  browser = await new ConsoleVisitor(service).signIn(ada.email)
})

describe('setting it up', () => {
  test('requires a code from the app, and ends every other session', async () => {
    const elsewhere = await new ConsoleVisitor(service).signIn(ada.email)
    const page = await browser.page(path)
    const secret = /<code id="secret">([^<]*)</.exec(page)![1]!
    expect(page).toContain(`otpauth://totp/Tributary:${encodeURIComponent(ada.email)}?secret=${secret}`)
    expect(page).toMatch(/<svg class="qr"[^>]*role="img"/)
    const sealed = / name="sealed" value="([^"]*)"/.exec(page)![1]!
    const wrong = await browser.refused(400, path, { sealed, code: codeAt(secret, now + 20 * step) })
    expect(wrong).toContain(`<code id="secret">${secret}<`)
    expect((await signIn(ada.email, '')).status).toBe(303)
    expect((await browser.post(path, { sealed, code: ` ${codeAt(secret, now)} ` })).status).toBe(200)
    expect(await statusOf(elsewhere.get('/admin/account'))).toBe(303)
    expect(await statusOf(signIn(ada.email, ''))).toBe(401)
    const events = await sql`select action from audit_event where subject = ${ada.email} and action like 'second%'`
    expect(events.map(({ action }) => action)).toEqual(['second_factor_set'])
  })

  test('stores neither the secret nor recovery codes readably, and refuses the secret of another session', async () => {
    const { secret, codes } = await setUp(browser)
    expect(new Set(codes).size).toBe(10)
    const everything = (await storedText(sql)) + service.logText()
    for (const text of [secret, ...codes, ...codes.map(code => code.replaceAll('-', ''))])
      expect(everything).not.toContain(text)
    const sealed = / name="sealed" value="([^"]*)"/.exec(await browser.page(path))![1]!
    const bo = await new ConsoleVisitor(service).signIn((await aPerson(sql)).email)
    expect(await statusOf(bo.post(path, { sealed, code: '000000' }))).toBe(403)
  })
})

describe('signing in', () => {
  test('accepts a code up to one step early or late, and otherwise fails like a wrong password', async () => {
    const { secret } = await setUp(browser)
    const texts: string[] = []
    now += 10 * step
    for (const [password, code] of [
      [testPassword, ''],
      [testPassword, codeAt(secret, now - 2 * step)],
      [testPassword, codeAt(secret, now + 2 * step)],
      [testPassword, 'abcdef'],
      ['not this one', codeAt(secret, now)],
    ]) {
      const response = await signIn(ada.email, code!, service, password)
      expect([code, response.status]).toEqual([code, 401])
      texts.push((await response.text()).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ''))
    }
    expect(new Set(texts).size).toBe(1)
    for (const skew of [-1, 0, 1]) {
      now += 10 * step
      expect([skew, await statusOf(signIn(ada.email, codeAt(secret, now + skew * step)))]).toEqual([skew, 303])
    }
    // What was taken early is not taken again in its own time.
    now += step
    expect(await statusOf(signIn(ada.email, codeAt(secret, now)))).toBe(401)
  })

  test('accepts each code once over all processes, even if sent twice at the same time', async () => {
    const { secret } = await setUp(browser)
    // That of setting it up was taken then.
    expect(await statusOf(signIn(ada.email, codeAt(secret, now)))).toBe(401)
    now += 10 * step
    const code = codeAt(secret, now)
    const both = await Promise.all([service, other].map(at => statusOf(signIn(ada.email, code, at))))
    expect(both.toSorted()).toEqual([303, 401])
    for (const at of [service, other]) expect(await statusOf(signIn(ada.email, code, at))).toBe(401)
    expect(await statusOf(signIn(ada.email, codeAt(secret, now - step), other))).toBe(401)
  })

  test('accepts each recovery code once, in any spelling, with an audit entry', async () => {
    const { codes } = await setUp(browser)
    const [first, second] = codes
    expect(await statusOf(signIn(ada.email, first!.toUpperCase().replaceAll('-', ' ')))).toBe(303)
    expect(await statusOf(signIn(ada.email, first!, other))).toBe(401)
    const both = await Promise.all([service, other].map(at => statusOf(signIn(ada.email, second!, at))))
    expect(both.toSorted()).toEqual([303, 401])
    expect(
      await sql`select from audit_event where action = 'recovery_code_used' and subject = ${ada.email}`,
    ).toHaveLength(2)
    const { codes: others } = await setUp(browser)
    for (const [code, status] of [
      [codes[2], 401],
      [others[2], 303],
    ] as const)
      expect(await statusOf(signIn(ada.email, code!))).toBe(status)
  })

  test('counts wrong codes like wrong passwords, and refuses any eleventh attempt', async () => {
    const { secret } = await setUp(browser)
    now += 10 * step
    for (let i = 0; i < 10; i++) expect(await statusOf(signIn(ada.email, '000000'))).toBe(401)
    expect(await statusOf(signIn(ada.email, codeAt(secret, now)))).toBe(429)
  })

  test('requires the code even with a link for a new password', async () => {
    const { secret } = await setUp(browser)
    const link = await inviteAgain(sql, ada.person_id, { actor: 'operator:test', now })
    const chosen = { csrf: '', password: 'several new words', repeated: 'several new words' }
    const response = await new ConsoleVisitor(service).post(`/admin/invitations/${link}`, chosen)
    expect([response.status, response.headers.get('location')]).toEqual([303, '/admin/sign-in'])
    expect(response.headers.get('set-cookie') ?? '').not.toContain('session')
    now += 10 * step
    expect(await statusOf(signIn(ada.email, codeAt(secret, now), service, chosen.password))).toBe(303)
  })
})

test('confirming in an older session requires both again, even for a waiting form', async () => {
  const { secret } = await setUp(browser)
  now += 11 * 60_000_000
  const invited = { name: 'Bo', email: `bo.${crypto.randomUUID()}@example.gov`, role: 'AUDITOR' }
  const asked = await (await browser.post('/admin/people/invite', invited)).text()
  expect(asked).toContain('name="confirm_code"')
  const send = (code: string) =>
    browser.post('/admin/people/invite', { ...invited, confirm_password: testPassword, confirm_code: code })
  expect(await statusOf(send(''))).toBe(401)
  expect(await statusOf(browser.post('/admin/confirm', { password: testPassword, code: '', next: '/admin' }))).toBe(401)
  expect(await statusOf(send(codeAt(secret, now)))).toBe(200)
})

describe('where it is required', () => {
  const limits = { idleMs: 3_600_000, lifetimeMs: 3_600_000 }

  test('D52: a sign-in with a password opens only the page that sets it up, not even the docs', async () => {
    const strictly = await new ConsoleVisitor(strict).signIn(ada.email)
    const byLink = await beginSession(sql, { ...ada, address: undefined, how: 'invitation' }, limits, now, undefined)
    const linked = new ConsoleVisitor(strict)
    linked.cookies.set('tributary', byLink)
    expect((await linked.get('/admin/keys')).headers.get('location')).toBe(path)
    for (const page of ['/admin', '/admin/keys', '/admin/account/tokens/new']) {
      const response = await strictly.get(page)
      expect([page, response.status, response.headers.get('location')]).toEqual([page, 303, path])
    }
    expect(await statusOf(strictly.post('/admin/account/tokens/new', { name: 'x' }))).toBe(403)
    expect(await statusOf(strictly.get('/admin/api/v1/session'))).toBe(403)
    const docs = ['', '/openapi.json', '/programs', '/programs/others', '/programs/others/versions/active/openapi.json']
    for (const page of docs)
      for (const visitor of [strictly, linked])
        expect([page, await statusOf(visitor.get(`/docs/api${page}`))]).toEqual([page, 403])
    await setUp(strictly)
    expect(await statusOf(strictly.get('/docs/api/programs'))).toBe(200)
    expect(await statusOf(strictly.get('/admin/keys'))).toBe(200)
    expect(await statusOf(strictly.get('/admin/api/v1/session'))).toBe(200)
  })

  test('D52: a token of a person who has a password and no second factor is refused', async () => {
    const { token } = await aToken(sql, ada, { now })
    const ask = (at: typeof strict) => ApiProgram.withToken(at, token).ask('GET', '/session')
    expect((await ask(service)).status).toBe(200)
    expect((await ask(strict)).status).toBe(403)
    expect((await ask(withProvider)).status).toBe(200)
    await setUp(browser)
    expect((await ask(strict)).status).toBe(200)
  })

  test('a sign-in at a provider is not restricted', async () => {
    const token = await beginSession(sql, { ...ada, address: undefined, how: 'oidc' }, limits, now, undefined)
    const visitor = new ConsoleVisitor(strict)
    visitor.cookies.set('tributary', token)
    expect(await statusOf(visitor.get('/admin/keys'))).toBe(200)
  })
})

test('a reset by an administrator who has confirmed ends every session, and the password alone signs in', async () => {
  await setUp(browser)
  const admin = await aPerson(sql)
  const visitor = await new ConsoleVisitor(service).signIn(admin.email)
  const page = `/admin/people/${ada.person_id}`
  expect(await visitor.page(page)).toContain(`action="${page}/reset-second-factor"`)
  for (const done of [true, false]) {
    expect((await visitor.post(`${page}/reset-second-factor`)).headers.get('location')).toBe(
      `${page}?done=factor-reset`,
    )
    expect(await visitor.page(page)).not.toContain(`action="${page}/reset-second-factor"`)
    if (done) expect(await statusOf(browser.get('/admin/account'))).toBe(303)
  }
  const events = await sql`
    select actor from audit_event where action = 'second_factor_reset' and subject = ${ada.email}`
  expect(events.map(({ actor }) => actor)).toEqual([`admin:${admin.email}`])
  expect(await statusOf(signIn(ada.email, ''))).toBe(303)
})
