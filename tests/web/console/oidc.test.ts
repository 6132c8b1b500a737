// Signing in to the console at an OpenID provider: a real one.

import { beforeEach, describe, expect, test } from 'bun:test'
import { freePort } from '../../../scripts/processes/free-port.ts'
import { disablePerson, invitePerson } from '../../../src/core/people/people.ts'
import { parseSubnet, type Subnet } from '../../../src/domain/values/ip-address.ts'
import { openPage, useBrowser } from '../../support/browser.ts'
import { oidcClient } from '../../support/config.ts'
import { aPerson, ConsoleVisitor, errorsOf, testPassword } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { needs } from '../../support/needs.ts'
import { ProviderVisitor, useOidcIssuer } from '../../support/oidc-issuer.ts'

const database = await useDatabase()
let now = Date.now() * 1000
const issuerPort = await freePort()
const settings = { ...oidcClient, oidcIssuer: `http://127.0.0.1:${issuerPort}`, oidcName: 'City account' }
const service = await useService(database, settings, { now: () => now })
const callback = `${service.baseUrl}/admin/sign-in/oidc/callback`
const provider = await useOidcIssuer({ port: issuerPort, redirectUris: [callback] })
const minutes = 60_000_000

let ada: { person_id: number; email: string }
let subject: string
beforeEach(async () => {
  now = Date.now() * 1000
  ada = await aPerson(database.sql)
  subject = crypto.randomUUID()
  provider.accounts.set(subject, { email: ada.email, email_verified: true })
})

const visitor = () => new ConsoleVisitor(service)
const local = (url: URL): string => url.pathname + url.search
const auditOf = async (email: string) => [
  ...(await database.sql<{ action: string; detail: Record<string, string> }[]>`
    select action, detail from audit_event where subject = ${email} order by audit_event_id desc limit 1`),
]

/** Begins, signs in at the provider, and gives the address that leads back to the console. */
async function begin(browser: ConsoleVisitor, who = subject, path = '/admin/sign-in/oidc'): Promise<string> {
  const sent = await browser.get(path)
  expect(sent.status).toBe(303)
  return local(await new ProviderVisitor(provider.issuer).signIn(sent.headers.get('location')!, who))
}

describe('signing in at the provider', () => {
  test('begins a session with a new ID, continues to the requested page, and is audited', async () => {
    const browser = visitor()
    expect(await browser.page('/admin/sign-in?next=/admin/people%3Fx=1')).toContain('City account')
    browser.cookies.set('tributary', 'A'.repeat(43))
    const back = await browser.get(await begin(browser, subject, '/admin/sign-in/oidc?next=/admin/people%3Fx=1'))
    expect([back.status, back.headers.get('location')]).toEqual([303, '/admin/people?x=1'])
    expect(browser.setCookies).toEqual([
      expect.stringMatching(/^tributary=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
      'tributary-oidc=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    ])
    expect(browser.cookies.get('tributary')).not.toBe('A'.repeat(43))
    expect(await browser.page('/admin/account')).toContain(ada.email)
    const events = await database.sql`
      select actor, action, detail, host(address) as address from audit_event
      where actor = ${`admin:${ada.email}`} and action <> 'password_chosen' order by audit_event_id`
    expect([...events]).toEqual([
      {
        actor: `admin:${ada.email}`,
        action: 'identity_remembered',
        detail: { issuer: provider.issuer, subject },
        address: '127.0.0.1',
      },
      { actor: `admin:${ada.email}`, action: 'signed_in', detail: { how: 'oidc' }, address: '127.0.0.1' },
    ])
  })

  test('sends PKCE, state and nonce, which are sealed in a cookie', async () => {
    const browser = visitor()
    const sent = await browser.get('/admin/sign-in/oidc')
    const query = Object.fromEntries(new URL(sent.headers.get('location')!).searchParams)
    expect(query).toEqual({
      client_id: 'tributary',
      response_type: 'code',
      scope: 'openid email',
      redirect_uri: callback,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(browser.setCookies).toHaveLength(1)
    expect(browser.setCookies[0]).toMatch(/^tributary-oidc=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/)
    const carried = Buffer.from(browser.cookies.get('tributary-oidc')!, 'base64url').toString('latin1')
    for (const secret of [query.state!, query.nonce!]) expect(carried).not.toContain(secret)
    expect(service.logText()).not.toContain(query.state!)
  })

  test('continues only into the console, whatever target the first link named', async () => {
    for (const next of ['https://evil.example/', '//evil.example/admin', '/admin\\evil', '/administrators']) {
      const browser = visitor()
      const back = await browser.get(
        await begin(browser, subject, `/admin/sign-in/oidc?next=${encodeURIComponent(next)}`),
      )
      expect([next, back.status, back.headers.get('location')]).toEqual([next, 303, '/admin'])
    }
  })

  test('is refused with another state, without the browser’s cookie, or in another browser', async () => {
    const [mine, theirs] = [visitor(), visitor()]
    const path = await begin(mine)
    await begin(theirs)
    const other = path.replace(/state=[^&]*/, `state=${'x'.repeat(43)}`)
    for (const [browser, address] of [
      [visitor(), path],
      [theirs, path],
      [mine, other],
      [await beginAgain(), path.replace(/state=[^&]*&?/, '')],
      [await beginAgain(), `${path}&state=x`],
    ] as const) {
      const back = await browser.get(address)
      expect(back.status).toBe(400)
      expect(await back.text()).toContain('href="/admin/sign-in/oidc')
      expect(browser.cookies.size).toBe(0)
    }
    // And the one that was not taken is over.
    expect((await mine.get(path)).status).toBe(400)
  })

  const beginAgain = async (): Promise<ConsoleVisitor> => {
    const browser = visitor()
    await begin(browser)
    return browser
  }

  test('refuses a cookie that was changed or is ten minutes old', async () => {
    const browser = visitor()
    const path = await begin(browser)
    const sealed = browser.cookies.get('tributary-oidc')!
    const bytes = Buffer.from(sealed, 'base64url')
    bytes[20]! ^= 1
    browser.cookies.set('tributary-oidc', bytes.toString('base64url'))
    expect((await browser.get(path)).status).toBe(400)
    browser.cookies.set('tributary-oidc', sealed)
    now += 10 * minutes
    expect((await browser.get(path)).status).toBe(400)
    browser.cookies.set('tributary-oidc', sealed)
    now -= 1
    expect((await browser.get(path)).status).toBe(303)
  })

  test('accepts a code once', async () => {
    const browser = visitor()
    const path = await begin(browser)
    const sealed = browser.cookies.get('tributary-oidc')!
    expect((await browser.get(path)).status).toBe(303)
    const again = visitor()
    again.cookies.set('tributary-oidc', sealed)
    expect((await again.get(path)).status).toBe(401)
    expect(again.cookies.size).toBe(0)
  })

  test('refuses a code for another verifier', async () => {
    const browser = visitor()
    const location = new URL((await browser.get('/admin/sign-in/oidc')).headers.get('location')!)
    location.searchParams.set('code_challenge', 'x'.repeat(43))
    const back = await browser.get(local(await new ProviderVisitor(provider.issuer).signIn(location.href, subject)))
    expect([back.status, browser.cookies.size]).toEqual([401, 0])
  })

  test('does not sign in a person who cancels at the provider', async () => {
    const browser = visitor()
    const back = await browser.get(await begin(browser, ''))
    expect(back.status).toBe(401)
  })

  test('shows the same page to people who are unknown, disabled, or without a verified email address', async () => {
    const gone = await aPerson(database.sql)
    await disablePerson(database.sql, gone.person_id, { actor: 'operator:test', now })
    const stranger = `${crypto.randomUUID()}@example.gov`
    const pages = new Set<string>()
    for (const [account, reason] of [
      [{ email: stranger, email_verified: true }, 'unknown_email'],
      [{ email: gone.email, email_verified: true }, 'disabled'],
      [{ email: ada.email, email_verified: false }, 'no_verified_email'],
      [{ email: ada.email }, 'no_verified_email'],
      [{ email: ada.email, email_verified: 'true' as unknown as boolean }, 'no_verified_email'],
      [{}, 'no_verified_email'],
    ] as const) {
      const who = crypto.randomUUID()
      provider.accounts.set(who, account)
      const browser = visitor()
      const back = await browser.get(await begin(browser, who))
      expect(back.status).toBe(401)
      expect(browser.cookies.size).toBe(0)
      pages.add(await back.text())
      const audited = reason === 'no_verified_email' ? who : account.email!
      expect(await auditOf(audited)).toEqual([{ action: 'sign_in_failed', detail: { how: 'oidc', reason } }])
    }
    expect(pages.size).toBe(1)
    expect(errorsOf([...pages][0]!)).toEqual(['oidc not_signed_in'])
    expect(await database.sql`select from person_identity where person_id = ${ada.person_id}`).toHaveLength(0)
  })

  test('counts failures by address, like those of passwords', async () => {
    const strict = await useService(database, { ...settings, authFailuresPerMinute: 1 })
    const statuses: number[] = []
    for (let i = 0; i < 2; i++) {
      const browser = new ConsoleVisitor(strict)
      const sent = await browser.get('/admin/sign-in/oidc')
      const state = new URL(sent.headers.get('location')!).searchParams.get('state')
      statuses.push(
        (await browser.get(`/admin/sign-in/oidc/callback?code=guessed&state=${state}&iss=${provider.issuer}`)).status,
      )
    }
    expect(statuses).toEqual([401, 429])
  })
})

describe('the identity of a person', () => {
  const comeIn = async (who = subject): Promise<number> => {
    const browser = visitor()
    return (await browser.get(await begin(browser, who))).status
  }

  test('stays linked when the email address at the provider changes, verified or not', async () => {
    expect(await comeIn()).toBe(303)
    provider.accounts.set(subject, { email: 'married@example.gov', email_verified: false })
    const browser = visitor()
    await browser.get(await begin(browser))
    expect(await browser.page('/admin/account')).toContain(ada.email)
  })

  test('is not the email address: the same one under another subject is refused', async () => {
    expect(await comeIn()).toBe(303)
    const successor = crypto.randomUUID()
    provider.accounts.set(successor, { email: ada.email, email_verified: true })
    expect(await comeIn(successor)).toBe(401)
    expect(await auditOf(ada.email)).toEqual([
      { action: 'sign_in_failed', detail: { how: 'oidc', reason: 'another_subject' } },
    ])
    expect(await comeIn()).toBe(303)
  })

  test('is unlinked by an administrator, which ends sessions, and the next account with that verified email address is linked', async () => {
    expect(await comeIn()).toBe(303)
    const path = `/admin/people/${ada.person_id}`
    const admin = await visitor().signIn((await aPerson(database.sql)).email)
    expect(await admin.page(path)).toContain(subject)
    const unlinked = await admin.post(`${path}/unlink`, { issuer: settings.oidcIssuer })
    expect([unlinked.status, unlinked.headers.get('location')]).toEqual([303, `${path}?done=unlinked`])
    expect(await database.sql`select from console_session where person_id = ${ada.person_id}`).toHaveLength(0)
    expect((await auditOf(ada.email)).at(-1)).toEqual({
      action: 'identity_forgotten',
      detail: { issuer: settings.oidcIssuer, subject },
    })
    expect((await admin.post(`${path}/unlink`, { issuer: settings.oidcIssuer })).status).toBe(404)
    const successor = crypto.randomUUID()
    provider.accounts.set(successor, { email: ada.email, email_verified: true })
    expect(await comeIn(successor)).toBe(303)
    expect(await comeIn()).toBe(401)
  })

  test('is found by email address in any case', async () => {
    provider.accounts.set(subject, { email: ada.email.toUpperCase(), email_verified: true })
    expect(await comeIn()).toBe(303)
  })

  test('does not sign in a disabled person', async () => {
    expect(await comeIn()).toBe(303)
    // The last administrator can't be disabled.
    await aPerson(database.sql)
    await disablePerson(database.sql, ada.person_id, { actor: 'operator:test', now })
    expect(await comeIn()).toBe(401)
  })

  test('is linked to one of two subjects with the same email address that sign in at once', async () => {
    const duplicate = crypto.randomUUID()
    provider.accounts.set(duplicate, { email: ada.email, email_verified: true })
    expect((await Promise.all([comeIn(), comeIn(duplicate)])).sort()).toEqual([303, 401])
    const same = await aPerson(database.sql)
    const who = crypto.randomUUID()
    provider.accounts.set(who, { email: same.email, email_verified: true })
    expect(await Promise.all([comeIn(who), comeIn(who)])).toEqual([303, 303])
  })
})

describe('confirming at the provider', () => {
  const invite = '/admin/people/invite'
  const signedIn = async (): Promise<ConsoleVisitor> => {
    const browser = visitor()
    await browser.get(await begin(browser))
    return browser
  }

  test('is required before a secret is created, and lasts for ten minutes', async () => {
    const browser = await signedIn()
    const asked = await browser.get(invite)
    expect(asked.headers.get('location')).toBe('/admin/confirm?next=%2Fadmin%2Fpeople%2Finvite')
    expect(await browser.page(asked.headers.get('location')!)).toContain('Continue with City account')
    const sent = await browser.get(`/admin/confirm/oidc?next=${invite}`)
    const { searchParams } = new URL(sent.headers.get('location')!)
    expect([searchParams.get('prompt'), searchParams.get('max_age')]).toEqual(['login', '0'])
    const at = new ProviderVisitor(provider.issuer)
    const back = await browser.get(local(await at.signIn(sent.headers.get('location')!, subject)))
    expect([back.status, back.headers.get('location')]).toEqual([303, invite])
    expect((await browser.get(invite)).status).toBe(200)
    now += 10 * minutes
    expect((await browser.get(invite)).status).toBe(303)
  })

  test('must be by the same person, and counts only for that session', async () => {
    const bo = await aPerson(database.sql)
    const theirs = crypto.randomUUID()
    provider.accounts.set(theirs, { email: bo.email, email_verified: true })
    const browser = await signedIn()
    const back = await browser.get(await begin(browser, theirs, '/admin/confirm/oidc'))
    expect(back.status).toBe(401)
    expect((await browser.get(invite)).status).toBe(303)
    const moved = await signedIn()
    const path = await begin(moved, subject, '/admin/confirm/oidc')
    moved.cookies.set('tributary', (await signedIn()).cookies.get('tributary')!)
    expect((await moved.get(path)).status).toBe(401)
    expect((await moved.get(invite)).status).toBe(303)
    moved.cookies.delete('tributary')
    const signedOut = visitor()
    expect((await signedOut.get('/admin/confirm/oidc')).headers.get('location')).toStartWith('/admin/sign-in?next=')
  })
})

describe('with passwords turned off', async () => {
  const without = await useService(database, { ...settings, passwordSignIn: false }, { now: () => now })

  test('no page asks for a password, and none is accepted', async () => {
    const browser = new ConsoleVisitor(without)
    const page = await browser.page('/admin/sign-in')
    expect(page).toContain('City account')
    expect(page).not.toContain('type="password"')
    const refused = await browser.post('/admin/sign-in', { csrf: '', email: ada.email, password: testPassword })
    expect([refused.status, browser.cookies.size]).toEqual([403, 0])
    const inside = await visitor().signIn(ada.email)
    const there = new ConsoleVisitor(without)
    there.cookies.set('tributary', inside.cookies.get('tributary')!)
    for (const path of ['/admin/account', '/admin/confirm'])
      expect(await there.page(path)).not.toContain('type="password"')
    for (const path of ['/admin/confirm', '/admin/account/password'])
      expect((await there.post(path, { password: testPassword, current: testPassword })).status).toBe(403)
  })

  test('an invited person sees where to sign in, and no page mentions a password', async () => {
    const inside = await visitor().signIn(ada.email)
    const there = new ConsoleVisitor(without)
    there.cookies.set('tributary', inside.cookies.get('tributary')!)
    const page = await there.page('/admin/people/invite')
    expect(page).toContain('City account')
    const invited = await there.post('/admin/people/invite', {
      name: 'Bo',
      email: `${crypto.randomUUID()}@example.gov`,
      role: 'AUDITOR',
    })
    const text = await invited.text()
    expect([invited.status, text.includes('/admin/sign-in'), text.includes('/admin/invitations/')]).toEqual([
      200,
      true,
      false,
    ])
    expect(text).toContain('Bo ')
    const person = await there.page(`/admin/people/${ada.person_id}`)
    for (const shown of [page, text, person]) expect(shown).not.toMatch(/chooses? a(nother)? password|new link/)
  })

  test('an invitation link leads to the sign-in page', async () => {
    const by = { actor: 'operator:test', now }
    const { token } = await invitePerson(
      database.sql,
      { email: `${crypto.randomUUID()}@example.gov`, name: 'Bo', role: 'AUDITOR', programs: [] },
      by,
    )
    const browser = new ConsoleVisitor(without)
    const sent = await browser.get(`/admin/invitations/${token}`)
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/admin/sign-in'])
    const chosen = { csrf: '', password: 'another good one', repeated: 'another good one' }
    expect((await browser.post(`/admin/invitations/${token}`, chosen)).status).toBe(403)
  })
})

test('behind a proxy, people return to BASE_URL, and the cookie is only for HTTPS and this host', async () => {
  const baseUrl = 'https://apply.example.gov/forms'
  const trustedProxies = [parseSubnet('127.0.0.0/8') as Subnet]
  const proxied = await useService(database, { ...settings, environment: 'production', trustedProxies, baseUrl })
  const browser = new ConsoleVisitor(proxied, { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.7' })
  expect((await browser.get('/admin/sign-in/oidc', { Host: 'evil.example' })).status).toBe(400)
  const sent = await browser.get('/admin/sign-in/oidc')
  const query = new URL(sent.headers.get('location')!).searchParams
  expect(query.get('redirect_uri')).toBe(`${baseUrl}/admin/sign-in/oidc/callback`)
  expect(browser.setCookies[0]).toMatch(
    /^__Host-tributary-oidc=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
  )
  await browser.get(`/admin/sign-in/oidc/callback?code=x&state=x`)
  expect(browser.setCookies).toEqual(['__Host-tributary-oidc=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure'])
})

test('OIDC_CLIENT_SECRET: while the provider accepts both secrets, processes with either sign people in, then only those with the new one, and sessions continue', async () => {
  const port = await freePort()
  const withSecret = (oidcClientSecret: string) =>
    useService(
      database,
      { ...oidcClient, oidcIssuer: `http://127.0.0.1:${port}`, oidcClientSecret },
      { now: () => now },
    )
  const [old, renewed] = [oidcClient.oidcClientSecret, 'the second secret of this client']
  const [before, after] = await Promise.all([withSecret(old), withSecret(renewed)])
  const redirectUris = [before, after].map(({ baseUrl }) => `${baseUrl}/admin/sign-in/oidc/callback`)
  const { issuer, accounts, secrets } = await useOidcIssuer({ port, redirectUris })
  accounts.set(subject, { email: ada.email, email_verified: true })
  const signIn = async (at: typeof before): Promise<{ status: number; browser: ConsoleVisitor }> => {
    const browser = new ConsoleVisitor(at)
    const sent = (await browser.get('/admin/sign-in/oidc')).headers.get('location')!
    const back = await browser.get(local(await new ProviderVisitor(issuer).signIn(sent, subject)))
    return { status: back.status, browser }
  }
  const begun = await signIn(before)
  expect(begun.status).toBe(303)
  expect((await signIn(after)).status).toBe(503)
  secrets.add(renewed)
  expect([(await signIn(before)).status, (await signIn(after)).status]).toEqual([303, 303])
  secrets.delete(old)
  expect([(await signIn(before)).status, (await signIn(after)).status]).toEqual([503, 303])
  const replaced = new ConsoleVisitor(after)
  for (const [name, value] of begun.browser.cookies) replaced.cookies.set(name, value)
  expect(await replaced.page('/admin/account')).toContain(ada.email)
  for (const service of [before, after]) expect(service.logText()).not.toContain(renewed)
})

test('without a configured provider, there is no such route or mention of it', async () => {
  const plain = new ConsoleVisitor(await useService(database))
  for (const path of ['/admin/sign-in/oidc', '/admin/sign-in/oidc/callback?code=x&state=x'])
    expect((await plain.get(path)).status).toBe(404)
  expect(await plain.page('/admin/sign-in')).not.toContain('/oidc')
})

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const browser = await useBrowser()

  test.each([true, false])('signing in and confirming work by links and keys; scripts: %p', async scripts => {
    const { page, complaints } = await openPage(browser, service.baseUrl, { javaScriptEnabled: scripts })
    await page.goto('/admin/people/invite')
    await page.getByRole('link', { name: 'Sign in with City account' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Subject').fill(subject)
    await page.getByRole('button', { name: 'It is me' }).click()
    await page.waitForURL(url => url.pathname === '/admin/confirm')
    await page.getByRole('link', { name: 'Continue with City account' }).click()
    // The provider knows them from a moment ago, and asks all the same.
    await page.getByLabel('Subject').fill(subject)
    await page.getByRole('button', { name: 'It is me' }).click()
    await page.getByRole('heading', { name: 'Invite a person' }).waitFor()
    expect(complaints).toEqual([])
  })
})
