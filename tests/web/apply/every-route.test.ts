// Each route of applicants' pages for each kind of visitor: what a stranger gets, an applicant, an intermediary, and other roles of the
// console, who are strangers here.

import { expect, test } from 'bun:test'
import { roles } from '../../../src/core/people/roles.ts'
import { Applicant } from '../../support/applicant.ts'
import { aPerson, ConsoleVisitor } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { anIntermediary, anOrganization, Intermediary } from '../../support/intermediary.ts'
import { aProgram, q } from '../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database, { apply: true })
await aProgram(database.sql, { slug: 'aid', questions: [q.text('reason')] })

const clients = '/apply/-/clients'
/**
 * Where each leads without a session, in one that has saved an answer, for an intermediary, and for one who has opened a client: the status, or
 * where a redirect goes.
 */
const table: Readonly<
  Record<string, readonly [stranger: string, applicant: string, intermediary: string, withClient: string]>
> = {
  'GET /apply': ['200', '200', '200', '200'],
  'GET /apply/aid': ['200', '200', '200', '200'],
  'GET /apply/aid/screens/1': ['200', '200', clients, '200'],
  'GET /apply/aid/check': ['200', '200', clients, '200'],
  'GET /apply/aid/received': ['/apply/aid', '/apply/aid', clients, '/apply/aid'],
  'GET /apply/-/code': ['/apply', '200', clients, '200'],
  'GET /apply/-/return': ['200', '200', clients, clients],
  'GET /apply/-/applications': ['/apply/-/return', '200', clients, '200'],
  'GET /apply/-/clients': ['/admin/sign-in', '/admin/sign-in', '200', '200'],
  'GET /apply/-/clients/new': ['/admin/sign-in', '/admin/sign-in', '200', '200'],
  'GET /apply/-/assets/apply.css': ['200', '200', '200', '200'],
  'POST /apply/aid/screens/1': ['/apply/aid/screens/1?changed=1', '403', clients, '403'],
  'POST /apply/aid/check': ['/apply/-/return?ended=1', '403', clients, '403'],
  'POST /apply/-/code': ['/apply/-/return?ended=1', '403', clients, '403'],
  'POST /apply/-/return': ['400', '403', clients, '403'],
  'POST /apply/-/clients': ['/admin/sign-in', '/admin/sign-in', '403', '403'],
  'POST /apply/-/clients/new': ['/admin/sign-in', '/admin/sign-in', '403', '403'],
  'POST /apply/-/clients/open': ['/admin/sign-in', '/admin/sign-in', '403', '403'],
  'POST /apply/-/finish': ['/apply?finished=1', '/apply?finished=1', '/apply?finished=1', '/apply?finished=1'],
}

/** `/apply/:slug/screens/:screen` → `/apply/aid/screens/1`. */
const addressOf = (path: string): string =>
  path.replace(':slug', 'aid').replace(':screen', '1').replace(':name', 'apply.css')

async function outcome(cookie: string, route: string, from = service.baseUrl): Promise<string> {
  const [method, path] = route.split(' ') as [string, string]
  const type = 'application/x-www-form-urlencoded'
  const sent: RequestInit =
    method === 'POST'
      ? { body: 'a=1', headers: { Cookie: cookie, Origin: from, 'Content-Type': type } }
      : { headers: { Cookie: cookie } }
  const response = await service.get(path, { method, ...sent })
  return response.headers.get('location') ?? String(response.status)
}

const cookieOf = ({ cookies }: Applicant): string => [...cookies].map(pair => pair.join('=')).join('; ')

const person = await anIntermediary(database.sql, await anOrganization(database.sql, 'Casa Latina'))

/** Signed in anew for each route, as one of them ends it. */
async function whoHelps(client: boolean): Promise<string> {
  const hana = await new Intermediary(service).signIn(service, person)
  if (client) await hana.register('Rosa')
  return cookieOf(hana)
}

const fromClinic = await anIntermediary(database.sql, await anOrganization(database.sql, 'Harbor Clinic'))

/** Signed in for another organization, with the cookie of a session about Casa Latina's client. */
async function whoSteals(): Promise<string> {
  const ben = await new Intermediary(service).signIn(service, fromClinic)
  const hana = await new Intermediary(service).signIn(service, person)
  await hana.register('Rosa')
  ben.cookies.set('tributary-apply', hana.cookies.get('tributary-apply')!)
  return cookieOf(ben)
}

async function whoApplies(): Promise<string> {
  const ann = new Applicant(service)
  await ann.open('/apply/aid/screens/1')
  await ann.fill({ '/reason/text': 'Rent' })
  return cookieOf(ann)
}

test('the table has every route', async () => {
  const routes = (await service.routes()).filter(({ path }) => path.startsWith('/apply'))
  const served = routes.filter(({ method }) => ['GET', 'POST'].includes(method))
  expect(served.map(({ method, path }) => `${method} ${addressOf(path)}`).sort()).toEqual(Object.keys(table).sort())
})

test.each(Object.entries(table))('%s', async (route, [stranger, applicant, intermediary, withClient]) => {
  expect(await outcome('', route)).toBe(stranger)
  // A session of the console means nothing here.
  for (const role of roles) {
    const { email } = await aPerson(database.sql, { role, programs: ['aid'] })
    const { cookies } = await new ConsoleVisitor(service).signIn(email)
    expect([role, await outcome([...cookies].map(pair => pair.join('=')).join('; '), route)]).toEqual([role, stranger])
  }
  expect(await outcome(await whoHelps(false), route)).toBe(intermediary)
  expect(await outcome(await whoHelps(true), route)).toBe(withClient)
  expect(await outcome(await whoSteals(), route)).toBe(intermediary)
  const cookie = await whoApplies()
  expect(await outcome(cookie, route)).toBe(applicant)
  if (route.startsWith('POST'))
    for (const kept of [cookie, await whoHelps(true)])
      expect(await outcome(kept, route, 'https://attacker.example')).toBe('403')
  for (const method of ['PUT', 'DELETE', 'PATCH', /finish|open/.test(route) ? 'GET' : 'OPTIONS'])
    expect(await outcome(cookie, `${method} ${route.split(' ')[1]}`)).toBe('405')
})

test.each([
  ['an applicant’s', whoApplies, '/admin/sign-in?next=%2Fadmin%2Fprograms', '401'],
  ['an intermediary’s', () => whoHelps(true), '403', '403'],
])('%s cookies open neither console, docs, export nor intake', async (_, begin, console, docs) => {
  const cookie = await begin()
  expect(await outcome(cookie, 'GET /admin/programs')).toBe(console)
  for (const path of ['/docs/api/programs', '/docs/api/programs/aid'])
    expect(await outcome(cookie, `GET ${path}`)).toBe(docs)
  for (const path of ['/api/v1/admin/programs/aid/applications', '/intake/v1/programs/aid', '/odata/v1/aid'])
    expect(await outcome(cookie, `GET ${path}`)).toBe('401')
})
