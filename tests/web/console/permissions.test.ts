// What each role gets from every page of the console and every action of its API, as they are defined, compared with permissions.txt: a table
// that is reviewed like code, so that nobody gets more or less by accident. `UPDATE_PERMISSIONS=1 bun test` of this file writes it again.
// Whatever the table says, no role that a definition leaves out is let in, nor a token of another scope, nor a form of another site.

import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Scope, scopes } from '../../../src/core/people/admin-tokens.ts'
import { allRoles } from '../../../src/core/people/roles.ts'
import { consoleActions, consolePages } from '../../../src/web/console/console.ts'
import type { Deps } from '../../../src/web/http/server/deps.ts'
import { oidcClient, unlimited } from '../../support/config.ts'
import { addressOf, aPerson, ConsoleVisitor } from '../../support/console.ts'
import { type ApiAnswer, ApiProgram, aToken } from '../../support/console-api.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { anIntermediary, anOrganization } from '../../support/intermediary.ts'
import { aProgram } from '../../support/programs.ts'
import type { TestService } from '../../support/service.ts'

const database = await useDatabase()
const { sql } = database
// A provider that is down: 503 shows that its routes were reached.
const config = { ...unlimited, ...oidcClient, oidcIssuer: 'http://127.0.0.1:1' }
const service = await useService(database, config)
// For it every session is eleven minutes older.
const later = await useService(database, config, { now: () => Date.now() * 1000 + 11 * 60_000_000 })
await sql`insert into program (slug, display_name) values ('granted', 'Granted')`
await aProgram(sql, { slug: 'others' })

const roles = allRoles
const organization = await anOrganization(sql, 'Casa Latina')
const people = await Promise.all(
  roles.map(role =>
    role === 'INTERMEDIARY' ? anIntermediary(sql, organization) : aPerson(sql, { role, programs: ['granted'] }),
  ),
)
const browsers = await Promise.all(people.map(({ email }) => new ConsoleVisitor(service).signIn(email)))
const programs = await Promise.all(
  people.map(async person => ApiProgram.withToken(service, (await aToken(sql, person)).token)),
)
const [administrator] = browsers as [ConsoleVisitor]

const pages = consolePages(service.foundation as Deps).map(page => ({ ...page, named: `${page.method} ${page.path}` }))
const actions = consoleActions(service.foundation as Deps).map(consoleAction => ({
  ...consoleAction,
  named: `${consoleAction.method} ${consoleAction.path}`,
}))
type Page = (typeof pages)[number]
type Action = (typeof actions)[number]

const file = join(import.meta.dir, 'permissions.txt')
const head = `# Every page of the console and every action of its API: the status without a session or token, and for an administrator, a program
# administrator of another program, an auditor and an intermediary. Forms and bodies are sent empty and are about what is not there: 400 or 404 shows that
# the role is let in, 403 that it is not. Then the scope that a token needs, and whether an older session is asked who it is.
# UPDATE_PERMISSIONS=1 scripts/bun test tests/web/console/permissions.test.ts writes this file.
`
/** Routes as they are in the file, with what it says of each. */
const reviewed = new Map(
  (await Bun.file(file).text())
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const [method, path, ...rest] = line.split(/ +/)
      return [`${method} ${path}`, rest.join(' ')] as [string, string]
    }),
)
const routes = [...pages, ...actions].map(({ named }) => named)
const observed = new Map<string, string>()

/** Compares a row with the file's, or keeps it for the next. */
function expectReviewed(route: string, row: readonly (number | string | false)[]): void {
  const text = row.filter(part => part !== false).join(' ')
  observed.set(route, text)
  if (!process.env.UPDATE_PERMISSIONS) expect(text).toBe(reviewed.get(route)!)
}

afterAll(async () => {
  if (!process.env.UPDATE_PERMISSIONS) return
  const lines = routes.map(route => `${route} `.padEnd(88) + observed.get(route))
  await Bun.write(file, `${head}${lines.join('\n')}\n`)
})

test('the table has exactly the pages and actions, in the console’s order', () => {
  if (!process.env.UPDATE_PERMISSIONS) expect([...reviewed.keys()]).toEqual(routes)
})

/** Why a request was refused, as its line in the log says. */
const reasonOf = ({ headers }: Pick<Response, 'headers'>): unknown =>
  service.requestLine(headers.get('x-request-id'))?.reason

/** The browser of a session, at this service; what a visit does to its cookies is not kept. */
function copyOf(browser: ConsoleVisitor, at: TestService = service): ConsoleVisitor {
  const copy = new ConsoleVisitor(at)
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
  return copy
}

test('every change to a key, a person or an intermediary, and every enabling, requires an older session to confirm', () => {
  const changing = actions.filter(
    ({ method, scope, name }) =>
      method !== 'GET' && (/^(keys|people|intermediaries):write$/.test(scope ?? '') || name.startsWith('enable')),
  )
  expect(changing.filter(({ confirmed }) => confirmed !== true).map(({ named }) => named)).toEqual([])
})

const askPage = ({ method, path }: Page, browser: ConsoleVisitor): Promise<Response> =>
  method === 'GET' ? browser.get(addressOf(path)) : browser.post(addressOf(path))

/** Whether an older session is asked who it is: a page leads to the page that asks, and a form is kept by that page. */
async function asksWhoItIs(page: Page): Promise<boolean> {
  const response = await askPage(page, copyOf(administrator, later))
  return response.status === 403
    ? (await response.text()).includes('name="confirm_password"')
    : response.headers.get('location') === `/admin/confirm?next=${encodeURIComponent(addressOf(page.path))}`
}

/** They end sessions. */
const endsSession = ({ path }: Page): boolean => path === '/admin/sign-out'

describe('a page', () => {
  test.each(pages.map(page => [page.named, page] as const))('%s', async (named, page) => {
    const answers = []
    for (const [i, person] of [undefined, ...people].entries()) {
      const browser =
        person === undefined
          ? new ConsoleVisitor(service)
          : endsSession(page)
            ? await new ConsoleVisitor(service).signIn(person.email)
            : copyOf(browsers[i - 1]!)
      answers.push(await askPage(page, browser))
    }
    const isConfirmed = !endsSession(page) && (await asksWhoItIs(page))
    expectReviewed(named, [...answers.map(({ status }) => status), isConfirmed && 'confirmed'])
    if (page.roles === 'anyone') return
    const [stranger, ...known] = answers
    if (page.method === 'POST') expect(stranger!.status).toBe(401)
    else expect(stranger!.headers.get('location')).toStartWith('/admin/sign-in?next=')
    for (const [i, role] of roles.entries())
      if (!page.roles.includes(role)) expect([role, reasonOf(known[i]!)]).toEqual([role, 'role'])
    expect(isConfirmed).toBe(page.confirmed === true)
  })

  test('refuses other methods with the supported ones', async () => {
    const response = await service.get('/admin/people', { method: 'DELETE' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

describe('a form of another site, or without the session’s token, is refused', () => {
  const forms = pages.filter(({ method }) => method === 'POST')
  const [foreign, none] = [{ Origin: 'https://evil.example' }, {}] as Record<string, string>[]

  test.each(forms.map(page => [page.named, page] as const))('%s', async (_, { path, roles: allowed }) => {
    const sent = await copyOf(administrator).post(addressOf(path), {}, foreign)
    expect([sent.status, reasonOf(sent)]).toEqual([403, 'foreign_origin'])
    if (allowed === 'anyone') return
    const unsigned = await copyOf(administrator).post(addressOf(path), { csrf: 'x' }, none)
    expect([unsigned.status, reasonOf(unsigned)]).toEqual([403, 'csrf'])
  })
})

describe('an action', async () => {
  /** Tokens of the administrator that are good for one thing each. */
  const byScope = await Promise.all(
    scopes.map(async scope => {
      const { token } = await aToken(sql, people[0]!, { scopes: [scope] })
      return [scope, ApiProgram.withToken(service, token)] as const
    }),
  )
  const csrf = await administrator.csrf()
  const cookie = [...administrator.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const inSession = (at: TestService, fields: Record<string, string> = {}) =>
    new ApiProgram(at, { Cookie: cookie, Origin: at.baseUrl, 'X-CSRF-Token': csrf, ...fields })
  const ask = ({ method, path, body }: Action, program: ApiProgram): Promise<ApiAnswer> =>
    program.ask(method, addressOf(path), body === undefined ? undefined : {})

  test.each(actions.map(action => [action.named, action] as const))('%s', async (named, action) => {
    const { scope, method } = action
    const answers = []
    for (const program of [new ApiProgram(service, {}), ...programs]) answers.push(await ask(action, program))
    expect(answers.map(({ headers }) => headers.get('cache-control'))).toEqual(answers.map(() => 'no-store'))
    const admitted: Scope[] = []
    for (const [only, program] of byScope) {
      const answer = await ask(action, program)
      if (answer.status !== 403 || reasonOf(answer) !== 'scope') admitted.push(only)
      else expect(answer.body.detail).toContain(scope)
    }
    const needed = admitted.length < scopes.length && (admitted[0] ?? 'several scopes')
    const aged = await ask(action, inSession(later))
    const isConfirmed = later.requestLine(aged.headers.get('x-request-id'))?.reason === 'not_confirmed'
    const statuses = answers.map(({ status }) => status)
    expectReviewed(named, [...statuses, needed, isConfirmed && 'confirmed'])
    expect(isConfirmed).toBe(action.confirmed === true)
    // The right to change includes that to read.
    const good = scopes.filter(
      item => scope === undefined || item === scope || item === scope.replace(':read', ':write'),
    )
    expect(admitted).toEqual(good)
    expect(statuses[0]).toBe(401)
    for (const [i, role] of roles.entries())
      if (!action.roles.includes(role)) expect([role, reasonOf(answers[i + 1]!)]).toEqual([role, 'role'])
    if (method === 'GET') return
    const foreign = await ask(action, inSession(service, { Origin: 'https://evil.example' }))
    const unsigned = await ask(action, inSession(service, { 'X-CSRF-Token': 'x' }))
    expect([foreign.status, reasonOf(foreign)]).toEqual([403, 'foreign_origin'])
    expect([unsigned.status, reasonOf(unsigned)]).toEqual([403, 'csrf'])
  })
})
