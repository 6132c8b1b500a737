// A database that says nothing any more, and does not close its connections either. Contract G14: "No request waits without limit:
// every wait (authentication, a pool, a silent database, a lock, a slow reader) has a named deadline and an answer".

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { useDatabase } from '../support/fixtures.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { createTestKey } from '../support/keys.ts'
import { endProcesses, startMain, type TestMain } from '../support/processes.ts'
import { aProgram, q } from '../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { type SilentProxy, useSilentProxy } from '../support/silent-proxy.ts'
import { until } from '../support/until.ts'

const rows = 60
let proxy: SilentProxy
let main: TestMain
const database = await useDatabase()
await insertRawApplications(database.sql, await insertRawProgram(database.sql, 'raw'), rows, () => 'x'.repeat(60_000))
await aProgram(database.sql, { slug: 'asked', questions: [q.text('t')] })
const key = await createTestKey(database.sql, { programs: ['raw', 'asked'], maySubmit: true, mayAnnotate: true })
beforeEach(async () => {
  proxy = await useSilentProxy(database.url)
  main = await startMain(proxy, {
    STATEMENT_TIMEOUT: '375ms',
    RESPONSE_TIMEOUT: '1s',
    EXPORT_CONNECTIONS: '2',
  })
})
afterEach(endProcesses)

const ask = (path: string, init: RequestInit = {}) =>
  fetch(main.url + path, {
    ...init,
    headers: { Authorization: key.authorization, 'Accept-Encoding': 'identity', ...init.headers },
  })

const applications = '/api/v1/admin/programs/raw/applications'
const posted = (method: string, body: unknown): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
})
const requests: [name: string, path: string, init?: RequestInit][] = [
  ['checkAuth', '/api/v1/checkAuth'],
  ['an export', applications],
  ['generated docs', '/docs/api/programs/raw'],
  ['a registration', '/intake/v1/applicants', posted('POST', { language: 'en' })],
  ['what a program asks', '/intake/v1/programs/asked'],
  ['answers', '/intake/v1/programs/asked/applicants/1/answers', posted('PUT', { answers: {} })],
  [
    'a submission',
    '/intake/v1/programs/asked/applicants/1/submissions',
    posted('POST', { submitter: { type: 'APPLICANT' } }),
  ],
  [
    'a status',
    `${applications}/1/status`,
    { ...posted('PATCH', { status: null }), headers: { ...posted('PATCH', {}).headers, 'If-Match': '*' } },
  ],
]

describe('a silent database', () => {
  test('G14: every request gets a 503 with Retry-After, and the service is not ready until the database responds again', async () => {
    for (const [, path, init] of requests) await (await ask(path, init)).arrayBuffer()
    proxy.fallSilent()
    expect((await fetch(`${main.health}/readyz`)).status).toBe(503)
    expect((await fetch(`${main.health}/livez`)).status).toBe(200)
    const answers = await Promise.all(
      requests.map(async ([name, path, init]) => {
        const answer = await ask(path, init)
        return [name, answer.status, answer.headers.get('retry-after'), answer.headers.get('content-type')]
      }),
    )
    expect(answers).toEqual(requests.map(([name]) => [name, 503, '5', 'application/problem+json']))
    proxy.speak()
    await until('checkAuth to work again', async () => (await ask('/api/v1/checkAuth')).status === 200)
    await until('ready', async () => (await fetch(`${main.health}/readyz`)).status === 200)
    expect(((await (await ask(applications)).json()) as { payload: unknown[] }).payload).toHaveLength(rows)
  })

  test('G14, G9: an export ends whole, with 503, or visibly broken off, wherever the silence begins', async () => {
    await (await ask(applications)).arrayBuffer()
    const ends = new Set<string>()
    for (const afterBytes of [1, 300, 1500, 4000, 400_000, 3_000_000]) {
      proxy.fallSilent(afterBytes)
      const end = await ask(applications).then(
        async answer =>
          answer.status === 200
            ? answer.json().then(
                page => `whole ${(page as { payload: unknown[] }).payload.length}`,
                () => 'broken off',
              )
            : `${answer.status} ${answer.headers.get('retry-after')}`,
        () => 'broken off',
      )
      ends.add(end)
      proxy.speak()
      await until('an export to be whole again', async () => {
        const page = await ask(applications).then(
          answer => (answer.ok ? answer.json() : undefined),
          () => undefined,
        )
        return (page as { payload: unknown[] } | undefined)?.payload.length === rows
      })
    }
    const allowed = [`whole ${rows}`, '503 5', 'broken off']
    expect([...ends].filter(end => !allowed.includes(end))).toEqual([])
    expect(ends).toContain('503 5')
    expect(ends).toContain('broken off')
  })

  test('a silent connection is closed, and a page that was being read from it is completed', async () => {
    await (await ask(applications)).arrayBuffer()
    const before = proxy.made()
    // Far more than what waits on the way, so that rows are still to come from the database.
    const answer = await ask(applications)
    const reader = answer.body!.getReader()
    const chunks = [(await reader.read()).value!]
    proxy.silenceConnected()
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) chunks.push(chunk.value)
    expect((JSON.parse(Buffer.concat(chunks).toString()) as { payload: unknown[] }).payload).toHaveLength(rows)
    expect(proxy.made()).toBeGreaterThan(before)
  })

  test('a statement that PostgreSQL is still executing is canceled, and its connection kept', async () => {
    await (await ask('/api/v1/checkAuth')).arrayBuffer()
    const release = await holdTransaction(database.sql, tx => tx`lock table api_key in access exclusive mode`)
    // The service may open more, as when it notes the use of a key in the meantime: none of those it had may go.
    const connected = () => database.sql<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and application_name like 'tributary%'`
    const before = await connected()
    expect(before.length).toBeGreaterThan(0)
    const answer = await ask('/api/v1/checkAuth')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    await release()
    expect((await ask('/api/v1/checkAuth')).status).toBe(200)
    expect(await connected()).toEqual(expect.arrayContaining([...before]))
    expect(main.log.find(line => line.reason === 'statement_timeout')).toBeDefined()
  })

  test('G14: a request has the usual time budget once its body has arrived, and a slow body is not counted', async () => {
    await endProcesses()
    // The silence of a connection would be noticed only long after a request is to be answered.
    main = await startMain(proxy, { STATEMENT_TIMEOUT: '22500ms', RESPONSE_TIMEOUT: '3s' })
    for (const [, path, init] of requests) await (await ask(path, init)).arrayBuffer()
    proxy.fallSilent()
    const logged = main.log.length
    const answers = await Promise.all(
      requests.map(async ([name, path, init]) => {
        const { status, headers } = await ask(path, init)
        return { name, status, id: headers.get('x-request-id') }
      }),
    )
    // Its budget has answered each of them, and not the end of the silence.
    const reasons = await until('their lines in the log', () => {
      const lines = main.log.slice(logged)
      const found = answers.map(({ id }) => lines.find(line => line.request_id === id)?.reason)
      return found.includes(undefined) ? undefined : found
    })
    expect(answers.map(({ name, status }, i) => [name, status, reasons[i]])).toEqual(
      requests.map(([name]) => [name, 503, 'response_timeout']),
    )
    proxy.speak()
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from('{"language":'))
        // Longer than the budget, however much that is.
        await Bun.sleep(4000)
        controller.enqueue(Buffer.from('"en"}'))
        controller.close()
      },
    })
    await until('checkAuth to work again', async () => (await ask('/api/v1/checkAuth')).status === 200)
    const slow = await ask('/intake/v1/applicants', {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
    })
    expect(slow.status).toBe(201)
  })
})
