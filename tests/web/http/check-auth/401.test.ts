import { describe, expect, test } from 'bun:test'
import { apiSecretToken, mintCredential } from '../../../../src/core/keys/credential.ts'
import { disableApiKeyRow } from '../../../../src/db/keys/api-key-rows.ts'
import { parseSubnet, type Subnet } from '../../../../src/domain/values/ip-address.ts'
import { unlimited } from '../../../support/config.ts'
import { useDatabase, usePool, useService } from '../../../support/fixtures.ts'
import { createTestKey, ensureTestProgram } from '../../../support/keys.ts'
import { type RawAnswer, rawRequest } from '../../../support/raw-request.ts'
import { formsOf, storedText } from '../../../support/stored-text.ts'
import { until } from '../../../support/until.ts'

const dayMicros = 86_400_000_000
const now = Date.UTC(2026, 5, 1) * 1000
const checkAuth = '/api/v1/checkAuth'
const applications = (slug: string): string => `/api/v1/admin/programs/${slug}/applications`
const loopback = parseSubnet('127.0.0.0/8') as Subnet

const database = await useDatabase()
// In production behind a proxy on loopback, so that a test can come from any address and with or without HTTPS.
const service = await useService(
  database,
  { ...unlimited, environment: 'production', trustedProxies: [loopback], logLevel: 'trace' },
  { now: () => now },
)
await ensureTestProgram(database.sql, 'not-granted')
const makeKey = (options: Parameters<typeof createTestKey>[1] = {}) =>
  createTestKey(database.sql, { createdAt: now - dayMicros, ...options })
const key = await makeKey({ programs: ['rent-aid'] })

interface Sent {
  path?: string
  method?: string
  authorization?: string | null
  from?: string
  proto?: string
  lines?: string[]
}

function send(sent: Sent): Promise<RawAnswer> {
  return rawRequest(service.port, [
    `${sent.method ?? 'GET'} ${sent.path ?? checkAuth} HTTP/1.1`,
    'Host: tributary.example',
    `X-Forwarded-For: ${sent.from ?? '192.0.2.1'}`,
    `X-Forwarded-Proto: ${sent.proto ?? 'https'}`,
    ...(sent.authorization === null ? [] : [`Authorization: ${sent.authorization ?? key.authorization}`]),
    ...(sent.lines ?? []),
  ])
}

const basic = (username: string, password: string): string => `Basic ${apiSecretToken(username, password)}`

/** All that a client can see of an answer, but for what names this one request. */
function visible({ status, headerLines, body }: RawAnswer): unknown {
  const fields = headerLines.map(line => line.replace(/^(x-request-id|date): .*$/i, '$1'))
  return { status, fields, body: body.replace(/"request_id":"[0-9a-f-]{36}"/, '"request_id":""') }
}

describe('"One identical body and header set for every cause" (contract D4)', () => {
  const causes: [string, string, () => Sent | Promise<Sent>][] = [
    ['no header', 'no_header', () => ({ authorization: null })],
    ['wrong scheme', 'wrong_scheme', () => ({ authorization: `Bearer ${key.apiSecretToken}` })],
    ['bad Base64', 'bad_base64', () => ({ authorization: `Basic ${key.apiSecretToken}=` })],
    ['two credentials', 'bad_base64', () => ({ lines: [`Authorization: ${key.authorization}`] })],
    ['no colon', 'no_colon', () => ({ authorization: `Basic ${btoa(key.username)}` })],
    ['too long', 'oversized_header', () => ({ authorization: basic(key.username, 'x'.repeat(2000)) })],
    ['unknown id', 'unknown_key', () => ({ authorization: basic(mintCredential().username, key.password) })],
    ['no id at all', 'unknown_key', () => ({ authorization: basic("' or true; --\0", key.password) })],
    ['id and secret swapped', 'unknown_key', () => ({ authorization: basic(key.password, key.username) })],
    ['wrong secret', 'wrong_secret', () => ({ authorization: basic(key.username, mintCredential().password) })],
    ['mistyped secret', 'garbled_secret', () => ({ authorization: basic(key.username, `${key.password}x`) })],
    ['expired', 'expired', async () => ({ authorization: (await makeKey({ expiresAt: now })).authorization })],
    [
      'disabled',
      'disabled',
      async () => {
        const { api_key_id, authorization } = await makeKey()
        await disableApiKeyRow(database.sql, api_key_id, now, 'operator:test')
        return { authorization }
      },
    ],
    ['retired', 'retired', async () => ({ authorization: (await makeKey({ retiredAt: now })).authorization })],
    [
      'address not allowed',
      'address_not_allowed',
      async () => ({ authorization: (await makeKey({ allowedSubnets: ['198.51.100.0/24'] })).authorization }),
    ],
    ['unparseable address', 'unparseable_address', () => ({ from: 'unknown' })],
    ['plain HTTP', 'plain_http', () => ({ proto: 'http' })],
    ['plain HTTP and no header', 'plain_http', () => ({ proto: 'http', authorization: null })],
    ['no grant', 'no_grant', () => ({ path: applications('not-granted') })],
    ['no such program', 'no_grant', () => ({ path: applications('never-made') })],
    ['no such program, as every object has it', 'no_grant', () => ({ path: applications('constructor') })],
    ['no possible program', 'no_such_program', () => ({ path: applications('Rent%00Aid') })],
    ['an endless slug', 'no_such_program', () => ({ path: applications('x'.repeat(10_000)) })],
    ['a slug that is not UTF-8', 'no_such_program', () => ({ path: applications('%ff') })],
    [
      'may not export',
      'may_not_export',
      async () => ({
        path: applications('rent-aid'),
        authorization: (await makeKey({ programs: ['rent-aid'], mayExport: false, maySubmit: true })).authorization,
      }),
    ],
  ]

  test.each(causes)('%s: "Only the log has the reason, as a code" (%s)', async (_, reason, sent) => {
    const expected = await send({ authorization: null })
    const request = await sent()
    const answer = await send(request)
    expect(answer.status).toBe(401)
    expect(visible(answer)).toEqual(visible(expected))
    // And the key, if one was named: never what was sent for one.
    const isNamed = request.authorization !== null && !/header|scheme|base64|colon|unknown_key/.test(reason)
    const { reason: logged, api_key_id } = service.requestLine(answer.headers.get('x-request-id'))!
    expect([logged, typeof api_key_id]).toEqual([reason, isNamed ? 'string' : 'undefined'])
  })

  test('the unmodified key works', async () => {
    expect((await send({})).status).toBe(200)
    expect((await send({ path: `${applications('rent-aid')}?pageSize=0` })).status).toBe(400)
  })

  test('the answer: a problem document (contract D3) with "WWW-Authenticate: Basic realm=…, charset=UTF-8"', async () => {
    const answer = await send({ authorization: null })
    expect(JSON.parse(answer.body)).toEqual({
      type: 'urn:tributary:problem:unauthenticated',
      title: 'Unauthorized',
      status: 401,
      detail: expect.any(String),
      request_id: answer.headers.get('x-request-id'),
      errors: [],
    })
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="tributary", charset="UTF-8"')
  })

  test('HEAD: the same for every cause as well', async () => {
    const expected = visible(await send({ method: 'HEAD', authorization: null }))
    for (const [, , sent] of causes)
      expect(visible(await send({ method: 'HEAD', ...(await sent()) }))).toEqual(expected)
  })
})

describe('"401 is decided before anything that could be a 400" (contract D4)', () => {
  const stranger = { authorization: null }

  test.each([
    '?pageSize=0&fromDate=never&nextPageToken=!&revisionState=NEW',
    `?nextPageToken=${'x'.repeat(12_000)}`,
    '?pageSize=1&pageSize=2',
    '?%ff=%00',
  ])('wrong parameters: %.40s', async query => {
    expect((await send({ ...stranger, path: applications('rent-aid') + query })).status).toBe(401)
    expect((await send({ path: applications('not-granted') + query })).status).toBe(401)
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'another method: %s by a stranger, with a body that does not parse',
    async method => {
      const body = ['Content-Type: application/json', 'Content-Length: 1', '', '{']
      for (const path of [checkAuth, applications('rent-aid')])
        expect((await send({ ...stranger, method, path, lines: body })).status).toBe(401)
    },
  )
})

describe('"Every request must use HTTPS." (spec, "Authentication" 1)', () => {
  test('"A valid credential seen in plain text marks its key as exposed", once, in the audit log and in the log', async () => {
    const { api_key_id, authorization } = await makeKey()
    const exposure = async () => {
      const [row] = await database.sql<{ exposed_at: number | null; events: number }[]>`
        select exposed_at, (select count(*) from audit_event where subject = ${api_key_id}) as events
        from api_key
        where api_key_id = ${api_key_id}`
      return row!
    }
    await send({ proto: 'http', authorization: basic(api_key_id, mintCredential().password) })
    expect((await send({ authorization })).status).toBe(200)
    expect(await exposure()).toEqual({ exposed_at: null, events: 0 })
    expect((await send({ proto: 'http', authorization })).status).toBe(401)
    await until('the mark', async () => (await exposure()).exposed_at === now)
    await send({ proto: 'http', authorization })
    const warnings = service.logLines.filter(line => line.level === 'warn' && line.api_key_id === api_key_id)
    expect(warnings).toHaveLength(2)
    expect(warnings[0]).toMatchObject({ address: '192.0.2.1', msg: expect.stringContaining('exposed') })
    expect(await exposure()).toEqual({ exposed_at: now, events: 1 })
    const [event] = await database.sql`
      select actor, action, host(address) as address from audit_event where subject = ${api_key_id}`
    expect(event).toEqual({ actor: `key:${api_key_id}`, action: 'api_key_exposed', address: '192.0.2.1' })
    expect((await send({ authorization })).status).toBe(200)
  })
})

describe('"A secret or credential never reaches a log, an error, a job, a URL or the audit log" (contract section 3)', () => {
  test('a canary is sent in every way and found nowhere', async () => {
    const canary = await makeKey({ programs: ['rent-aid'] })
    const { authorization, password, username, apiSecretToken: token } = canary
    const bodies: string[] = []
    for (const sent of [
      { authorization },
      { authorization, path: applications('not-granted') },
      { authorization, path: `${applications('rent-aid')}?pageSize=0` },
      { authorization, path: `${checkAuth}?password=${password}&token=${token}` },
      {
        authorization,
        path: `${applications('rent-aid')}?${password}=1&nextPageToken=${password}`,
        lines: ['Prefer: handling=strict'],
      },
      { authorization, method: 'POST', lines: ['Content-Length: 0'] },
      { authorization, proto: 'http' },
      { authorization, from: password },
      { authorization: `Bearer ${token}` },
      { authorization: `Basic ${password}` },
      { authorization: basic(password, username) },
      { authorization: basic(username, `${password}!`) },
      { authorization: basic(username, password).replace('Basic', password) },
      { authorization, path: '/nowhere' },
      { authorization, path: applications(password) },
      { authorization, path: `/${encodeURIComponent(token)}` },
    ] satisfies Sent[]) {
      const answer = await send(sent)
      bodies.push(answer.headerLines.join('\n'), answer.body)
    }
    await until('the mark', async () => {
      const [row] = await database.sql`select exposed_at from api_key where api_key_id = ${username}`
      return row!.exposed_at
    })
    const stored = await storedText(database.sql)
    expect(service.logText()).toContain(username)
    expect(stored).toContain(username)
    for (const form of [password, password.slice(6, 49), token].flatMap(formsOf)) {
      expect(service.logText()).not.toContain(form)
      expect(stored).not.toContain(form)
      // A parameter's name is the caller's own and may be sent back to it; its value never is.
      expect(bodies.join('\n').replaceAll(`"parameter":"${password}"`, '')).not.toContain(form)
    }
  })
})

test('without a database no key is refused: 503, which says that trying again helps', async () => {
  const gone = usePool({ url: 'postgres://127.0.0.1:1/gone', connectionsMax: 1 })
  const alone = await useService(database, {}, { db: gone, now: () => now })
  const response = await alone.get(checkAuth, { headers: { Authorization: key.authorization } })
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('5')
  expect(alone.logText()).not.toContain(key.password)
})
