// Guessing passwords: what is refused, what a refusal says, and whom it never shuts out.

import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import { fullPasswordCost, setPasswordCost } from '../../../src/core/people/passwords.ts'
import { inviteAgain } from '../../../src/core/people/people.ts'
import { wrongPasswordsMax } from '../../../src/core/people/sign-in-tries.ts'
import { parseSubnet, type Subnet } from '../../../src/domain/values/ip-address.ts'
import { aPerson, ConsoleVisitor, testPassword } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { testPasswordCost } from '../../support/password-cost.ts'

const database = await useDatabase()
let now = Date.now() * 1000
const minutes = 60_000_000
const trustedProxies = [parseSubnet('127.0.0.0/8') as Subnet]
const baseUrl = 'https://apply.example.gov'
const start = (authFailuresPerMinute: number) =>
  useService(database, { authFailuresPerMinute, trustedProxies, baseUrl }, { now: () => now })
let service = await start(60)
/** Windows are counted by the clock of the process. */
const later = (micros: number): void => {
  now += micros
  setSystemTime(Date.now() + micros / 1000)
}
afterEach(() => {
  setSystemTime()
  setPasswordCost(testPasswordCost)
})
const { ofOneClient } = wrongPasswordsMax

/** A browser at an address; a new one, unless it is kept. */
const from = (address: string) =>
  new ConsoleVisitor({ get: service.get, baseUrl }, { 'X-Forwarded-For': address, 'X-Forwarded-Proto': 'https' })
async function tries(browser: ConsoleVisitor, email: string, password: string): Promise<number> {
  const response = await browser.post('/admin/sign-in', { csrf: '', email, password })
  await response.body?.cancel()
  return response.status
}
/** Tries a wrong password until that is refused. */
async function spend(browser: ConsoleVisitor, email: string): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.at(-1) !== 429 && statuses.length <= ofOneClient)
    statuses.push(await tries(browser, email, 'guessed-at'))
  return statuses
}
const entries = async (email: string) => [
  ...(await database.sql`
    select detail, host(address) as address from audit_event
    where action = 'sign_in_failed' and subject = ${email} order by audit_event_id`),
]

let ada: { person_id: number; email: string }
beforeEach(async () => {
  ada = await aPerson(database.sql, { email: `Ada.${crypto.randomUUID()}@Example.gov` })
})

describe('while too many passwords of an account were wrong', () => {
  test('the right one is refused like a wrong one until the time is over, and the series leaves two entries without a password', async () => {
    expect(await spend(from('192.0.2.1'), ada.email)).toEqual([...new Array(ofOneClient).fill(401), 429])
    const pages: string[] = []
    for (const password of ['guessed-at', testPassword]) {
      const response = await from('192.0.2.1').post('/admin/sign-in', { csrf: '', email: ada.email, password })
      expect(response.status).toBe(429)
      // The window began with the first try, a moment ago.
      expect(Number(response.headers.get('retry-after'))).toBeWithin(15 * 60 - 60, 15 * 60 + 1)
      expect(response.headers.getSetCookie()).toEqual([])
      pages.push((await response.text()).replaceAll(/[0-9a-f-]{36}/g, 'ID'))
    }
    expect(pages[0]).toBe(pages[1]!)
    expect(await entries(ada.email)).toEqual([
      { detail: {}, address: '192.0.2.1' },
      { detail: { failures: ofOneClient }, address: '192.0.2.1' },
    ])
    expect(JSON.stringify(await entries(ada.email)) + service.logText()).not.toContain('guessed-at')
    later(15 * minutes)
    expect(await tries(from('192.0.2.1'), ada.email, testPassword)).toBe(303)
  })

  test('an account that does not exist is refused in the same way', async () => {
    const unknown = `unknown.${crypto.randomUUID()}${'x'.repeat(300)}@example.gov`
    expect(await spend(from('192.0.2.2'), unknown)).toEqual(await spend(from('192.0.2.2'), ada.email))
    expect(await entries(unknown.slice(0, 254))).toHaveLength(2)
  })

  test('its owner can sign in from elsewhere, in a known browser, and with a link', async () => {
    const known = await from('192.0.2.3').signIn(ada.email)
    await known.post('/admin/sign-out')
    const anothers = await from('192.0.2.3').signIn((await aPerson(database.sql)).email)
    const garbled = from('192.0.2.3')
    garbled.cookies.set('__Host-tributary-known', 'A'.repeat(90))
    await spend(from('192.0.2.3'), ada.email)
    for (const stranger of [from('192.0.2.3'), garbled, anothers])
      expect(await tries(stranger, ada.email, testPassword)).toBe(429)
    expect(await tries(from('192.0.2.4'), ada.email, testPassword)).toBe(303)
    expect(await tries(known, ada.email, testPassword)).toBe(303)
    const token = await inviteAgain(database.sql, ada.person_id, { actor: 'operator:test', now })
    const chosen = { csrf: '', password: 'another good one', repeated: 'another good one' }
    expect((await from('192.0.2.3').post(`/admin/invitations/${token}`, chosen)).status).toBe(303)
  })
})

test('a password that could not be checked does not count as an attempt', async () => {
  const [row] = await database.sql`select password_hash from person where person_id = ${ada.person_id}`
  const store = (hash: string) =>
    database.sql`update person set password_hash = ${hash} where person_id = ${ada.person_id}`
  await store('no hash')
  const browser = from('192.0.2.12')
  for (let i = 0; i <= ofOneClient; i++) expect(await tries(browser, ada.email, testPassword)).toBe(500)
  await store(row!.password_hash)
  expect(await tries(browser, ada.email, testPassword)).toBe(303)
})

describe('within a session', () => {
  test('confirming and changing the password are counted together and refused alike', async () => {
    const browser = await from('192.0.2.8').signIn(ada.email)
    const confirm = async (password: string) =>
      (await browser.post('/admin/confirm', { password, next: '/admin/people' })).status
    const change = async (current: string) =>
      (
        await browser.post('/admin/account/password', {
          current,
          password: 'some new words',
          repeated: 'some new words',
        })
      ).status
    for (let i = 0; i < ofOneClient / 2; i++) expect([await confirm('no'), await change('no')]).toEqual([401, 400])
    expect([await confirm('no'), await change('no')]).toEqual([429, 429])
    expect([await confirm(testPassword), await change(testPassword)]).toEqual([429, 429])
    later(15 * minutes)
    expect(await confirm(testPassword)).toBe(303)
  })

  test('strangers at the same address do not prevent it', async () => {
    const browser = await from('192.0.2.9').signIn(ada.email)
    await spend(from('192.0.2.9'), ada.email)
    expect((await browser.post('/admin/confirm', { password: testPassword, next: '/admin' })).status).toBe(303)
  })
})

test('many concurrent attempts from one address do not prevent an administrator at another from signing in', async () => {
  service = await start(0)
  setPasswordCost(fullPasswordCost)
  const flood = Array.from({ length: 40 }, (_, i) => tries(from('192.0.2.10'), `x${i}@example.gov`, 'guessed-at'))
  await Promise.any(flood.map(async status => expect(await status).toBe(503)))
  expect(await tries(from('192.0.2.11'), ada.email, testPassword)).toBe(303)
  expect([...new Set(await Promise.all(flood))].sort()).toEqual([401, 503])
})
