// A workbook and its archive of CSV files hold every value of their sheets, as two readers of XLSX and one of CSV find them.

import { describe, expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { readSheet } from 'read-excel-file/node'
import { csvArchive } from '../../src/base/tables/csv-archive.ts'
import { UniqueNames } from '../../src/base/tables/sheet-names.ts'
import { type Sheet, sheetColumnsMax, sheetsOf, TooWide } from '../../src/base/tables/sheets.ts'
import type { ColumnKind } from '../../src/base/tables/table-plan.ts'
import type { Cell } from '../../src/base/tables/table-rows.ts'
import { cellLengthMax, workbook } from '../../src/base/tables/workbook.ts'
import { zipFile } from '../../src/base/tables/zip-file.ts'
import { sheetsInXlsx, zipEntries } from '../support/read-workbook.ts'

const gathered = async (bytes: AsyncIterable<Buffer>): Promise<Buffer> => Buffer.concat(await Array.fromAsync(bytes))

function sheet(kinds: readonly ColumnKind[], rows: readonly (readonly Cell[])[], name = 'Applications'): Sheet {
  const columns = kinds.map((kind, i) => ({ name: `key_${i}`, heading: `Heading ${i}?`, kind }))
  return {
    name,
    file: name,
    columns,
    rows: async function* () {
      for (let at = 0; at < rows.length; at += 3) yield rows.slice(at, at + 3)
    },
  }
}

const valuesOf = async (kind: ColumnKind, cells: readonly Cell[]): Promise<unknown[]> => {
  const bytes = await gathered(
    workbook([
      sheet(
        ['integer', kind],
        cells.map((cell, i) => [i, cell]),
      ),
    ]),
  )
  const [{ rows } = { rows: [] }] = sheetsInXlsx(bytes)
  return rows.slice(2).map(row => row[1] ?? null)
}

const odd = [
  '=1+1',
  '+1',
  '-1',
  '@sum',
  '007',
  '+12065550100',
  '  spaces  ',
  '<b>&"\'',
  'a\nb',
  'a\r\nb',
  'a\rb',
  'tab\tx',
  'zero\0x',
  '\u001f\u0001',
  '_x0041_',
  '_x005F_',
  '\ufffe',
  'é',
  'e\u0301',
  '👩‍👧',
  'TRUE',
  '1e5',
  '2026-01-31',
]

describe('texts', () => {
  test('stay texts, character by character, whatever they look like', async () => {
    expect(await valuesOf('text', odd)).toEqual(odd)
    const bytes = await gathered(
      workbook([
        sheet(
          ['text'],
          odd.map(text => [text]),
        ),
      ]),
    )
    const [{ cells } = { cells: [] }] = sheetsInXlsx(bytes)
    expect(cells.slice(2).every(([cell]) => cell!.t === 's' && cell!.f === undefined)).toBe(true)
  })

  test('are read back unchanged, whatever they contain', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1 }), async texts => {
        expect(await valuesOf('text', texts)).toEqual(texts.map(text => text.toWellFormed()))
      }),
      { numRuns: 60 },
    )
  })

  test('too long for a cell are cut, and the cell says so', async () => {
    const notes = { cutCells: 0, continued: [] }
    const long = `${'x'.repeat(cellLengthMax - 27)}👩${'y'.repeat(9000)}`
    const rows = [['z'.repeat(cellLengthMax)], [long]]
    const bytes = await gathered(workbook([sheet(['text'], rows)], notes))
    const [whole, cut] = sheetsInXlsx(bytes)[0]!
      .rows.slice(2)
      .map(([text]) => String(text))
    expect(whole).toBe('z'.repeat(cellLengthMax))
    expect(cut!.length).toBeLessThanOrEqual(cellLengthMax)
    expect(cut).toBe(cut!.toWellFormed())
    expect(cut).toContain(long.length.toLocaleString('en-US'))
    expect(notes.cutCells).toBe(1)
    // An archive has no such limit.
    expect(csvRows(await gathered(csvArchive([sheet(['text'], rows)])))[3]).toEqual([long])
  })
})

test('numbers, amounts, dates, times and booleans have types, and a list is one text', async () => {
  expect(await valuesOf('money', [0, 12.5, -4560.74, 12345678901234.56])).toEqual([
    0,
    12.5,
    -4560.74,
    '12345678901234.56',
  ])
  expect(await valuesOf('integer', [1, 999_999_999_999_999, 1_000_000_000_000_001])).toEqual([
    1,
    999_999_999_999_999,
    '1000000000000001',
  ])
  expect(await valuesOf('boolean', [true, false, null])).toEqual([true, false, null])
  expect(await valuesOf('list', [['Water', 'Sewer'], [], ['Gas']])).toEqual(['Water; Sewer', null, 'Gas'])
  const days = ['1900-03-01', '1962-08-27', '2026-02-28', '9999-12-31']
  expect(await valuesOf('date', days)).toEqual(days.map(day => `${day}T00:00:00`))
  // Excel has a 29 February 1900, and nothing before that year.
  expect(await valuesOf('date', ['1900-02-28', '0042-01-01'])).toEqual(['1900-02-28', '0042-01-01'])
  const times = ['2026-01-31T23:59:59-08:00', '2025-11-26T21:27:25+00:00']
  expect(await valuesOf('time', times)).toEqual(['2026-01-31T23:59:59', '2025-11-26T21:27:25'])
})

test('another workbook reader finds the same content', async () => {
  const rows: Cell[][] = odd.map((text, i) => [i, text, '2026-02-28', i / 4])
  const bytes = await gathered(workbook([sheet(['integer', 'text', 'date', 'money'], rows)]))
  const found = await readSheet(bytes, { trim: false })
  expect(found.slice(0, 2)).toEqual(
    [0, 1].map(row => [0, 1, 2, 3].map(i => (row === 0 ? `Heading ${i}?` : `key_${i}`))),
  )
  expect(found.slice(2)).toEqual(
    rows.map(([i, text, day, amount]) => [i, text, new Date(`${day}T00:00:00Z`), amount]) as never,
  )
})

test('headings and keys stay in view, and the filter covers keys and rows', async () => {
  const bytes = await gathered(
    workbook([
      sheet(
        ['text', 'text'],
        [
          ['a', 'b'],
          ['c', 'd'],
        ],
      ),
      sheet(['text'], [], 'None'),
    ]),
  )
  const entries = zipEntries(bytes)
  const [item, none] = [1, 2].map(n => entries.get(`xl/worksheets/sheet${n}.xml`)!.toString())
  expect(item).toContain('<pane ySplit="2" topLeftCell="A3" activePane="bottomLeft" state="frozen"/>')
  expect(item).toContain('<autoFilter ref="A2:B4"/>')
  expect(none).toContain('<autoFilter ref="A2:A2"/>')
})

test('a full sheet continues in another sheet with the same headings', async () => {
  const rows = Array.from({ length: 25 }, (_, i) => [i])
  const notes = { cutCells: 0, continued: [] as string[] }
  const found = sheetsInXlsx(
    await gathered(workbook([sheet(['integer'], rows), sheet(['integer'], [[7]], 'Jobs')], notes, 12)),
  )
  expect(found.map(({ name }) => name)).toEqual(['Applications', 'Applications (2)', 'Applications (3)', 'Jobs'])
  expect(found.flatMap(({ rows }) => rows.slice(2).flat())).toEqual([...rows.flat(), 7])
  expect(found.every(({ rows }) => rows[1]![0] === 'key_0')).toBe(true)
  expect(notes.continued).toEqual(['Applications (2)', 'Applications (3)'])
  // Not for no rows.
  expect(sheetsInXlsx(await gathered(workbook([sheet(['integer'], rows.slice(0, 10))], notes, 12)))).toHaveLength(1)
})

test('a table with more columns than a sheet is refused before it is written', () => {
  const columns = Array.from({ length: sheetColumnsMax + 1 }, (_, i) => ({
    name: `c${i}`,
    heading: '',
    kind: 'text' as const,
    field: 'x',
  }))
  expect(() => sheetsOf([{ path: [], columns }], async function* () {})).toThrow(TooWide)
})

test('sheet names are unique and accepted by Excel', () => {
  const names = new UniqueNames()
  const long = 'Household members – previous employers'
  const taken = [
    long,
    long.toUpperCase(),
    'a:b\\c/d?e*f[g]',
    "'quoted'",
    'History',
    '',
    '',
    'Jobs',
    'jobs',
    '👩'.repeat(20),
  ].map(name => names.take(name))
  expect(new Set(taken.map(name => name.toLowerCase())).size).toBe(taken.length)
  for (const name of taken) expect(name).toMatch(/^(?!'|history$)[^:\\/?*[\]]{1,31}(?<!')$/i)
  expect(taken.slice(2, 4)).toEqual(['a b c d e f g', 'quoted'])
})

test('the CSV files of an archive have the same rows, and texts that spreadsheets could run have an apostrophe', async () => {
  const rows: Cell[][] = [[1, '=1+1', ['a;b', 'c'], '2026-01-31T23:59:59-08:00', null]]
  const bytes = await gathered(csvArchive([sheet(['integer', 'text', 'list', 'time', 'money'], rows, 'jobs')]))
  expect([...zipEntries(bytes).keys()]).toEqual(['jobs.csv'])
  expect(csvRows(bytes).slice(1)).toEqual([
    ['key_0', 'key_1', 'key_2', 'key_3', 'key_4'],
    ['1', "'=1+1", 'a;b; c', '2026-01-31T23:59:59-08:00', ''],
  ])
})

const csvRows = (archive: Buffer): string[][] =>
  parse([...zipEntries(archive).values()][0]!, { bom: true, record_delimiter: '\r\n' })

test('a file that is cut off anywhere is not a workbook', async () => {
  const bytes = await gathered(
    workbook([
      sheet(
        ['integer'],
        Array.from({ length: 500 }, (_, i) => [i]),
      ),
    ]),
  )
  for (const part of [0.1, 0.5, 0.9, 0.99]) expect(() => sheetsInXlsx(bytes.subarray(0, bytes.length * part))).toThrow()
})

test('a failure midway reaches the reader, and a reader that stops ends the rows', async () => {
  const failing = {
    ...sheet(['integer'], []),
    rows: async function* () {
      yield [[1]]
      throw new Error('gone')
    },
  }
  await expect(gathered(workbook([failing]))).rejects.toThrow('gone')
  let ended = false
  const endless = {
    name: 'a',
    content: (async function* () {
      try {
        for (;;) yield crypto.getRandomValues(new Uint8Array(60_000))
      } finally {
        ended = true
      }
    })(),
  }
  for await (const _ of zipFile(
    (async function* () {
      yield endless
    })(),
  ))
    break
  expect(ended).toBe(true)
})

test('an archive entry has the content it was given', async () => {
  const given = crypto.getRandomValues(new Uint8Array(50_000))
  const bytes = await gathered(
    zipFile(
      (async function* () {
        yield {
          name: 'a',
          content: (async function* () {
            yield given
          })(),
        }
      })(),
    ),
  )
  expect(zipEntries(bytes).get('a')!.equals(given)).toBe(true)
})
