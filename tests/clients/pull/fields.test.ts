// `tributary pull --fields`, and pulls with a key that does not see every question: the output has the questions that come, and no others.

import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Application } from '../../../src/clients/client/api-types.ts'
import { TributaryClient } from '../../../src/clients/client/tributary-client.ts'
import { useBareDatabase, useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey, type TestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { callTool } from '../../support/tributary-tool.ts'

const slug = 'food-aid'
const database = await useDatabase()
const { sql } = database
const asked = { optional: true }
await aProgram(sql, {
  slug,
  questions: [
    q.text('reason', asked),
    q.text('secret', asked),
    q.enumerator('child', [q.number('age', asked), q.text('school', asked)], asked),
    q.enumerator('car', [q.text('plate', asked)], asked),
  ],
})
const service = await useService(database)
const key = await createTestKey(sql, { programs: [slug], maySubmit: true })
const blinkered = await createTestKey(sql, { programs: [slug], hiddenQuestions: ['secret', 'school'] })
const frontEnd = new FrontEnd(service, key, slug)
const submit = async () =>
  frontEnd.apply(await frontEnd.register(), {
    reason: { text: 'why' },
    secret: { text: 'zyxqua' },
    child: { entities: [{ entity_name: 'Ada', age: { number: 7 }, school: { text: 'zyxqua' } }] },
    car: { entities: [{ entity_name: 'Old', plate: { text: 'zyxqua' } }] },
  })
for (let n = 0; n < 3; n++) await submit()

const folder = await useFolder()
let files = 0
const newName = (ending: string): string => join(folder, `${++files}.${ending}`)
const argsOf = (out: string, more: readonly string[], baseUrl = service.baseUrl): string[] => [
  ...['pull', baseUrl, '--program', slug, '--out', out],
  ...more,
]
async function pull(out: string, more: readonly string[] = [], by: TestKey = key): Promise<string> {
  expect(await callTool(by, argsOf(out, more))).toMatchObject({ code: 0 })
  return readFileSync(out, 'utf8')
}
const headerOf = (text: string): string[] =>
  text.replace('\ufeff', '').split('\r\n')[0]!.replaceAll('"', '').split(',').slice(14)
const fields = ['--fields', 'reason,child.age']

describe('--fields', () => {
  test('gives lines as the service sends them, which match the schema of these questions', async () => {
    const lines = (await pull(newName('ndjson'), fields)).split('\n').slice(0, -1)
    const { username, password } = key
    const client = new TributaryClient({ baseUrl: service.baseUrl, username, password })
    const sent: Application[] = []
    for await (const application of client.applications(slug, { fields: 'reason,child.age' })) sent.push(application)
    expect(lines.map(line => JSON.parse(line))).toEqual(sent)
    expect(sent.length).toBeGreaterThan(2)
    expect(Object.keys(sent[0]!.application)).toEqual(['reason', 'child'])
    expect(lines.join()).not.toContain('zyxqua')
  })

  test('gives tables with the columns of these questions, to which --since-last adds', async () => {
    const out = newName('csv')
    const text = await pull(out, fields)
    expect(headerOf(text)).toEqual(['reason.text', 'child.entities'])
    const children = (): string[] => readFileSync(out.replace('.csv', '.child.csv'), 'utf8').trimEnd().split('\r\n')
    expect(children()[0]).toEndWith('age.number')
    const before = children().length
    expect(before).toBeGreaterThan(3)
    await submit()
    // In another order it is the same choice.
    await pull(out, ['--since-last', '--fields', 'child.age,reason'])
    expect(children()).toHaveLength(before + 1)
    expect(children().join()).not.toContain('zyxqua')
  })

  test('cannot change with --since-last, only with a pull of everything', async () => {
    const out = newName('csv')
    await pull(out, fields)
    for (const [more, reported] of [
      [[], 'without --fields'],
      [['--fields', 'reason'], 'with --fields reason'],
    ] as const) {
      const { code, err } = await callTool(key, argsOf(out, ['--since-last', ...more]))
      expect({ code, err }).toMatchObject({ code: 2, err: expect.stringMatching(new RegExp(` not ${reported}\\.`)) })
      expect(err).toContain(' --fields child.age,reason')
    }
    expect(headerOf(await pull(out, ['--fields', 'secret']))).toEqual(['secret.text'])
    expect(existsSync(out.replace('.csv', '.child.csv'))).toBe(false)
    // Columns are where a first pull has them, and a state that was copied takes away no file that is not its own.
    const copy = newName('csv')
    copyFileSync(`${out}.pull`, `${copy}.pull`)
    expect(await pull(copy)).toBe(await pull(newName('csv')))
    expect(existsSync(out)).toBe(true)
  })

  test('reports an unknown question with the known ones, and leaves nothing that prevents the next pull', async () => {
    const out = newName('csv')
    const { code, err } = await callTool(key, argsOf(out, ['--fields', 'reson']))
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('reason, secret, child') })
    await pull(out, fields)
    expect(await callTool(key, argsOf(out, ['--fields', 'reason,']))).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^--fields /),
    })
  })

  test('allows one choice of questions per database schema', async () => {
    const { sql: warehouse, url } = await useBareDatabase()
    const state = newName('state')
    const into = (...more: string[]) =>
      callTool(key, ['pull', service.baseUrl, '--program', slug, '--to', url, '--state', state, ...more])
    expect(await into(...fields)).toMatchObject({ code: 0 })
    const columns = await warehouse`
      select column_name from information_schema.columns
      where table_schema = 'food_aid' and column_name like '%\\_\\_%' order by 1`
    expect(columns.map(column => column.column_name)).toEqual(['age__number', 'child__entities', 'reason__text'])
    expect(await into()).toMatchObject({ code: 2, err: expect.stringContaining(' --schema') })
    expect(await into('--schema', 'whole')).toMatchObject({ code: 0 })
  })
})

test('a pull with a key that has hidden questions is complete, matches the schema, and reveals none of them', async () => {
  const lines = await pull(newName('ndjson'), [], blinkered)
  expect(lines.split('\n').length).toBeGreaterThan(3)
  const out = newName('csv')
  const text = await pull(out, [], blinkered)
  expect(headerOf(text)).toEqual(['reason.text', 'child.entities', 'car.entities'])
  const children = readFileSync(out.replace('.csv', '.child.csv'), 'utf8')
  for (const value of [lines, text, children]) expect(value).not.toMatch(/secret|school/)
  expect(headerOf(await pull(newName('csv'), fields, blinkered))).toEqual(['reason.text', 'child.entities'])
  const { code, err } = await callTool(blinkered, argsOf(newName('csv'), ['--fields', 'secret']))
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('reason, child') })
})

test('a database keeps the columns of questions hidden later, null in new rows and in all rows after a pull of everything', async () => {
  const { sql: warehouse, url } = await useBareDatabase()
  const into = ['pull', service.baseUrl, '--program', slug, '--to', url, '--state', newName('state')]
  const run = async (by: TestKey, ...more: string[]): Promise<string> => {
    const { code, err } = await callTool(by, [...into, ...more])
    expect({ code, err }).toMatchObject({ code: 0 })
    return err
  }
  const carless = await createTestKey(sql, { programs: [slug], hiddenQuestions: ['secret', 'car'] })
  const kept = async () => {
    const rows =
      await warehouse`select secret__text, reason__text, note from food_aid.applications order by application_id`
    const [{ cars }] = (await warehouse`select count(*)::integer as cars from food_aid.car`) as [{ cars: number }]
    return { cars, rows: rows.map(row => ({ ...row })) }
  }
  await run(key, '--since-last')
  // What others have added to the tables is theirs.
  await warehouse`alter table food_aid.applications add column note text default 'ours'`
  await warehouse`create view food_aid.secrets as select secret__text from food_aid.applications`
  const { cars, rows } = await kept()
  await submit()
  const reported = await run(carless, '--since-last')
  expect(reported).toContain(': secret.text, car.entities, car.')
  const lacking = { secret__text: null, reason__text: 'why', note: 'ours' }
  expect(await kept()).toEqual({ cars, rows: [...rows, lacking] })
  expect(cars).toBe(rows.length)
  expect(rows[0]).toEqual({ ...lacking, secret__text: 'zyxqua' })
  await submit()
  expect(await run(carless, '--since-last')).not.toContain('Hidden')
  await run(carless)
  expect(await kept()).toEqual({ cars: 0, rows: Array(rows.length + 2).fill(lacking) })
  // Shown again, they are filled again.
  await run(key)
  expect(await kept()).toEqual({
    cars: cars + 2,
    rows: Array(rows.length + 2).fill({ ...lacking, secret__text: 'zyxqua' }),
  })
})

test('a file with columns of questions hidden later cannot be added to, and a pull of everything omits them', async () => {
  const out = newName('csv')
  const sinceLast = argsOf(out, ['--since-last'])
  await pull(out)
  await submit()
  const { code, err } = await callTool(blinkered, sinceLast)
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/\bsecret\b|--restart/) })
  expect(headerOf(await pull(out, ['--restart'], blinkered))).toEqual(['reason.text', 'child.entities', 'car.entities'])
  expect(readFileSync(out.replace('.csv', '.child.csv'), 'utf8')).not.toMatch(/school|zyxqua/)
  await submit()
  expect(await callTool(blinkered, sinceLast)).toMatchObject({ code: 0, err: expect.stringContaining('Pulled 1 ') })
})
