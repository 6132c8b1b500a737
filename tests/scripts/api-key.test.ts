import { describe, expect, test } from 'bun:test'
import { endWithTest, useDatabase, useService } from '../support/fixtures.ts'
import { createTestKey, ensureTestProgram } from '../support/keys.ts'
import { aProgram, q } from '../support/programs.ts'
import type { Ended } from '../support/run.ts'
import { runScript } from './run-script.ts'

const database = await useDatabase()
const service = await useService(database)
for (const slug of ['rent-aid', 'child-care']) await ensureTestProgram(database.sql, slug)

const apiKey = (args: string[], environment: Record<string, string> = {}): Promise<Ended> =>
  runScript('api-key', database.url, args, '', { BASE_URL: 'https://apply.example.gov', ...environment })

const createArgs = (changes: Record<string, string> = {}): string[] => {
  const options = {
    name: 'County payroll',
    programs: 'rent-aid,child-care',
    expires: '90d',
    subnets: 'anywhere',
    ...changes,
  }
  return ['create', ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])]
}
const shown = (out: string, label: string): string => new RegExp(`^${label}: +(\\S+)$`, 'm').exec(out)?.[1] ?? ''

describe('create', () => {
  test('prints Username, Password, API Secret Token and a curl command that works (spec, "Authentication" 3 and 7)', async () => {
    const { code, out, err } = await apiKey(createArgs())
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const [username, password] = [shown(out, 'Username'), shown(out, 'Password')]
    const token = shown(out, '.* Token')
    expect(token).toBe(btoa(`${username}:${password}`))
    expect(out).toEndWith(`
export TRIBUTARY_USERNAME='${username}' TRIBUTARY_PASSWORD='${password}'
curl -u "$TRIBUTARY_USERNAME:$TRIBUTARY_PASSWORD" https://apply.example.gov/api/v1/checkAuth
`)
    const headers = { Authorization: `Basic ${token}` }
    const response = await service.get('/api/v1/checkAuth', { headers })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ name: 'County payroll', programs: ['child-care', 'rent-aid'] })
  })

  test('lets a key export unless set otherwise, and records the operator in the audit log', async () => {
    const [exporter, both] = await Promise.all([
      apiKey(createArgs()),
      apiKey(createArgs({ may: 'submit,export', 'front-end': 'Portal' })),
    ])
    const rightsOf = async ({ out }: Ended) => {
      const [row] = await database.sql`
        select k.may_export, k.may_submit, e.actor, e.action
        from api_key k
        join audit_event e on e.subject = k.api_key_id
        where k.api_key_id = ${shown(out, 'Username')}`
      return row
    }
    const event = { actor: expect.stringMatching(/^operator:./), action: 'api_key_created' }
    expect(await rightsOf(exporter)).toEqual({ may_export: true, may_submit: false, ...event })
    expect(await rightsOf(both)).toEqual({ may_export: true, may_submit: true, ...event })
  })

  test('reports all errors at once, by the names of the options', async () => {
    const wrong = { name: ' ', programs: 'rent-aid,nowhere', expires: '400d', subnets: '10.0.0.1/8' }
    const { code, out, err } = await apiKey(createArgs(wrong))
    expect({ code, out }).toEqual({ code: 1, out: '' })
    for (const option of ['--name', '--programs', '--expires', '--subnets']) expect(err).toContain(`  ${option}: `)
    expect(err).toMatch(/ --programs: .*"nowhere".* \[unknown_program\]/)
    expect(err).toMatch(/ --subnets: .* 10\.0\.0\.0\/8.* \[bad_subnet\]/)
  })

  test.each([
    [['create', '--name', 'x'], 'Missing: --programs, --subnets, --expires.'],
    [createArgs({ expires: 'soon' }), '90d'],
    [createArgs({ may: 'export,delete' }), 'export, annotate, submit, not "delete"'],
    [createArgs({ color: 'red' }), "Unknown option '--color'"],
    [[], 'scripts/api-key --help'],
    [['delete'], 'command "delete"'],
    [['retire'], 'Missing: <key ID>.'],
    [['edit', 'tribk_x'], '--name, --front-end, --programs, --subnets, --expires, --hide, --note.'],
  ])('exits with 2 and an explanation for the arguments %p', async (args, message) => {
    const { code, out, err } = await apiKey(args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(message)
  })
})

describe('list, edit, retire', () => {
  test('list shows state and last use without any secret, and a retired key no longer works', async () => {
    const created = (await apiKey(createArgs({ name: 'Zoë 一' }))).out
    const id = shown(created, 'Username')
    const old = await createTestKey(database.sql, { name: 'Old', expiresAt: Date.now() * 1000 - 1 })
    const edited = await apiKey(['edit', id, '--programs', 'rent-aid', '--subnets', '127.0.0.0/8,::1'])
    expect(edited).toEqual({
      code: 0,
      out: expect.stringMatching(
        new RegExp(`^${id} [^\n]*:\n  Name: Zoë 一\n.*\n  Programs: rent-aid\n.*: 127.0.0.0/8, ::1/128\n`),
      ),
      err: '',
    })
    const authorization = `Basic ${shown(created, 'API Secret Token')}`
    const check = () => service.get('/api/v1/checkAuth', { headers: { Authorization: authorization } })
    expect(await (await check()).json()).toMatchObject({ programs: ['rent-aid'] })
    expect((await apiKey(['disable', id])).out).toContain(id)
    expect((await check()).status).toBe(401)
    expect((await apiKey(['list'])).out).toContain(' disabled ')
    expect((await apiKey(['enable', id])).out).toContain(id)
    expect((await check()).status).toBe(200)
    expect((await apiKey(['retire', id])).out).toContain(id)
    expect((await apiKey(['retire', id])).code).toBe(0)
    expect((await check()).status).toBe(401)
    await database.sql`
      update api_key
      set last_used_at = '2026-01-02T03:04:05Z', last_used_address = '2001:db8::7'
      where api_key_id = ${id}`
    const { out } = await apiKey(['list'])
    const [head, ...lines] = out.trimEnd().split('\n')
    expect(head).toMatch(/^Key ID +Name +Programs +Hidden questions +Expires +State +Front end +Last used$/)
    const line = lines.find(text => text.startsWith(id))!
    expect(line).toMatch(/ {2}retired {2,}- {2,}2026-01-02T03:04:05\+00:00 from 2001:db8::7$/)
    const state = Bun.stringWidth(head!.slice(0, head!.indexOf('State')))
    expect(Bun.stringWidth(line.slice(0, line.indexOf('retired')))).toBe(state)
    expect(lines.find(text => text.startsWith(old.api_key_id))).toMatch(/ expired +- +never$/)
    expect(out).not.toContain(shown(created, 'Password'))
    expect(out).not.toContain('tribs_')
  })

  test('hidden questions are set one by one, listed, replaced as a whole, and removed', async () => {
    await aProgram(database.sql, { slug: 'hiding', questions: [q.text('income, yearly'), q.text('diagnosis')] })
    const refused = await apiKey([...createArgs(), '--hide', 'incomes'])
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/ {2}--hide: .*"incomes".* \[unknown_question\]/),
    })
    const made = await apiKey([...createArgs(), '--hide', 'income, yearly', '--hide', 'diagnosis'])
    const id = shown(made.out, 'Username')
    const listed = async () => (await apiKey(['list'])).out.split('\n').find(text => text.startsWith(id))
    expect(await listed()).toContain('  diagnosis, income, yearly  ')
    const hidden = async (...change: string[]) =>
      (await apiKey(['edit', id, ...change])).out.match(/Hidden .*: (.*)/)![1]
    expect(await hidden('--hide', 'diagnosis')).toBe('diagnosis')
    expect(await hidden('--name', 'Another')).toBe('diagnosis')
    expect(await hidden('--hide', '')).toBe('none')
    expect(await listed()).not.toContain('diagnosis')
  })

  test('a note is set, changed and removed', async () => {
    const id = shown((await apiKey(createArgs({ note: 'Ask Kim' }))).out, 'Username')
    const note = async (...change: string[]) => (await apiKey(['edit', id, ...change])).out.match(/Note: (.*)/)![1]
    expect(await note('--name', 'Another')).toBe('Ask Kim')
    expect(await note('--note', 'Ask Lee')).toBe('Ask Lee')
    expect(await note('--note', '')).toBe('none')
  })

  test('the front end of a key that may submit is listed and can be changed (D26)', async () => {
    const refused = await apiKey(createArgs({ may: 'submit' }))
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/ {2}--front-end: .* \[required\]/) })
    const id = shown((await apiKey(createArgs({ may: 'submit', 'front-end': 'Portal' }))).out, 'Username')
    const listed = async () => (await apiKey(['list'])).out.split('\n').find(text => text.startsWith(id))
    expect(await listed()).toMatch(/ active +Portal +never$/)
    expect(await apiKey(['edit', id, '--front-end', 'Kiosk'])).toMatchObject({ code: 0 })
    expect(await listed()).toMatch(/ active +Kiosk +never$/)
  })

  test('a key that does not exist is reported in one sentence', async () => {
    expect(await apiKey(['retire', `tribk_${'x'.repeat(20)}`])).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^.* \[not_found\]\n$/),
    })
  })

  test('list without any keys explains how to create one', async () => {
    const { url } = await useDatabase({}, endWithTest)
    const { code, out } = await apiKey(['list'], { DATABASE_URL: url })
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^.*scripts\/api-key create.*\n$/) })
  })
})
