// `tributary pull` into tables: every value of every application in its one place, by a reader of CSV that is not ours.

import { describe, expect, test } from 'bun:test'
import { appendFileSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { seedPrograms } from '../../../scripts/seed-program/seed-programs.ts'
import { codeSamples } from '../../../src/web/docs/code-samples/code-samples.ts'
import { csvRecordOf } from '../../support/csv-page.ts'
import { ExportClient } from '../../support/export-client.ts'
import { useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { publish, q } from '../../support/programs.ts'
import { callTool } from '../../support/tributary-tool.ts'

type Row = Record<string, string | null>

const slug = 'utility-assistance'
const database = await useDatabase()
const { sql } = database
const now = Date.UTC(2026, 0, 31) * 1000
await seedPrograms(sql, { programs: [{ slug, applications: 150 }], now, timeZone: 'UTC', actor: 'test' })
const service = await useService(database)
const key = await createTestKey(sql, { programs: [slug, 'growing'], maySubmit: true })
const folder = await useFolder()
const applications = await new ExportClient(service, key, slug).walkAll()

let files = 0
const newName = (): string => join(folder, String(++files))

async function pull(name: string, ...more: string[]) {
  const program = more.includes('--program') ? [] : ['--program', slug]
  const ended = await callTool(key, ['pull', service.baseUrl, ...program, '--out', `${name}.csv`, ...more])
  expect(ended).toMatchObject({ code: 0 })
  return ended
}

function read(file: string): { columns: string[]; rows: Row[] } {
  const lines = parse(readFileSync(file, 'utf8'), {
    bom: true,
    record_delimiter: '\r\n',
    cast: (value, { quoting }) => (value === '' && !quoting ? null : value),
  }) as unknown as (string | null)[][]
  const columns = lines[0] as string[]
  return { columns, rows: lines.slice(1).map(cells => Object.fromEntries(cells.map((cell, i) => [columns[i]!, cell]))) }
}

const plain = newName()
await pull(plain)

describe('the table of applications', () => {
  test("is the service's own CSV to the byte, except for the column and the record that end its pages", async () => {
    const answer = await service.get(`/api/v1/admin/programs/${slug}/applications`, {
      headers: { Authorization: key.authorization, Accept: 'text/csv' },
    })
    const page = Buffer.from(await answer.arrayBuffer()).toString()
    const whole = page.slice(0, page.lastIndexOf('\r\n"none"') + 2)
    // Each record begins with the empty cell of that column, and only records begin with a comma and an id.
    const records = whole.replace('next_page_token,', '').replace(/\r\n,(?=\d)/g, '\r\n')
    // The service knows that its two states need no quotes.
    const expected = records.replace(/,(CURRENT|OBSOLETE),/g, ',"$1",')
    expect(expected.length).toBeGreaterThan(100_000)
    // Compared as one value: of two long texts every line would be shown.
    expect(readFileSync(`${plain}.csv`, 'utf8') === expected).toBe(true)
    expect(await callTool(key, ['verify', `${plain}.csv`])).toMatchObject({
      code: 0,
      out: expect.stringContaining('150 applications in 1 pull.'),
    })
  })

  test('only the state is left beside the tables', () => {
    const names = ['1.csv', '1.csv.pull', '1.household_members.csv', '1.household_members.jobs.csv']
    expect(
      readdirSync(folder)
        .filter(name => name.startsWith('1.'))
        .sort(),
    ).toEqual(names)
  })
})

describe('table options', () => {
  test('--exact-csv writes every text unchanged, without a byte order mark', async () => {
    const name = newName()
    await pull(name, '--exact-csv')
    expect(readFileSync(`${name}.csv`).subarray(0, 3).toString()).toBe('app')
    expect(read(`${name}.csv`).rows).toEqual(applications.map(csvRecordOf))
  })
})

test('the docs of a program show a command that pulls it', async () => {
  const page = await service.get(`/docs/api/programs/${slug}`, {
    headers: { Authorization: key.authorization, Accept: 'text/html' },
  })
  const [, command = ''] = /<code>tributary (pull [^<]+)<\/code>/.exec(await page.text()) ?? []
  const args = command.replace(`--out ${slug}.ndjson`, `--out ${newName()}.ndjson`).split(' ')
  const { code, err } = await callTool(key, args)
  expect({ code, err }).toMatchObject({ code: 0 })
  expect(err).toContain(`Pulled ${applications.length} applications`)
})

test('the Power Query sample contains the text that EXCEL.md says to replace', async () => {
  const { code } = codeSamples(service.baseUrl, slug).find(sample => sample.id === 'power-query')!
  const [, replaced = ''] =
    /replace `([^`]+)`/.exec(await Bun.file(join(import.meta.dir, '../../../src/clients/pull/EXCEL.md')).text()) ?? []
  expect(replaced).not.toBe('')
  expect(code).toContain(replaced)
})

test('columns keep their names and positions when the program grows, and earlier rows equal those of a pull of everything', async () => {
  const asked = { optional: true }
  const first = [
    q.text('last of all', asked),
    q.checkbox('pets', ['cat', 'dog'], asked),
    q.enumerator('child', [q.date('born', asked)], asked),
  ]
  await publish(sql, { slug: 'growing', questions: first })
  const frontEnd = new FrontEnd(service, key, 'growing')
  const name = newName()
  const args = ['--program', 'growing', '--since-last', '--multi', 'columns']
  const child = (entity_name: string) => ({ entity_name, born: { date: '2020-02-29' } })
  await frontEnd.apply(await frontEnd.register(), {
    last_of_all: { text: '=1+1 "quoted"\r\nsecond line' },
    pets: { selections: ['dog'] },
    child: { entities: [child('Ada')] },
  })
  await pull(name, ...args)
  const before = { apps: read(`${name}.csv`), children: read(`${name}.child.csv`) }

  await publish(sql, {
    slug: 'growing',
    questions: [
      q.text('first of all', asked),
      q.checkbox('pets', ['bird', 'cat', 'dog'], asked),
      q.enumerator('child', [q.text('nickname', asked), q.date('born', asked), q.enumerator('toy', [], asked)], asked),
      q.text('last of all', asked),
    ],
  })
  await frontEnd.apply(await frontEnd.register(), {
    first_of_all: { text: 'new' },
    pets: { selections: ['bird'] },
    child: { entities: [{ ...child('Bo'), nickname: { text: 'B' }, toy: { entities: [{ entity_name: 'Bear' }] } }] },
  })
  await pull(name, ...args)
  const after = { apps: read(`${name}.csv`), children: read(`${name}.child.csv`), toys: read(`${name}.child.toy.csv`) }
  for (const table of ['apps', 'children'] as const) {
    const known = before[table].columns
    expect(after[table].columns.slice(0, known.length)).toEqual(known)
    const added = after[table].columns.slice(known.length)
    expect(added.length).toBeGreaterThan(1)
    expect(after[table].rows[0]).toMatchObject(before[table].rows[0]!)
    expect(after[table].rows).toHaveLength(2)
  }
  const fresh = newName()
  await pull(fresh, '--program', 'growing', '--multi', 'columns')
  const inOrder = (rows: Row[]) => rows.map(row => Object.fromEntries(Object.entries(row).sort()))
  for (const [table, ending] of [
    ['apps', '.csv'],
    ['children', '.child.csv'],
    ['toys', '.child.toy.csv'],
  ] as const)
    expect(inOrder(after[table].rows)).toEqual(inOrder(read(fresh + ending).rows))
  expect(after.apps.columns).toContain('pets.selections.bird')
  expect(after.apps.rows[1]).toMatchObject({
    'pets.selections.bird': 'true',
    'pets.selections.dog': 'false',
    'first_of_all.text': 'new',
  })
  expect(after.toys.rows).toMatchObject([{ entity_path: '0.0', parent_path: '0', entity_name: 'Bear' }])
  expect(await callTool(key, ['verify', `${name}.csv`])).toMatchObject({ code: 0 })

  // Nothing is added to it laid out in another way, nor where one of its tables is another or none.
  const refused = async (...more: string[]) => {
    const ended = await callTool(key, ['pull', service.baseUrl, '--out', `${name}.csv`, ...args.slice(0, 3), ...more])
    expect(ended.code).toBe(2)
    return ended.err
  }
  expect(await refused()).toMatch(/ --multi columns\b.* --multi one\b/)
  appendFileSync(`${name}.child.csv`, '\r\n')
  expect(await refused(...args.slice(3))).toContain('.child.csv ')
  rmSync(`${name}.child.toy.csv`)
  expect(await refused(...args.slice(3))).toContain('.child.toy.csv ')
})
