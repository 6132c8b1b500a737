// Text that the database cannot hold, or that is none: a clear 4xx wherever it is sent, and never a 500.
// Contract, section 3: "`%00`, invalid UTF-8, lone surrogates …: a clear 400, or stored and returned exactly; never a 500".

import { expect, test } from 'bun:test'
import { consoleActions, consolePages } from '../../../../src/web/console/console.ts'
import type { Deps } from '../../../../src/web/http/server/deps.ts'
import { addressOf, aPerson, ConsoleVisitor } from '../../../support/console.ts'
import { ApiProgram, aToken } from '../../../support/console-api.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { aProgram } from '../../../support/programs.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database)
await aProgram(sql, { slug: 'others' })
const person = await aPerson(sql)
const other = await aPerson(sql, { role: 'PROGRAM_ADMINISTRATOR', programs: ['others'] })
const browser = await new ConsoleVisitor(service).signIn(person.email)
const { token } = await aToken(sql, person)
const program = ApiProgram.withToken(service, token)
const nowhere = '%00'
const notText = ['%00', 'a%00b', '%FF', '%ED%A0%80', '%zz']

const routes = consolePages(service.foundation as Deps)
const actions = consoleActions(service.foundation as Deps)

/** The pattern once for each part of its path, with that part not text. */
const spoilt = (pattern: string): string[] =>
  [...pattern.matchAll(/:\w+/g)].map(([part]) => addressOf(pattern.replace(part, nowhere)))

test.each(routes.filter(route => route.path.includes(':')).map(({ method, path }) => [method, path] as const))(
  'invalid text in a part of a console path is not found: %s %s',
  async (method, pattern) => {
    for (const path of spoilt(pattern)) {
      const answer = method === 'GET' ? await browser.get(path) : await browser.post(path)
      expect([path, answer.status]).toEqual([path, 404])
    }
  },
)

test.each(actions.filter(action => action.path.includes(':')).map(({ method, path }) => [method, path] as const))(
  'invalid text in a part of an API path is not found: %s %s',
  async (method, pattern) => {
    const body = method === 'GET' ? undefined : {}
    for (const path of spoilt(pattern))
      expect([path, (await program.ask(method, path, body)).status]).toEqual([path, 404])
  },
)

test.each(notText)('invalid text in a query is refused in every part of the console and its API: %s', async value => {
  for (const { path } of routes.filter(route => route.method === 'GET')) {
    const answer = await browser.get(`${addressOf(path)}?any=${value}`)
    expect([path, answer.status]).toEqual([path, 400])
  }
  for (const { method, path } of actions.filter(action => action.method === 'GET')) {
    const answer = await program.ask(method, `${addressOf(path)}?any=${value}`)
    expect([path, answer.status, answer.body.errors[0].parameter]).toEqual([path, 400, 'any'])
  }
})

test.each(notText)('invalid text in a field is refused in every form of the console: %s', async value => {
  const csrf = await browser.csrf()
  const cookie = [...browser.cookies].map(pair => pair.join('=')).join('; ')
  const headers = {
    Cookie: cookie,
    Origin: service.baseUrl,
    'Sec-Fetch-Site': 'same-origin',
    'Content-Type': 'application/x-www-form-urlencoded',
    Accept: 'application/json',
  }
  for (const { path } of routes.filter(route => route.method === 'POST')) {
    const answer = await service.get(addressOf(path), {
      method: 'POST',
      headers,
      body: `csrf=${csrf}&any=${value}&none=%00&all=ok`,
    })
    const { errors } = (await answer.json()) as { errors: { parameter: string; code: string }[] }
    expect([path, answer.status, errors.map(({ parameter }) => parameter)]).toEqual([path, 400, ['any', 'none']])
  }
})

test('bytes of a form that are not UTF-8 are refused, not replaced', async () => {
  const answer = await service.get('/admin/sign-in', {
    method: 'POST',
    headers: {
      Origin: service.baseUrl,
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'application/json',
    },
    body: Buffer.from([...Buffer.from('email=a'), 0xff]),
  })
  expect([answer.status, await answer.json()]).toMatchObject([400, { errors: [{ code: 'invalid_utf8' }] }])
})

test.each(['\0', '\ud800', '\udc00x'])('invalid text in an API body is refused at any depth: %j', async text => {
  const right = { email: 'new@example.gov', name: 'New', role: 'PROGRAM_ADMINISTRATOR', programs: ['others'] }
  for (const [changes, path] of [
    [{ programs: [text] }, '/programs/0'],
    [{ name: text }, '/name'],
    [{ [`x${text}`]: 1 }, ''],
  ] as const) {
    for (const [method, place] of [
      ['POST', '/people'],
      ['PUT', `/people/${other.person_id}`],
    ] as const) {
      const { status, body } = await program.ask(method, place, { ...right, ...changes })
      expect([status, body.errors[0]]).toMatchObject([400, { path, code: 'unstorable_text' }])
    }
  }
})

test('D10: a parameter of the console’s API that is misspelled or sent twice is refused, and an unknown one only with strict handling', async () => {
  const codes = async (path: string) => {
    const { status, body } = await program.ask('GET', path)
    return [status, body.errors?.map((error: { parameter: string; code: string }) => [error.parameter, error.code])]
  }
  expect(await codes('/keys?Program=others')).toEqual([400, [['Program', 'unknown_parameter']]])
  expect(await codes('/keys?program=others&program=others')).toEqual([400, [['program', 'duplicate_parameter']]])
  expect((await codes('/keys?anything=1'))[0]).toBe(200)
  const strict = new ApiProgram(service, { Authorization: `Bearer ${token}`, Prefer: 'handling=strict' })
  expect((await strict.ask('GET', '/keys?anything=1')).status).toBe(400)
  expect((await strict.ask('GET', '/keys?program=others')).status).toBe(200)
})
