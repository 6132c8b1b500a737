// `tributary pull` and the client against a service that is hostile: the real one, with answers made up on purpose.

import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { csvHeader } from '../../../src/base/csv-text.ts'
import { TributaryClient } from '../../../src/clients/client/tributary-client.ts'
import { endOfLines, useAlteredService } from '../../support/altered-service.ts'
import { useExport, useFolder } from '../../support/fixtures.ts'
import { callTool } from '../../support/tributary-tool.ts'

const { service, key, slug } = await useExport({ applications: 3 })
const folder = await useFolder()
let pulls = 0

interface Docs {
  questions: {
    question_key: string
    question_type: string
    text: string
    path: string
    fields: { path: string; type: string }[]
    options: object[]
  }[]
}

/** The docs with one question more or less. */
const withDocs = (change: (docs: Docs) => void) =>
  useAlteredService(service, (text, path) => {
    if (!path.endsWith('/versions/active')) return text
    const docs = JSON.parse(text) as Docs
    change(docs)
    return JSON.stringify(docs)
  })
/** Into a folder of its own, with a folder alongside the output that a path could lead through. */
async function pull(address: string, ending: string, ...more: string[]) {
  const inside = join(folder, String(++pulls), 'inside')
  mkdirSync(join(inside, 'apps.d'), { recursive: true })
  const out = join(inside, `apps${ending}`)
  const ended = await callTool(key, ['pull', address, '--program', slug, '--out', out, '--retries', '0', ...more])
  return { ...ended, inside: readdirSync(inside).sort(), outside: readdirSync(join(inside, '..')) }
}

const enumerator = (question_key: string, path = `application.${question_key}`) => ({
  question_key,
  question_type: 'ENUMERATOR',
  path,
  text: 'Odd?',
  fields: [{ path: `${path}.entities`, type: 'array of objects' }],
  options: [],
})

test.each<[string, (docs: Docs) => void]>([
  ['leads out of the folder', docs => docs.questions.push(enumerator('d/../../evil'))],
  ['leads out of the folder on Windows', docs => docs.questions.push(enumerator('\\..\\..\\evil'))],
  ['is a formula', docs => docs.questions.push(enumerator('=1+1'))],
  ['is empty', docs => docs.questions.push(enumerator(''))],
  ['has the path of another', docs => docs.questions.push(enumerator('evil', 'application.d/../../evil'))],
  ['is repeated', docs => docs.questions.push(docs.questions[0]!)],
  ['has a field outside its path', docs => docs.questions[0]!.fields.push({ path: 'application', type: 'string' })],
  [
    'has a field that leads out of its path',
    docs => docs.questions[0]!.fields.push({ path: `${docs.questions[0]!.path}.a/../b`, type: 'string' }),
  ],
])('D15: a question in the docs that %s is refused, and no table is written', async (_, change) => {
  const address = withDocs(change)
  for (const ending of ['.csv', '.parquet']) {
    const { code, inside, outside } = await pull(address, ending)
    expect({ code, outside, tables: inside.filter(name => name.endsWith(ending)) }).toEqual({
      code: 4,
      outside: ['inside'],
      tables: [],
    })
  }
})

test.each(['../../evil', '..', 'a/b', 'a\\b', ''])(
  'a program called %j is refused before the first request',
  async program => {
    const ended = await callTool(key, ['pull', service.baseUrl, '--program', program, '--out', join(folder, 'x.csv')])
    expect(ended.code).toBe(2)
    const client = new TributaryClient({ baseUrl: service.baseUrl, username: key.username, password: key.password })
    if (/^\.*$/.test(program)) expect(() => client.receipt(program, 'token')).toThrow(TypeError)
  },
)

test('a column name that a spreadsheet would evaluate as a formula gets an apostrophe in front', () => {
  expect(csvHeader(['=1+1.text', 'name.text', 'a,b'])).toBe(`"'=1+1.text",name.text,"a,b"\r\n`)
  expect(csvHeader(['=1+1.text'], true)).toBe('"=1+1.text"\r\n')
})

test('text from a service reaches the terminal without control characters', async () => {
  const evil = '\u001b]0;owned\u0007\u001b[2J\r\u009b31m\u202egnp\u2066\nPulled 3 applications'
  const problem = {
    title: evil,
    status: 400,
    detail: evil,
    request_id: evil,
    errors: [{ parameter: evil, detail: evil }],
  }
  const address = useAlteredService(service, (text, path) =>
    path.endsWith('/applications') ? Response.json(problem, { status: 400 }) : text,
  )
  const { code, err } = await pull(address, '.ndjson')
  expect(code).toBe(1)
  expect(err).toContain('␛]0;owned␇')
  expect(err).toContain('<U+202E>')
  expect(err.match(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/gu)).toBeNull()
  expect(err.trimEnd().split('\n')).toHaveLength(1)
})

test('types generated from a service’s schema contain no control characters', async () => {
  const address = useAlteredService(service, (text, path) =>
    path.endsWith('.schema.json') ? text.replaceAll('Unique ID of', '\\u001b[2J\u202e') : text,
  )
  const { code, out } = await callTool(key, ['types', address, '--program', slug])
  expect(code).toBe(0)
  expect(out).toContain('\\u001B[2J\\u202E')
  expect(out.match(/[^\P{Cc}\n]|[\u202a-\u202e]/gu)).toBeNull()
})

test.each([-1, 0.5, 1e300, '../../evil'])(
  'a change with the application ID %j is not accepted as a response of the service',
  async id => {
    const address = useAlteredService(service, (text, path) =>
      path.endsWith('/changes') ? text.replace(/"application_id":\d+/, `"application_id":${JSON.stringify(id)}`) : text,
    )
    const { username, password } = key
    const client = new TributaryClient({ baseUrl: address, username, password, retriesMax: 0 })
    await expect(client.changes(slug, '0').next()).rejects.toMatchObject({ cause: { name: 'ForeignAnswer' } })
  },
)

describe('limits on responses', () => {
  /** Text without end. */
  const endless = (status: number) => {
    const piece = new Uint8Array(1024 * 1024).fill(0x20)
    const stream = new ReadableStream({ pull: controller => controller.enqueue(piece) })
    return new Response(stream, { status, headers: { 'Content-Type': 'application/json' } })
  }

  test.each<[string, string, number]>([
    ['an error response', '/applications', 400],
    ['a schema', '.schema.json', 200],
    ['a docs page', '/versions/active', 200],
  ])('%s without end cannot stall a pull', async (_, where, status) => {
    const address = useAlteredService(service, (text, path) => (path.endsWith(where) ? endless(status) : text))
    expect(await pull(address, '.csv')).toMatchObject({ code: 1 })
  })

  test('a response that arrives byte by byte is cut off at a deadline', async () => {
    const slow = () => {
      const pull = async (controller: ReadableStreamDefaultController) => {
        await Bun.sleep(5)
        controller.enqueue(new Uint8Array([0x20]))
      }
      return new Response(new ReadableStream({ pull }), { headers: { 'Content-Type': 'application/json' } })
    }
    const { username, password } = key
    const baseUrl = useAlteredService(service, slow)
    const client = new TributaryClient({ baseUrl, username, password, retriesMax: 0, answerMs: 300, silenceMs: 60_000 })
    await expect(client.checkAuth()).rejects.toMatchObject({
      name: 'GaveUp',
      isServiceFault: false,
    })
  })

  test('patterns in a schema are not evaluated', async () => {
    const slowOnes = `${'a'.repeat(40)}!`
    const address = useAlteredService(service, (text, path) => {
      if (!path.endsWith('.schema.json')) return text.replaceAll('"language":"en-US"', `"language":"${slowOnes}"`)
      const schema = JSON.parse(text)
      Object.assign(schema.$defs.Application.properties.language, { pattern: '^(a+)+$', format: 'regex' })
      return JSON.stringify(schema)
    })
    const before = performance.now()
    expect(await pull(address, '.ndjson')).toMatchObject({ code: 0 })
    expect(performance.now() - before).toBeLessThan(4000)
  })
})

describe('G2: a walk ends', () => {
  const page = (application: string, token: string, isFirst: boolean) =>
    new Response(application + endOfLines(application, { nextPageToken: token }), {
      headers: { 'Content-Type': 'application/x-ndjson', ...(isFirst ? { 'Walk-Token': 'walk' } : {}) },
    })
  const made = (id: number) => `${JSON.stringify({ application_id: id, submit_time: '2026-01-01T00:00:00+00:00' })}\n`

  const endless: Record<string, (n: number) => string[]> = {
    'pages that lead back to each other': n => [made(n + 1), `token${n % 5}`],
    'endlessly repeated applications': n => [made((n % 7) + 1), `token${n}`],
    'empty pages': n => ['', `token${n}`],
  }
  test.each(Object.keys(endless))('%s end a walk with an error', async name => {
    let asked = 0
    const address = useAlteredService(service, (text, path) => {
      if (!path.endsWith('/applications')) return text
      if (asked > 500) throw new Error('it asks without end')
      const [application, token] = endless[name]!(asked)
      return page(application!, token!, asked++ === 0)
    })
    const { code } = await pull(address, '.ndjson', '--no-verify-schema')
    expect([3, 4]).toContain(code)
    expect(asked).toBeLessThan(50)
  })
})
