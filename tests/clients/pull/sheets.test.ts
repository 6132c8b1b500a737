// `tributary pull` into a workbook and into an archive of CSV files: every value of the walk, in the words of the program.

import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { seedPrograms } from '../../../scripts/seed-program/seed-programs.ts'
import { integerFrom, seededRandom } from '../../../src/domain/random/seeded-random.ts'
import { expectedRows, keyedRows, textsOf } from '../../support/expected-sheets.ts'
import { ExportClient } from '../../support/export-client.ts'
import { useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { sheetsInXlsx, zipEntries } from '../../support/read-workbook.ts'
import { endOf } from '../../support/run.ts'
import { callTool, startTool } from '../../support/tributary-tool.ts'
import { until } from '../../support/until.ts'

const slug = 'utility-assistance'
const database = await useDatabase()
const { sql } = database
const now = Date.UTC(2026, 0, 31) * 1000
await seedPrograms(sql, { programs: [{ slug, applications: 150 }], now, timeZone: 'UTC', actor: 'test' })
const service = await useService(database)
const key = await createTestKey(sql, { programs: [slug] })
const folder = await useFolder()
const applications = await new ExportClient(service, key, slug).walkAll()
const expected = expectedRows(applications, await textsOf(sql, slug))

const pull = (out: string, ...more: string[]) =>
  callTool(key, ['pull', service.baseUrl, '--program', slug, '--out', join(folder, out), ...more])

test('a workbook has every value of the walk, with option labels', async () => {
  expect(await pull('apps.xlsx')).toMatchObject({ code: 0 })
  const sheets = sheetsInXlsx(readFileSync(join(folder, 'apps.xlsx')))
  expect(sheets.map(({ name }) => name)).toEqual(['Applications', 'Household members', 'Household members – jobs'])
  for (const [i, rows] of [...expected.values()].entries()) {
    expect(rows.length).toBeGreaterThan(20)
    expect(keyedRows(sheets[i]!)).toEqual(rows)
  }
  expect(await callTool(key, ['verify', join(folder, 'apps.xlsx')])).toMatchObject({
    code: 0,
    out: expect.stringContaining('150'),
  })
})

test('an archive has the same rows as CSV, with full times and unlimited texts', async () => {
  expect(await pull('apps.zip')).toMatchObject({ code: 0 })
  const files = zipEntries(readFileSync(join(folder, 'apps.zip')))
  expect([...files.keys()]).toEqual(['applications.csv', 'household_members.csv', 'household_members.jobs.csv'])
  for (const [i, rows] of [...expected.values()].entries()) {
    const [, keys = [], ...records] = parse([...files.values()][i]!, {
      bom: true,
      record_delimiter: '\r\n',
    }) as string[][]
    const found = records.map(cells => Object.fromEntries(cells.map((cell, i) => [keys[i]!, plain(keys[i]!, cell)])))
    expect(found).toEqual(
      rows.map(row => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, plain(name, cell ?? '')]))),
    )
  }
})

/** A cell of CSV and one of a workbook in the same form. */
const plain = (key: string, cell: unknown): string =>
  String(cell)
    .replace(/^'/, '')
    .replace(key.endsWith('_time') ? /(?<=:\d\d)[+-]\d\d:\d\d$/ : /T00:00:00$/, '')

describe('options of workbooks and archives', () => {
  test.each(['xlsx', 'zip'])('--since-last and --exact-csv are refused for .%s', async ending => {
    for (const option of ['--since-last', '--exact-csv'])
      expect(await pull(`refused.${ending}`, option)).toMatchObject({ code: 2, err: expect.stringContaining(option) })
    expect(existsSync(join(folder, `refused.${ending}`))).toBe(false)
  })
})

/** All rows of a workbook or an archive. Throws where the file is not whole. */
const rowsIn = (file: string): number =>
  file.endsWith('.xlsx')
    ? sheetsInXlsx(readFileSync(file)).reduce((sum, { rows }) => sum + rows.length, 0)
    : [...zipEntries(readFileSync(file)).values()].reduce((sum, text) => sum + parse(text, { bom: true }).length, 0)

test.each(['xlsx', 'zip'])(
  'a pull killed at random while writing .%s leaves no partial file, and the next run completes it',
  async ending => {
    const name = `killed.${ending}`
    const out = join(folder, name)
    expect(await pull(name)).toMatchObject({ code: 0 })
    const whole = rowsIn(out)
    const next = seededRandom(4711)
    let killed = 0
    while (killed < 6) {
      rmSync(out, { force: true })
      const child = startTool(key, ['pull', service.baseUrl, '--program', slug, '--out', out])
      const ended = endOf(child)
      // Its time from the first byte of the file on.
      await until('the output', () => existsSync(`${out}.part`) || child.exitCode !== null)
      await Bun.sleep(integerFrom(next, 0, 120))
      child.kill('SIGKILL')
      await ended
      if (child.signalCode !== 'SIGKILL') continue
      killed++
      if (existsSync(out)) expect(rowsIn(out)).toBe(whole)
      expect(await pull(name)).toMatchObject({ code: 0 })
      expect(rowsIn(out)).toBe(whole)
      expect(readdirSync(folder).filter(file => file.startsWith(name))).toEqual([name, `${name}.pull`])
    }
  },
  120_000,
)
