// `tributary pull --language`: labels and texts in a language of the program, while keys, IDs and columns stay.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram } from '../../support/programs.ts'
import { sheetsInXlsx } from '../../support/read-workbook.ts'
import { callTool } from '../../support/tributary-tool.ts'
import { type Tag, textIn, trilingualProgram } from '../../support/trilingual-program.ts'

const slug = 'three-languages'
const database = await useDatabase()
await aProgram(database.sql, trilingualProgram(slug))
const service = await useService(database)
const key = await createTestKey(database.sql, { programs: [slug], maySubmit: true })
const folder = await useFolder()
const frontEnd = new FrontEnd(service, key, slug)
await frontEnd.apply(await frontEnd.register(), { owns_home: { selection: 'owner' } })
await frontEnd.apply(await frontEnd.register(), {
  owns_home: { selection: 'tenant' },
  monthly_rent: { currency_dollars: 900 },
})

const pull = (out: string, ...more: string[]) =>
  callTool(key, ['pull', service.baseUrl, '--program', slug, '--out', join(folder, out), ...more])

const rowsOf = (file: string): string[][] =>
  parse(readFileSync(join(folder, file), 'utf8'), { bom: true, record_delimiter: '\r\n' })

const tags: Tag[] = ['en', 'es', 'ar']

test.each(tags)('in %s, CSV has the labels of that language, and the columns of every language', async tag => {
  expect(await pull(`${tag}.csv`, '--option-labels', '--language', tag)).toMatchObject({ code: 0 })
  const [columns, ...rows] = rowsOf(`${tag}.csv`)
  const at = columns!.indexOf('owns_home.selection')
  // The first two: a test below adds a third.
  expect(rows.slice(0, 2).map(row => row[at])).toEqual([textIn('yes', tag), textIn('no', tag)])
  await pull(`${tag}-plain.csv`)
  const [plainColumns, ...plainRows] = rowsOf(`${tag}-plain.csv`)
  expect(columns).toEqual(plainColumns)
  expect(rows.map(row => row.toSpliced(at, 1))).toEqual(plainRows.map(row => row.toSpliced(at, 1)))
})

test.each(tags)('in %s, a workbook has question texts and labels of that language', async tag => {
  expect(await pull(`${tag}.xlsx`, '--language', tag)).toMatchObject({ code: 0 })
  const { rows } = sheetsInXlsx(readFileSync(join(folder, `${tag}.xlsx`)))[0]!
  const at = rows[1]!.indexOf('owns_home.selection')
  expect(rows.slice(0, 4).map(row => row[at])).toEqual([
    textIn('owner', tag),
    'owns_home.selection',
    textIn('yes', tag),
    textIn('no', tag),
  ])
})

test('a regional variant of a language selects the language', async () => {
  expect(await pull('form.csv', '--option-labels', '--language', 'es-mx')).toMatchObject({ code: 0 })
  expect(rowsOf('form.csv')[1]).toContain(textIn('yes', 'es'))
})

test('a language that the program lacks ends the pull before anything is written', async () => {
  const ended = await pull('french.csv', '--option-labels', '--language', 'fr')
  expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('en, es, ar') })
  expect(() => rowsOf('french.csv')).toThrow()
})

test.each([
  ['lines, which have no labels', 'lines.ndjson', ['--option-labels', '--language', 'es']],
  ['a table of IDs', 'ids.csv', ['--language', 'es']],
  ['an invalid tag', 'tag.csv', ['--option-labels', '--language', 'spanish!']],
])('--language is refused for %s', async (_, out, options) => {
  expect(await pull(out, ...options)).toMatchObject({ code: 2, err: expect.stringContaining('--language') })
})

test('an output keeps its language', async () => {
  expect(await pull('kept.csv', '--option-labels', '--language', 'es')).toMatchObject({ code: 0 })
  expect(await pull('kept.csv', '--option-labels', '--since-last')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--language es'),
  })
  expect(await pull('kept.csv', '--option-labels', '--since-last', '--language', 'ES')).toMatchObject({ code: 0 })
  await frontEnd.apply(await frontEnd.register(), { owns_home: { selection: 'owner' } })
  expect(await pull('kept.csv', '--option-labels', '--since-last', '--language', 'es')).toMatchObject({ code: 0 })
  const [columns, ...rows] = rowsOf('kept.csv')
  const at = columns!.indexOf('owns_home.selection')
  expect(rows.map(row => row[at])).toEqual([textIn('yes', 'es'), textIn('no', 'es'), textIn('yes', 'es')])
})
