// Which actions ask again who one is: every route of the console and every action of its API, in a session that is eleven minutes old.

import { describe, expect, test } from 'bun:test'
import { consoleActions, consolePages } from '../../src/console/console.ts'
import type { Deps } from '../../src/http/server/deps.ts'
import { addressOf, aPerson, ConsoleVisitor, testPassword } from '../support/console.ts'
import { ApiProgram } from '../support/console-api.ts'
import { useDatabase, useService } from '../support/fixtures.ts'
import { aProgram } from '../support/programs.ts'
import { expectedActions, expectedPages } from './expected-routes.ts'

const database = await useDatabase()
const { sql } = database
let now = Date.now() * 1000
const minutes = 60_000_000
const service = await useService(database, {}, { now: () => now })
await aProgram(sql, { slug: 'others' })
const ada = await aPerson(sql)
const signedIn = await new ConsoleVisitor(service).signIn(ada.email)
now += 11 * minutes

/** The browser of that session; what a visit does to its cookies is not kept. */
const browser = (): ConsoleVisitor => {
  const copy = new ConsoleVisitor(service)
  for (const [name, value] of signedIn.cookies) copy.cookies.set(name, value)
  return copy
}
const ask = (named: string, path: string): Promise<Response> =>
  named.startsWith('POST') ? browser().post(path) : browser().get(path)
/** A page leads to the page that asks, and from there to itself; a form is kept by the page that asks. */
const asksAgain = async (response: Response, path: string): Promise<boolean> =>
  response.status === 403
    ? (await response.text()).includes('name="confirm_password"')
    : response.headers.get('location') === `/admin/confirm?next=${encodeURIComponent(path)}`
/** These end the session, or ask for the password themselves. */
const apart = ['POST /admin/sign-out', 'POST /admin/sign-in', 'POST /admin/confirm', 'POST /admin/account/password']

const routes = consolePages(service.foundation as Deps).map(({ method, path }) => `${method} ${path}`)

describe('a session that is eleven minutes old', () => {
  test.each(routes.filter(route => !apart.includes(route)))('%s', async named => {
    const path = named.split(' ')[1]!
    const response = await ask(named, addressOf(path))
    expect(await asksAgain(response, addressOf(path))).toBe(expectedPages[named]!.includes('confirmed'))
  })

  describe('in the API', () => {
    const actions = consoleActions(service.foundation as Deps)

    test.each(actions.map(({ method, path }) => `${method} ${path}`))('%s', async named => {
      const [method = '', path = ''] = named.split(' ')
      const needsBody = actions.find(action => action.method === method && action.path === path)?.body !== undefined
      const cookie = [...signedIn.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const fields = { Cookie: cookie, Origin: service.baseUrl, 'X-CSRF-Token': await browser().csrf() }
      const { status, body } = await new ApiProgram(service, fields).ask(
        method,
        addressOf(path),
        needsBody ? {} : undefined,
      )
      const refused = status === 403 && String(body.detail).includes('/admin/confirm')
      expect(refused).toBe(expectedActions[named]!.includes('confirmed'))
    })
  })
})

test('showing who one is leads on to where it was asked for', async () => {
  // A session of its own: the other tests need theirs unconfirmed.
  const visitor = await new ConsoleVisitor(service).signIn(ada.email)
  now += 11 * minutes
  const path = `/admin/people/${ada.person_id}`
  const shown = await visitor.post('/admin/confirm', { password: testPassword, next: path })
  expect([shown.status, shown.headers.get('location')]).toEqual([303, path])
  expect((await visitor.post(`${path}/link`)).status).toBe(200)
})
