// Signing in to the console at an OpenID provider that lies, is at fault, or is away.

import { beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { freePort } from '../../../scripts/processes/free-port.ts'
import { IdentityProvider } from '../../../src/core/people/identity-provider.ts'
import { oidcClient } from '../../support/config.ts'
import { aPerson, ConsoleVisitor, errorsOf } from '../../support/console.ts'
import { type CrookedIssuer, useCrookedIssuer } from '../../support/crooked-issuer.ts'
import { endWithFile, endWithTest, useDatabase, useService } from '../../support/fixtures.ts'
import { useOidcIssuer } from '../../support/oidc-issuer.ts'

const database = await useDatabase()
const crooked: CrookedIssuer = await useCrookedIssuer(oidcClient.oidcClientId)
const service = await useService(database, { ...oidcClient, oidcIssuer: crooked.issuer })

let ada: { person_id: number; email: string }
let sub: string
beforeEach(async () => {
  ada = await aPerson(database.sql)
  sub = crypto.randomUUID()
  Object.assign(crooked, { says: {}, signs: 'well', describes: {}, status: 200 })
})

/** Begins, and comes back with a code; the provider's token then says what is right but for `says`. */
async function comeBack(
  browser: ConsoleVisitor,
  says: Record<string, unknown> = {},
  path = '/admin/sign-in/oidc',
  query = '&code=x',
): Promise<Response> {
  const sent = new URL((await browser.get(path)).headers.get('location')!).searchParams
  crooked.says = { sub, email: ada.email, email_verified: true, nonce: sent.get('nonce'), ...says }
  return browser.get(`/admin/sign-in/oidc/callback?state=${sent.get('state')}${query}`)
}

const second = () => Math.floor(Date.now() / 1000)

describe('responses of a provider are validated', () => {
  test('a valid token signs in', async () => {
    const browser = new ConsoleVisitor(service)
    expect((await comeBack(browser)).status).toBe(303)
    expect(await browser.page('/admin/account')).toContain(ada.email)
  })

  test.each<[string, () => Record<string, unknown>]>([
    ['of another issuer', () => ({ iss: 'https://evil.example' })],
    ['for another client', () => ({ aud: 'another' })],
    ['for several clients, made out to another', () => ({ aud: ['tributary', 'another'], azp: 'another' })],
    ['with another nonce', () => ({ nonce: 'x'.repeat(43) })],
    ['without a nonce', () => ({ nonce: undefined })],
    ['that has expired', () => ({ iat: second() - 7200, exp: second() - 3600 })],
    ['without a subject', () => ({ sub: undefined })],
  ])('a token %s is refused', async (_, says) => {
    const browser = new ConsoleVisitor(service)
    expect((await comeBack(browser, says())).status).toBe(401)
    expect(browser.cookies.size).toBe(0)
  })

  test.each(['by another key', 'none', 'not at all'] as const)('a token signed %s is refused', async signs => {
    crooked.signs = signs
    const browser = new ConsoleVisitor(service)
    expect((await comeBack(browser)).status).toBe(401)
    expect(browser.cookies.size).toBe(0)
  })

  test('a response that names another provider is refused (RFC 9207)', async () => {
    crooked.describes = { authorization_response_iss_parameter_supported: true }
    const own = await useService(database, { ...oidcClient, oidcIssuer: crooked.issuer })
    for (const [query, status] of [
      ['&code=x', 401],
      ['&code=x&iss=https://evil.example', 401],
      [`&code=x&iss=${crooked.issuer}`, 303],
    ] as const)
      expect([query, (await comeBack(new ConsoleVisitor(own), {}, '/admin/sign-in/oidc', query)).status]).toEqual([
        query,
        status,
      ])
  })

  test('data in a response is shown as text', async () => {
    const hostile = '<script>alert(1)</script>'
    const browser = new ConsoleVisitor(service)
    const query = `&error=access_denied&error_description=${encodeURIComponent(hostile)}`
    const back = await comeBack(browser, {}, '/admin/sign-in/oidc', query)
    expect(back.status).toBe(401)
    expect(await back.text()).not.toContain('alert(1)')
  })
})

describe('to confirm who someone is, the provider must say when they signed in', () => {
  const invite = '/admin/people/invite'
  test.each<[string, () => Record<string, unknown>, number]>([
    ['not at all', () => ({}), 401],
    ['long ago', () => ({ auth_time: second() - 3600 }), 401],
    ['just now', () => ({ auth_time: second() }), 303],
  ])('%s', async (_, says, status) => {
    const browser = new ConsoleVisitor(service)
    await comeBack(browser)
    expect((await browser.get(invite)).status).toBe(303)
    expect((await comeBack(browser, says(), `/admin/confirm/oidc?next=${invite}`)).status).toBe(status)
    expect((await browser.get(invite)).status).toBe(status === 303 ? 200 : 303)
  })

  test('a recent sign-in at the provider counts as confirmation, and an older session does not', async () => {
    const fresh = new ConsoleVisitor(service)
    await comeBack(fresh, { auth_time: second() })
    expect((await fresh.get(invite)).status).toBe(200)
    for (const auth_time of [second() - 601, 0]) {
      const known = new ConsoleVisitor(service)
      await comeBack(known, { auth_time })
      expect((await known.get(invite)).status).toBe(303)
    }
    // A clock that runs ahead does not make it hold for longer.
    await comeBack(new ConsoleVisitor(service), { auth_time: second() + 86_400 })
    const [{ ahead }] = await database.sql<[{ ahead: boolean }]>`
      select max(confirmed_at) > clock_timestamp() as ahead from console_session`
    expect(ahead).toBe(false)
  })
})

describe('a faulty or unreachable provider', () => {
  const expectAway = async (response: Response): Promise<void> => {
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60'])
    const page = await response.text()
    expect(errorsOf(page)).toEqual(['oidc not_signed_in'])
    expect(page).toContain('type="password"')
  }

  test('is reported while it is down, passwords still work, and it is used as soon as it is back', async () => {
    const port = await freePort()
    const later = await useService(database, { ...oidcClient, oidcIssuer: `http://127.0.0.1:${port}` })
    const browser = new ConsoleVisitor(later)
    await expectAway(await browser.get('/admin/sign-in/oidc'))
    await browser.signIn(ada.email)
    await expectAway(await browser.get('/admin/confirm/oidc'))
    await useOidcIssuer({ port, redirectUris: [`${later.baseUrl}/admin/sign-in/oidc/callback`] })
    expect((await new ConsoleVisitor(later).get('/admin/sign-in/oidc')).headers.get('location')).toStartWith(
      `http://127.0.0.1:${port}/`,
    )
    // Why is for the log.
    expect(later.logLines.filter(line => 'issuer' in line && 'err' in line).length).toBe(2)
    expect(later.logText()).not.toContain(oidcClient.oidcClientSecret)
  })

  test('that is silent delays pages by a few seconds at most, and passwords not at all', async () => {
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    endWithFile(async () => silent.stop(true))
    const waiting = await useService(database, { ...oidcClient, oidcIssuer: `http://127.0.0.1:${silent.port}` })
    const begun = new ConsoleVisitor(waiting).get('/admin/sign-in/oidc')
    let answered = false
    void begun.then(() => {
      answered = true
    })
    await new ConsoleVisitor(waiting).signIn(ada.email)
    expect(answered).toBe(false)
    await expectAway(await begun)
  })

  test('is reported if it responds with an error or describes another issuer', async () => {
    crooked.status = 500
    const browser = new ConsoleVisitor(service)
    await expectAway(await comeBack(browser))
    expect(browser.cookies.size).toBe(0)
    crooked.describes = { issuer: 'https://evil.example' }
    const own = await useService(database, { ...oidcClient, oidcIssuer: crooked.issuer })
    await expectAway(await new ConsoleVisitor(own).get('/admin/sign-in/oidc'))
  })

  test('keeps its earlier description if it describes another issuer an hour later', async () => {
    const { oidcClientId: clientId, oidcClientSecret: clientSecret } = oidcClient
    const provider = new IdentityProvider({ issuer: crooked.issuer, clientId, clientSecret })
    const begin = async () => new URL((await provider.begin('https://here.example/', false)).url).origin
    expect(await begin()).toBe(crooked.issuer)
    crooked.describes = { issuer: 'https://evil.example' }
    const later = spyOn(performance, 'now').mockReturnValue(performance.now() + 3_600_001)
    endWithTest(() => later.mockRestore())
    expect(await begin()).toBe(crooked.issuer)
  })

  test('is asked for its description once, not at each sign-in', async () => {
    const port = await freePort()
    const asking = await useService(database, { ...oidcClient, oidcIssuer: `http://127.0.0.1:${port}` })
    const provider = await useOidcIssuer({ port, redirectUris: [`${asking.baseUrl}/admin/sign-in/oidc/callback`] })
    const begin = () => new ConsoleVisitor(asking).get('/admin/sign-in/oidc')
    await Promise.all([begin(), begin(), begin()])
    await begin()
    expect(provider.requests).toEqual(['GET /.well-known/openid-configuration'])
  })
})
