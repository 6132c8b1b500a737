// Tokens of administrators, and the session of a browser, as ways into the console's API: what lets in, what ends it, what it may do.

import { describe, expect, test } from 'bun:test'
import { retireAdminToken, scopes } from '../../../../src/core/people/admin-tokens.ts'
import { forgetIdentity } from '../../../../src/core/people/identities.ts'
import { acceptInvitation, disablePerson, enablePerson, inviteAgain } from '../../../../src/core/people/people.ts'
import { aPerson, ConsoleVisitor, rowsOf, testPassword } from '../../../support/console.ts'
import { ApiProgram, aToken } from '../../../support/console-api.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database)
const ada = await aPerson(sql)
const by = { actor: 'operator:test', now: Date.now() * 1000 }
const path = '/admin/account/tokens'
const whoAmI = (token: string) => ApiProgram.withToken(service, token).ask('GET', '/session')

describe('in the console', () => {
  test('a token is created, shown once, works and is retired', async () => {
    const browser = await new ConsoleVisitor(service).signIn(ada.email)
    const made = await browser.post(`${path}/new`, {
      name: 'nightly',
      expiry: '30d',
      scopes: ['keys:read', 'people:write'],
    })
    expect(made.status).toBe(303)
    const issued = made.headers.get('location')!
    const shown = await browser.get(issued)
    const text = await shown.text()
    const token = /tribat_[0-9A-Za-z]{20}_[0-9A-Za-z]{49}/.exec(text)![0]
    expect(shown.headers.get('cache-control')).toBe('no-store')
    const again = await browser.page(issued)
    expect([again.includes(token), again.includes('id="token"')]).toEqual([false, false])
    const { status, body } = await whoAmI(token)
    expect([status, body.email, body.scopes]).toEqual([200, ada.email, ['keys:read', 'people:write']])
    // Kept nowhere but as a hash.
    const [{ dump }] =
      (await sql`select admin_token::text as dump from admin_token where name = 'nightly'`) as unknown as [
        { dump: string },
      ]
    expect(dump).not.toContain(token.slice(30))
    const tokenId = token.slice(0, 27)
    expect(await browser.page(path)).toContain(tokenId)
    expect((await browser.post(`${path}/${tokenId}/retire`)).status).toBe(303)
    expect((await whoAmI(token)).status).toBe(401)
    expect((await browser.post(`${path}/${tokenId}/retire`)).status).toBe(404)
    const auditLog = await sql`
      select action, actor from audit_event where subject = ${tokenId} order by audit_event_id`
    expect([...auditLog]).toEqual([
      { action: 'admin_token_created', actor: `admin:${ada.email}` },
      { action: 'admin_token_retired', actor: `admin:${ada.email}` },
    ])
  })

  test('a form is shown again as it was filled in, with each error at its field', async () => {
    const browser = await new ConsoleVisitor(service).signIn(ada.email)
    const text = await browser.refused(400, `${path}/new`, {
      name: '\u200b ',
      expiry: 'day',
      expiry_day: '2099-01-31',
      scopes: ['keys:own'],
    })
    for (const part of ['href="#name"', 'href="#expiry"', 'href="#scopes"', 'value="2099-01-31"'])
      expect(text).toContain(part)
  })

  test('only an administrator retires the token of another person', async () => {
    const auditor = await aPerson(sql, { role: 'AUDITOR' })
    const { tokenId, token } = await aToken(sql, auditor)
    const other = await aPerson(sql, { role: 'AUDITOR' })
    expect(
      (await (await new ConsoleVisitor(service).signIn(other.email)).post(`${path}/${tokenId}/retire`)).status,
    ).toBe(404)
    expect((await whoAmI(token)).status).toBe(200)
    const admin = await new ConsoleVisitor(service).signIn(ada.email)
    const theirs = `/admin/people/${auditor.person_id}`
    const listed = async (page = theirs) =>
      rowsOf(await admin.page(page), 'API tokens').map(row => [row.Name, row.Scopes, row.Status, row.Retire])
    expect(await listed()).toEqual([[`test ${tokenId}`, scopes.join(' '), 'active', 'Retire test']])
    const retired = await admin.post(`${theirs}/tokens/${tokenId}/retire`)
    expect(retired.headers.get('location')).toBe(`${theirs}?done=token-retired`)
    expect(await listed(`${theirs}?done=token-retired`)).toEqual([[`test ${tokenId}`, scopes.join(' '), 'retired', '']])
    expect(rowsOf(await admin.page(theirs), 'API tokens')[0]!.Expires).toMatch(/^retired \w+ \d+, \d+$/)
    expect((await whoAmI(token)).status).toBe(401)
  })
})

describe('a token', () => {
  test.each([
    ['nothing', ''],
    ['a garbled one', 'Bearer tribat_x'],
    ['one of the right form that was never made', `Bearer tribat_${'a'.repeat(20)}_${'b'.repeat(49)}`],
    ['another scheme', 'Basic YTpi'],
  ])('%s gets a 401 with what is required', async (_, authorization) => {
    const { status, headers, body } = await new ApiProgram(service, { Authorization: authorization }).ask(
      'GET',
      '/keys',
    )
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="tributary"'])
    expect(body.detail).toContain('Sign in')
  })

  test('is accepted by no page and no route for clients', async () => {
    const { token } = await aToken(sql, ada)
    const headers = { Authorization: `Bearer ${token}` }
    expect((await service.get('/admin/keys', { headers })).status).toBe(303)
    expect((await service.get('/api/v1/checkAuth', { headers })).status).toBe(401)
  })

  test('ends when it expires, and its last use is stored', async () => {
    const { token, tokenId } = await aToken(sql, ada)
    for (let times = 0; times < 2; times++) {
      await sql`
        update admin_token set last_used_at = last_used_at - interval '2 minutes' where admin_token_id = ${tokenId}`
      expect((await whoAmI(token)).status).toBe(200)
      const [used] = await sql`
        select last_used_at > now() - interval '1 minute' as now, host(last_used_address) as address
        from admin_token where admin_token_id = ${tokenId}`
      expect(used).toEqual({ now: true, address: '127.0.0.1' })
    }
    const tomorrow = await useService(database, {}, { now: () => (Date.now() + 86_400_001) * 1000 })
    const { status } = await ApiProgram.withToken(tomorrow, token).ask('GET', '/session')
    expect(status).toBe(401)
  })

  test.each<[string, number, (person: { person_id: number; email: string }) => Promise<unknown>]>([
    [
      'ends when a password is chosen with a link',
      401,
      async ({ person_id }) =>
        acceptInvitation(sql, await inviteAgain(sql, person_id, by), 'another good one', { now: by.now }),
    ],
    [
      'ends when who the person is at a provider is unlinked',
      401,
      async ({ person_id: personId, email }) => {
        const issuer = 'https://id.example.gov'
        await sql`insert into person_identity (issuer, subject, person_id) values (${issuer}, ${email}, ${personId})`
        await forgetIdentity(sql, { personId, email, issuer }, by)
      },
    ],
    [
      'ends when the person signs out everywhere and says so',
      401,
      async ({ email }) =>
        (await new ConsoleVisitor(service).signIn(email)).post('/admin/sign-out', { everywhere: 'yes', tokens: 'yes' }),
    ],
    [
      'continues when the person signs out everywhere and says nothing',
      200,
      async ({ email }) =>
        (await new ConsoleVisitor(service).signIn(email)).post('/admin/sign-out', { everywhere: 'yes' }),
    ],
    [
      'continues when the person changes the password with the present one',
      200,
      async ({ email }) => {
        const sent = { current: testPassword, password: 'another good one', repeated: 'another good one' }
        const browser = await new ConsoleVisitor(service).signIn(email)
        expect((await browser.post('/admin/account/password', sent)).status).toBe(303)
      },
    ],
  ])('%s', async (_, status, happens) => {
    const person = await aPerson(sql, { role: 'AUDITOR' })
    const { token } = await aToken(sql, person)
    expect((await whoAmI(token)).status).toBe(200)
    await happens(person)
    expect((await whoAmI(token)).status).toBe(status)
  })

  test('is one of at most fifty active tokens of its person, even if many are created at once', async () => {
    const person = await aPerson(sql, { role: 'AUDITOR' })
    // One that has expired is none of them.
    await aToken(sql, person, { now: by.now - 2 * 86_400_000_000 })
    const made = await Promise.allSettled(Array.from({ length: 53 }, () => aToken(sql, person)))
    expect(made.flatMap(result => (result.status === 'rejected' ? result.reason.kind : []))).toEqual(
      new Array(3).fill('conflict'),
    )
  })

  test('is not created for a person who is disabled meanwhile', async () => {
    const person = await aPerson(sql, { role: 'AUDITOR' })
    await disablePerson(sql, person.person_id, by)
    await expect(aToken(sql, person)).rejects.toThrow('disabled')
  })

  test('ends permanently when its person is disabled', async () => {
    const person = await aPerson(sql, { role: 'AUDITOR' })
    const { token } = await aToken(sql, person)
    const { tokenId } = await aToken(sql, person)
    await retireAdminToken(sql, { tokenId, personId: person.person_id }, { ...by, actor: 'operator:before' })
    await disablePerson(sql, person.person_id, by)
    const retired = await sql`select retired_by from admin_token where person_id = ${person.person_id} order by 1`
    expect(retired.map(({ retired_by }) => retired_by)).toEqual(['operator:before', 'operator:test'])
    expect((await whoAmI(token)).status).toBe(401)
    await enablePerson(sql, person.person_id, by)
    expect((await whoAmI(token)).status).toBe(401)
    await sql`update admin_token set retired_at = null, retired_by = null where person_id = ${person.person_id}`
    await sql`update person set disabled_at = now(), disabled_by = 'test' where person_id = ${person.person_id}`
    expect((await whoAmI(token)).status).toBe(401)
  })

  test('never allows more than its person may currently do', async () => {
    const person = await aPerson(sql)
    const program = ApiProgram.withToken(service, (await aToken(sql, person)).token)
    expect((await program.ask('POST', '/intermediaries', { name: 'First' })).status).toBe(201)
    await sql`update person set role = 'AUDITOR' where person_id = ${person.person_id}`
    expect((await program.ask('POST', '/intermediaries', { name: 'Second' })).status).toBe(403)
    expect((await program.ask('GET', '/intermediaries')).status).toBe(200)
  })

  test('appears in the audit log as used by its person', async () => {
    const { token, tokenId } = await aToken(sql, ada)
    await ApiProgram.withToken(service, token).ask('POST', '/intermediaries', { name: 'Harbor' })
    const [event] = await sql`
      select actor, host(address) as address from audit_event
      where action = 'intermediary_organization_added' and subject = 'Harbor'`
    expect(event).toEqual({ actor: `admin-token:${tokenId}:${ada.email}`, address: '127.0.0.1' })
  })

  test('gets a 429 if wrong too often, while a valid token never does', async () => {
    const strict = await useService(database, { authFailuresPerMinute: 3 }, { now: () => by.now })
    const wrong = new ApiProgram(strict, { Authorization: 'Bearer x' })
    const statuses = []
    for (let i = 0; i < 5; i++) statuses.push((await wrong.ask('GET', '/session')).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
    const { token } = await aToken(sql, ada)
    expect((await ApiProgram.withToken(strict, token).ask('GET', '/session')).status).toBe(200)
  })

  test('has a limit of requests per minute', async () => {
    const strict = await useService(database, { requestsPerMinute: 2 }, { now: () => by.now })
    const program = ApiProgram.withToken(strict, (await aToken(sql, ada)).token)
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await program.ask('GET', '/session')).status)
    expect(statuses).toEqual([200, 200, 429])
  })

  test('is in the log line of each request by its ID', async () => {
    const { token, tokenId } = await aToken(sql, ada)
    const { status, headers } = await whoAmI(token)
    expect([status, service.requestLine(headers.get('x-request-id'))?.admin_token_id]).toEqual([200, tokenId])
    const wrong = await whoAmI(`${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}`)
    const line = service.requestLine(wrong.headers.get('x-request-id'))!
    expect([wrong.status, line.reason, 'admin_token_id' in line]).toEqual([401, 'bad_admin_token', false])
  })

  test('never appears in the log', async () => {
    const { token } = await aToken(sql, ada)
    await whoAmI(token)
    await service.get(`/admin/${token}`)
    expect(service.logText()).not.toContain(token.slice(30))
  })
})

describe('a session', () => {
  const signedIn = async () => {
    const browser = await new ConsoleVisitor(service).signIn(ada.email)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const { body } = await new ApiProgram(service, { Cookie: cookie }).ask('GET', '/session')
    return { Cookie: cookie, Origin: service.baseUrl, 'X-CSRF-Token': body.csrf as string }
  }

  test('can change data with its own X-CSRF-Token, from a page of this origin', async () => {
    const fields = await signedIn()
    const name = `Org ${crypto.randomUUID()}`
    expect((await new ApiProgram(service, fields).ask('POST', '/intermediaries', { name })).status).toBe(201)
    const [event] = await sql`select actor from audit_event where subject = ${name}`
    expect(event).toEqual({ actor: `admin:${ada.email}` })
  })

  test.each([
    ['without X-CSRF-Token', { 'X-CSRF-Token': undefined }],
    ['with another session’s', { 'X-CSRF-Token': 'x'.repeat(43) }],
    ['from elsewhere', { Origin: 'https://evil.example' }],
    ['from nowhere', { Origin: undefined }],
  ])('changes nothing %s', async (_, wrong) => {
    const fields = Object.entries({ ...(await signedIn()), ...wrong }).filter(([, value]) => value !== undefined)
    const program = new ApiProgram(service, Object.fromEntries(fields) as Record<string, string>)
    expect((await program.ask('POST', '/intermediaries', { name: 'Forged' })).status).toBe(403)
    expect(await sql`select from intermediary_organization where name = 'Forged'`).toHaveLength(0)
  })
})
