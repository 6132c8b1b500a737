// Every page route of the console with every role.

import { describe, expect, test } from 'bun:test'
import { consolePages } from '../../src/console/console.ts'
import type { Deps } from '../../src/http/server/deps.ts'
import type { Role } from '../../src/people/roles.ts'
import { unlimited } from '../support/config.ts'
import { addressOf, aPerson, ConsoleVisitor } from '../support/console.ts'
import { useDatabase, useService } from '../support/fixtures.ts'
import { oidcClient } from '../support/oidc-issuer.ts'
import { aProgram } from '../support/programs.ts'
import { expectedPages } from './expected-routes.ts'

const database = await useDatabase()
const service = await useService(database, { ...unlimited, ...oidcClient, oidcIssuer: 'http://127.0.0.1:1' })
await database.sql`insert into program (slug, display_name) values ('granted', 'Granted')`
await aProgram(database.sql, { slug: 'others' })
const roles: (Role | undefined)[] = [undefined, 'ADMINISTRATOR', 'PROGRAM_ADMINISTRATOR', 'AUDITOR']
const people = await Promise.all(
  roles.map(role => (role === undefined ? undefined : aPerson(database.sql, { role, programs: ['granted'] }))),
)

/** One for each role, signed in once. */
const visitors = new Map<number, ConsoleVisitor>()
async function visitor(i: number): Promise<ConsoleVisitor> {
  const found = visitors.get(i) ?? new ConsoleVisitor(service)
  if (!visitors.has(i) && people[i] !== undefined) await found.signIn(people[i].email)
  visitors.set(i, found)
  return found
}

test('the table has every route, and no other', () => {
  const routes = consolePages(service.foundation as Deps).map(({ method, path }) => `${method} ${path}`)
  expect(Object.keys(expectedPages).sort()).toEqual(routes.sort())
})

describe.each(Object.entries(expectedPages))('%s', (route, expected) => {
  test.each(roles.map((role, i) => [role ?? 'no session', i] as const))('%s', async (_, i) => {
    const [method, path] = route.split(' ') as [string, string]
    const filled = addressOf(path)
    const browser = await visitor(i)
    const response = method === 'GET' ? await browser.get(filled) : await browser.post(filled)
    if (filled === '/admin/sign-out') visitors.delete(i)
    expect(response.status).toBe(expected[i] as number)
  })
})

test('other methods are refused with what is offered', async () => {
  const response = await service.get('/admin/people', { method: 'DELETE' })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})
