// What holds for every action of the console's API: how it is described, what its answers name, how its refusals do. Who may what: permissions.test.

import { expect, test } from 'bun:test'
import { consoleActions } from '../../../../src/web/console/console.ts'
import type { Deps } from '../../../../src/web/http/server/deps.ts'
import { answerErrors } from '../../../support/answer-errors.ts'
import { addressOf, aPerson, ConsoleVisitor } from '../../../support/console.ts'
import { ApiProgram, aToken } from '../../../support/console-api.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { aProgram } from '../../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database)
await database.sql`insert into program (slug, display_name) values ('granted', 'Granted')`
await aProgram(database.sql, { slug: 'others' })
const actions = consoleActions(service.foundation as Deps)
const roles = ['ADMINISTRATOR', 'PROGRAM_ADMINISTRATOR'] as const
const people = await Promise.all(roles.map(role => aPerson(database.sql, { role, programs: ['granted'] })))
const [administrator, programAdministrator] = (await Promise.all(
  people.map(async person => ApiProgram.withToken(service, (await aToken(database.sql, person)).token)),
)) as [ApiProgram, ApiProgram]

test('other methods and addresses get a problem document', async () => {
  const wrong = await administrator.ask('DELETE', '/keys')
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, POST'])
  const nothing = await administrator.ask('GET', '/nothing-here')
  expect([nothing.status, nothing.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
})

/** Objects in a schema that take members which it does not name. */
function openIn(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, additionalProperties } = schema as Record<string, unknown>
  const inner = Object.entries(schema).flatMap(([name, value]) => openIn(value, `${path}/${name}`))
  return type === 'object' && additionalProperties !== false ? [path, ...inner] : inner
}

test('a program administrator gets the same response for a program of others and one that does not exist', async () => {
  for (const { method, path, body } of actions.filter(action => action.path.includes(':slug'))) {
    const [others, absent] = await Promise.all(
      ['others', 'absent'].map(slug =>
        programAdministrator.ask(method, addressOf(path.replace(':slug', slug)), body === undefined ? undefined : {}),
      ),
    )
    const { request_id } = others!.body
    expect([path, others!.status, others!.body]).toEqual([path, absent!.status, { ...absent!.body, request_id }])
    expect(others!.status).toBeGreaterThanOrEqual(400)
  }
})

/** A value that a schema of a body takes, as far as its type goes. */
function plainValue({ type, properties = {}, anyOf, ...schema }: JsonSchema): unknown {
  if (anyOf !== undefined) return plainValue(anyOf[0]!)
  if (schema.const !== undefined || schema.enum !== undefined) return schema.const ?? schema.enum![0]
  if (type === 'object') return Object.fromEntries(Object.entries(properties).map(([k, v]) => [k, plainValue(v)]))
  if (type === 'array') return [plainValue(schema.items ?? {})]
  return { string: 'x', integer: 1, boolean: true, null: null }[type!]
}

interface JsonSchema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'boolean' | 'null'
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
  const?: unknown
  enum?: unknown[]
}

const oddValues = ['', '\0', 'x', 'x'.repeat(3000), -1, 1e9, null, ['x', 'x']]

test('errors of a body are reported by path, for any member and any value', async () => {
  const named = []
  let refused = 0
  for (const { method, path, body } of actions) {
    const schema = (body ?? {}) as JsonSchema
    const plain = plainValue({ type: 'object', ...schema }) as object
    for (const [member, value] of Object.keys(schema.properties ?? {}).flatMap(k =>
      oddValues.map(v => [k, v] as const),
    )) {
      const answer = await administrator.ask(method, addressOf(path), { ...plain, [member]: value })
      const errors = (answer.body?.errors ?? []) as { path?: string; parameter?: string }[]
      named.push(...errors.map(error => error.parameter && `${method} ${path} ${error.parameter}`))
      refused += errors.filter(error => error.path !== undefined).length
    }
  }
  expect(named.filter(Boolean)).toEqual([])
  expect(refused).toBeGreaterThan(100)
})

test('every action declares all members of its response, so any additional one fails a test', () => {
  const open = actions.flatMap(({ name, answered }) =>
    openIn(answered, name).map(path => [name, path.split('/').at(-1)]),
  )
  // The detail of an event is its action's own. Conditions are in one another.
  const details = ['listAuditEvents', 'readAuditEvent', 'whoWasSent'].map(name => [name, 'detail'])
  const conditions = ['readProgramVersion', 'readDraft', 'openProgram'].flatMap(name => [
    [name, '0'],
    [name, '0'],
  ])
  // The filters of an export are those of its request.
  const filters = [['readApiKey', 'filters']]
  // Translations are named by their languages, affected programs by their slugs.
  const named = open.filter(([, member]) => member !== 'translations' && member !== 'affected')
  expect(named.sort()).toEqual([...details, ...filters, ...conditions].sort())
  expect(answerErrors('POST', '/people/7/link', { link: 'https://…', password: 'x' }).join()).toContain('additional')
})

test('OpenAPI has every action with its name, scope and response', async () => {
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
