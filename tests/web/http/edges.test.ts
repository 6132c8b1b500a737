// What clients of many kinds send and read that is nearly right: letters in parts, lines, expectations, addresses.

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { annotate } from '../../../src/core/applications/annotate.ts'
import { unlimited } from '../../support/config.ts'
import { endWithTest, useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { callTool } from '../../support/tributary-tool.ts'

const slug = 'edges'
const database = await useDatabase()
const { sql } = database
const { program_id } = await aProgram(sql, {
  slug,
  questions: [q.text('téléphone'), q.text('other', { optional: true })],
})
const service = await useService(database, unlimited)
const key = await createTestKey(sql, { programs: [slug], maySubmit: true, mayExport: true })
const frontEnd = new FrontEnd(service, key, slug)
const odd = 'a\u2028b\u2029c\u0085d'
const { application_id } = await frontEnd.apply(await frontEnd.register(), { téléphone: { text: odd } })
await annotate(sql, {
  program_id,
  application_id,
  note: odd,
  actor: 'operator:test',
  timeZone: 'UTC',
  now: Date.now() * 1000,
})

const program = `/api/v1/admin/programs/${slug}`
const get = (path: string, headers: Record<string, string> = {}) =>
  service.get(path, { headers: { Authorization: key.authorization, ...headers } })
const ndjson = { Accept: 'application/x-ndjson' }

describe('D47: NDJSON has the lines that every reader finds, and names its charset', () => {
  test.each([
    ['a page', `${program}/applications`],
    ['a page of chosen questions', `${program}/applications?fields=t%C3%A9l%C3%A9phone`],
    ['the change feed', `${program}/changes?after=0`],
    ['the change feed with applications', `${program}/changes?after=0&include=application`],
  ])('%s', async (_, path) => {
    const response = await get(path, ndjson)
    expect(response.headers.get('Content-Type')).toBe('application/x-ndjson; charset=utf-8')
    const text = await response.text()
    const lines = text.trimEnd().split('\n')
    expect(text.trimEnd().split(/\r\n|[\n\r\v\f\x1c-\x1e\u0085\u2028\u2029]/)).toEqual(lines)
    const input = new PassThrough()
    input.end(text)
    const read: string[] = []
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) read.push(line)
    expect(read).toEqual(lines)
    const values = lines.map(line => JSON.parse(line) as Record<string, unknown>)
    expect(JSON.stringify(values)).toContain(JSON.stringify(odd))
    // The same values as in JSON.
    const { payload } = (await (await get(path)).json()) as { payload: unknown[] }
    expect(values.slice(0, -1)).toEqual(payload as never)
  })
})

test('D47: so has what `tributary pull` writes, into a file and to standard output', async () => {
  const file = join(await useFolder(endWithTest), 'all.ndjson')
  const pull = (out: string) => callTool(key, ['pull', service.baseUrl, '--program', slug, '--out', out])
  const { code, out } = await pull('-')
  expect(code).toBe(0)
  expect((await pull(file)).code).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe(out)
  const line = out.slice(0, -1)
  expect(line).not.toMatch(/[\n\u0085\u2028\u2029]/)
  expect(JSON.parse(line)).toMatchObject({ application_note: odd, application: { téléphone: { text: odd } } })
})

test('D15: a key is found in whatever parts its letters are typed', async () => {
  const typed = encodeURIComponent('téléphone'.normalize('NFD'))
  expect(typed).not.toBe(encodeURIComponent('téléphone'))
  const page = (await (await get(`${program}/applications?fields=${typed}`)).json()) as {
    payload: { application: object }[]
  }
  expect(Object.keys(page.payload[0]!.application)).toEqual(['téléphone'])
  const feed = await get(`/odata/v1/${slug}/Applications?$select=${typed}__text`)
  expect(await feed.json()).toMatchObject({ value: [{ téléphone__text: odd }] })
})

test('an empty $select is one error', async () => {
  const { error } = (await (await get(`/odata/v1/${slug}/Applications?$select=`)).json()) as {
    error: { details: object[] }
  }
  expect(error.details).toHaveLength(1)
})

test('every response has X-Content-Type-Options: nosniff', async () => {
  for (const [path, headers] of [
    ['/api/v1/checkAuth', {}],
    ['/api/v1/checkAuth', { Authorization: 'Basic eDp4' }],
    [`${program}/applications`, {}],
    [`${program}/applications?pageSize=x`, {}],
    [`/odata/v1/${slug}`, { Authorization: 'Basic eDp4' }],
    ['/nowhere', {}],
    ['/intake/v1/nowhere', {}],
  ] as const)
    expect([path, (await get(path, headers)).headers.get('X-Content-Type-Options')]).toEqual([path, 'nosniff'])
})

test('an error names the canonical form of a path that is encoded needlessly', async () => {
  const detailOf = async (path: string) => ((await (await get(path)).json()) as { detail: string }).detail
  expect(await detailOf(`${program}/%61pplications`)).not.toBe(await detailOf(`${program}/nothing`))
})

describe('Expect', () => {
  /** What comes back before any of the body is sent. */
  const answerTo = (expected: string, password = key.password): Promise<string> => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const socket = connect(service.port, '127.0.0.1')
    const authorization = Buffer.from(`${key.username}:${password}`).toString('base64')
    socket.once('data', data => {
      socket.destroy()
      resolve(data.toString().split('\r\n')[0]!)
    })
    socket.write(
      [
        'POST /intake/v1/applicants HTTP/1.1',
        'Host: 127.0.0.1',
        `Authorization: Basic ${authorization}`,
        'Content-Type: application/json',
        'Content-Length: 20',
        `Expect: ${expected}`,
        '',
        '',
      ].join('\r\n'),
    )
    return promise
  }

  test('is honored as it should be written, and answered at once as Java and others write it', async () => {
    expect(await answerTo('100-continue')).toBe('HTTP/1.1 100 Continue')
    for (const other of ['100-Continue', '100-CONTINUE', 'x'])
      expect([other, await answerTo(other)]).toEqual([other, 'HTTP/1.1 417 Expectation Failed'])
    expect(await answerTo('100-Continue', 'wrong')).toBe('HTTP/1.1 401 Unauthorized')
  })
})
