// Each route of applicants' pages for each kind of visitor: what a stranger gets, an applicant, and someone who is signed in to the console.

import { expect, test } from 'bun:test'
import { Applicant } from '../../support/applicant.ts'
import { aPerson, ConsoleVisitor } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { aProgram, q } from '../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database, { apply: true })
await aProgram(database.sql, { slug: 'aid', questions: [q.text('reason')] })

/** Where each leads without a session and in one that has saved an answer: the status, or where a redirect goes. */
const table: Readonly<Record<string, readonly [stranger: string, applicant: string]>> = {
  'GET /apply': ['200', '200'],
  'GET /apply/aid': ['200', '200'],
  'GET /apply/aid/screens/1': ['200', '200'],
  'GET /apply/aid/check': ['200', '200'],
  'GET /apply/aid/received': ['/apply/aid', '/apply/aid'],
  'GET /apply/-/code': ['/apply', '200'],
  'GET /apply/-/return': ['200', '200'],
  'GET /apply/-/applications': ['/apply/-/return', '200'],
  'GET /apply/-/assets/apply.css': ['200', '200'],
  'POST /apply/aid/screens/1': ['/apply/aid/screens/1?changed=1', '403'],
  'POST /apply/aid/check': ['/apply/-/return?ended=1', '403'],
  'POST /apply/-/return': ['400', '403'],
  'POST /apply/-/finish': ['/apply?finished=1', '/apply?finished=1'],
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

async function whoApplies(): Promise<string> {
  const ann = new Applicant(service)
  await ann.open('/apply/aid/screens/1')
  await ann.fill({ '/reason/text': 'Rent' })
  return cookieOf(ann)
}

test('every route is in the table', async () => {
  const routes = (await service.routes()).filter(({ path }) => path.startsWith('/apply'))
  const served = routes.filter(({ method }) => ['GET', 'POST'].includes(method))
  expect(served.map(({ method, path }) => `${method} ${addressOf(path)}`).sort()).toEqual(Object.keys(table).sort())
})

test.each(Object.entries(table))('%s', async (route, [stranger, applicant]) => {
  const administrator = await new ConsoleVisitor(service).signIn((await aPerson(database.sql)).email)
  expect(await outcome('', route)).toBe(stranger)
  // A session of the console means nothing here.
  expect(await outcome([...administrator.cookies].map(pair => pair.join('=')).join('; '), route)).toBe(stranger)
  const cookie = await whoApplies()
  expect(await outcome(cookie, route)).toBe(applicant)
  if (route.startsWith('POST')) expect(await outcome(cookie, route, 'https://attacker.example')).toBe('403')
  for (const method of ['PUT', 'DELETE', 'PATCH', route.startsWith('POST /apply/-/finish') ? 'GET' : 'OPTIONS'])
    expect(await outcome(cookie, `${method} ${route.split(' ')[1]}`)).toBe('405')
})

test('an applicant’s cookie means nothing to the console, the export and intake', async () => {
  const cookie = await whoApplies()
  expect(await outcome(cookie, 'GET /admin')).toStartWith('/admin/sign-in')
  for (const path of ['/api/v1/admin/programs/aid/applications', '/intake/v1/programs/aid', '/odata/v1/aid'])
    expect(await outcome(cookie, `GET ${path}`)).toBe('401')
})
