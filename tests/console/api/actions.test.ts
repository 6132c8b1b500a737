// Every action of the console's API with every role, with the wrong scope and with nothing: a table that is walked, and that must have every action.

import { describe, expect, test } from 'bun:test'
import { consoleActions } from '../../../src/console/console.ts'
import type { Deps } from '../../../src/http/server/deps.ts'
import { type Scope, scopes } from '../../../src/people/admin-tokens.ts'
import { answerErrors } from '../../support/answer-errors.ts'
import { addressOf, aPerson, ConsoleVisitor } from '../../support/console.ts'
import { ApiProgram, aToken } from '../../support/console-api.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { aProgram } from '../../support/programs.ts'

type Expected = readonly [stranger: number, administrator: number, program: number, auditor: number, scope: Scope | '']
/**
 * Statuses for: nobody, a token of an ADMINISTRATOR, of a PROGRAM_ADMINISTRATOR of another program, of an AUDITOR; and the scope without
 * which an administrator's token gets 403. Bodies are sent empty: 400 or 404 says that the route was passed, 403 that it was not.
 */
const table: Readonly<Record<string, Expected>> = {
  'GET /session': [401, 200, 200, 200, ''],
  'GET /settings': [401, 200, 403, 200, 'settings:read'],
  'GET /settings/retention': [401, 200, 403, 200, 'settings:read'],
  'GET /programs/:slug/retention': [401, 200, 403, 200, 'settings:read'],
  'PUT /programs/:slug/retention': [401, 400, 403, 403, 'settings:write'],
  'GET /keys': [401, 200, 403, 200, 'keys:read'],
  'POST /keys': [401, 400, 403, 403, 'keys:write'],
  'GET /keys/:keyId': [401, 404, 403, 404, 'keys:read'],
  'PATCH /keys/:keyId': [401, 400, 403, 403, 'keys:write'],
  'POST /keys/:keyId/disable': [401, 404, 403, 403, 'keys:write'],
  'POST /keys/:keyId/enable': [401, 404, 403, 403, 'keys:write'],
  'POST /keys/:keyId/rotate': [401, 400, 403, 403, 'keys:write'],
  'POST /keys/:keyId/retire': [401, 404, 403, 403, 'keys:write'],
  'GET /keys/:keyId/would-pass': [401, 404, 403, 404, 'keys:read'],
  'GET /refusals/:requestId': [401, 404, 403, 404, 'keys:read'],
  'GET /programs': [401, 200, 200, 200, 'programs:read'],
  // Of a program that is not theirs, program administrators see as little as of one that is not there.
  'GET /programs/:slug': [401, 200, 404, 200, 'programs:read'],
  'GET /programs/:slug/versions': [401, 200, 403, 200, 'programs:read'],
  'GET /programs/:slug/versions/:versionId': [401, 404, 403, 404, 'programs:read'],
  'GET /programs/:slug/draft': [401, 200, 403, 200, 'programs:read'],
  'PUT /programs/:slug/draft': [401, 400, 403, 403, 'programs:write'],
  'DELETE /programs/:slug/draft': [401, 400, 403, 403, 'programs:write'],
  'GET /programs/:slug/difference': [401, 404, 403, 404, 'programs:read'],
  'POST /programs/:slug/publish': [401, 400, 403, 403, 'programs:write'],
  'GET /questions': [401, 200, 403, 200, 'programs:read'],
  'GET /questions/:questionId': [401, 404, 403, 404, 'programs:read'],
  'PUT /programs/:slug/intake': [401, 400, 403, 403, 'programs:write'],
  'GET /programs/:slug/applications': [401, 200, 404, 200, 'applications:read'],
  'POST /programs/:slug/applications/status': [401, 400, 400, 403, 'applications:write'],
  'GET /programs/:slug/applications/:applicationId': [401, 404, 404, 403, 'applications:read'],
  'GET /programs/:slug/applications/:applicationId/history': [401, 404, 404, 404, 'applications:read'],
  'PATCH /programs/:slug/applications/:applicationId': [401, 400, 400, 403, 'applications:write'],
  'POST /programs/:slug/applications/:applicationId/erase': [401, 404, 403, 403, 'applications:write'],
  'POST /programs/:slug/applications/:applicationId/erase-applicant': [401, 404, 403, 403, 'applications:write'],
  'GET /webhooks': [401, 200, 200, 200, 'webhooks:read'],
  'GET /webhooks/:webhookId': [401, 404, 404, 404, 'webhooks:read'],
  'POST /webhooks': [401, 400, 403, 403, 'webhooks:write'],
  'POST /webhooks/:webhookId/rotate': [401, 404, 403, 403, 'webhooks:write'],
  'POST /webhooks/:webhookId/test': [401, 404, 403, 403, 'webhooks:write'],
  'POST /webhooks/:webhookId/resend': [401, 404, 403, 403, 'webhooks:write'],
  'POST /webhooks/:webhookId/disable': [401, 404, 403, 403, 'webhooks:write'],
  'POST /webhooks/:webhookId/enable': [401, 404, 403, 403, 'webhooks:write'],
  'DELETE /webhooks/:webhookId': [401, 404, 403, 403, 'webhooks:write'],
  'GET /jobs': [401, 200, 403, 200, 'jobs:read'],
  'POST /jobs/retry': [401, 400, 403, 403, 'jobs:write'],
  'GET /docs/status': [401, 200, 403, 200, 'jobs:read'],
  'POST /docs/regenerate': [401, 200, 403, 403, 'jobs:write'],
  'GET /audit/events': [401, 200, 403, 200, 'audit:read'],
  'GET /audit/events/:eventId': [401, 404, 403, 404, 'audit:read'],
  'GET /audit/sent/:applicationId': [401, 200, 403, 200, 'audit:read'],
  'POST /audit/verify': [401, 200, 403, 200, 'audit:read'],
  'GET /intermediaries': [401, 200, 403, 200, 'intermediaries:read'],
  'POST /intermediaries': [401, 400, 403, 403, 'intermediaries:write'],
  'GET /intermediaries/:organizationId': [401, 404, 403, 404, 'intermediaries:read'],
  'PUT /intermediaries/:organizationId': [401, 400, 403, 403, 'intermediaries:write'],
  'GET /intermediaries/:organizationId/people': [401, 404, 403, 404, 'intermediaries:read'],
  'POST /intermediaries/:organizationId/people': [401, 400, 403, 403, 'intermediaries:write'],
  'POST /intermediaries/:organizationId/disable': [401, 404, 403, 403, 'intermediaries:write'],
  'POST /intermediaries/:organizationId/people/:intermediaryId/disable': [401, 404, 403, 403, 'intermediaries:write'],
  'POST /intermediaries/:organizationId/enable': [401, 404, 403, 403, 'intermediaries:write'],
  'POST /intermediaries/:organizationId/people/:intermediaryId/enable': [401, 404, 403, 403, 'intermediaries:write'],
  'GET /people': [401, 200, 403, 200, 'people:read'],
  'POST /people': [401, 400, 403, 403, 'people:write'],
  'GET /people/:personId': [401, 404, 403, 404, 'people:read'],
  'PUT /people/:personId': [401, 400, 403, 403, 'people:write'],
  'POST /people/:personId/unlink': [401, 400, 403, 403, 'people:write'],
  'POST /people/:personId/reset-second-factor': [401, 404, 403, 403, 'people:write'],
  'POST /people/:personId/disable': [401, 404, 403, 403, 'people:write'],
  'POST /people/:personId/enable': [401, 404, 403, 403, 'people:write'],
  'POST /people/:personId/link': [401, 404, 403, 403, 'people:write'],
  'GET /people/:personId/tokens': [401, 404, 403, 404, 'people:read'],
  'POST /people/:personId/tokens/:tokenId/retire': [401, 404, 403, 403, 'people:write'],
}

const database = await useDatabase()
const service = await useService(database)
await database.sql`insert into program (slug, display_name) values ('granted', 'Granted')`
await aProgram(database.sql, { slug: 'others' })
const actions = consoleActions(service.foundation as Deps)
const roles = ['ADMINISTRATOR', 'PROGRAM_ADMINISTRATOR', 'AUDITOR'] as const
const people = await Promise.all(roles.map(role => aPerson(database.sql, { role, programs: ['granted'] })))
const programs = [new ApiProgram(service, {})]
for (const person of people) programs.push(ApiProgram.withToken(service, (await aToken(database.sql, person)).token))

/** A token of the administrator that is good for all but one thing. */
const without = new Map<string, ApiProgram>()
for (const scope of scopes) {
  const area = scope.split(':')[0]!
  const others = scopes.filter(one => one !== scope && !(scope.endsWith(':read') && one.startsWith(area)))
  const { token } = await aToken(database.sql, people[0]!, { scopes: others })
  without.set(scope, ApiProgram.withToken(service, token))
}

test('the table has every action with its scope, and no other', () => {
  const known = actions.map(({ method, path, scope = '' }) => [`${method} ${path}`, scope])
  expect(Object.entries(table).map(([action, expected]) => [action, expected[4]])).toEqual(known)
})

describe.each(Object.entries(table))('%s', (named, expected) => {
  const [method = '', path = ''] = named.split(' ')
  const filled = addressOf(path)
  const body =
    actions.find(action => action.method === method && action.path === path)?.body === undefined ? undefined : {}

  test.each(['nobody', ...roles].map((who, i) => [who, i] as const))('%s', async (_, i) => {
    const { status, headers } = await programs[i]!.ask(method, filled, body)
    expect([status, headers.get('cache-control')]).toEqual([expected[i] as number, 'no-store'])
  })

  test('a token without the scope', async () => {
    const program = without.get(expected[4])
    const { status, body: problem } = await (program ?? programs[1]!).ask(method, filled, body)
    if (program === undefined) expect(status).toBe(200)
    else expect([status, problem.detail]).toEqual([403, expect.stringContaining(expected[4])])
  })
})

test('other methods and addresses are refused as problems', async () => {
  const wrong = await programs[1]!.ask('DELETE', '/keys')
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, POST'])
  const nothing = await programs[1]!.ask('GET', '/nothing-here')
  expect([nothing.status, nothing.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
})

/** Objects in a schema that take members which it does not name. */
function openIn(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, additionalProperties } = schema as Record<string, unknown>
  const inner = Object.entries(schema).flatMap(([name, one]) => openIn(one, `${path}/${name}`))
  return type === 'object' && additionalProperties !== false ? [path, ...inner] : inner
}

test('every action names all members of its answer, so that one more is a fault wherever a test asks for it', () => {
  const open = actions.flatMap(({ name, answered }) =>
    openIn(answered, name).map(path => [name, path.split('/').at(-1)]),
  )
  // What an action has to tell is its own. Conditions are in one another.
  const details = ['listAuditEvents', 'readAuditEvent', 'whoWasSent'].map(name => [name, 'detail'])
  const conditions = ['readProgramVersion', 'readDraft'].flatMap(name => [
    [name, '0'],
    [name, '0'],
  ])
  expect(open.sort()).toEqual([...details, ...conditions].sort())
  expect(answerErrors('POST', '/people/7/link', { link: 'https://…', password: 'x' }).join()).toContain('additional')
})

test('OpenAPI has every action, under its name, with its scope and what it answers', async () => {
  const visitor = await new ConsoleVisitor(service).signIn(people[0]!.email)
  const { paths } = JSON.parse(await visitor.page('/docs/api/openapi.json')) as {
    paths: Record<string, Record<string, { operationId: string; description: string; responses: object }>>
  }
  for (const { name, method, path, scope = '', makes, answered } of actions) {
    const operation = paths[`/admin/api/v1${path}`.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    expect(operation?.operationId).toBe(`admin${name[0]!.toUpperCase()}${name.slice(1)}`)
    expect(operation?.description).toContain(scope)
    const schema = JSON.parse(JSON.stringify(answered))
    const content = { 'application/json': { schema } }
    expect(operation?.responses).toMatchObject({ [makes ? 201 : 200]: { content } })
  }
})
