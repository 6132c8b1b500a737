// CSV as RFC 4180 has it, and no cell of it a formula.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { csvRecord } from '../../src/base/csv-text.ts'
import { writeText } from '../../src/core/export/framings/csv-cells.ts'

test('cells are quoted, quotation marks are doubled, and lines end with CR LF', () => {
  expect(csvRecord(['a', 'b "c"', '', 'd,e', 'f\ng'])).toBe('"a","b ""c""","","d,e","f\ng"\r\n')
})

test.each([
  '=1+1',
  '+1 a',
  '-1-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '＝1',
  '＋1',
  '－1',
  '＠x',
  '=HYPERLINK("http://x")',
  "'=1",
  "'s",
])('a formula is written as text: %j', text => {
  expect(csvRecord([text])).toBe(`"'${text.replaceAll('"', '""')}"\r\n`)
})

test('any cells are read back unchanged, except for the apostrophe that marks text', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), cells => {
      expect(readLine(csvRecord(cells))).toEqual(
        cells.map(cell => cell.replaceAll('\0', '␀')).map(cell => (isGuarded(cell) ? `'${cell}` : cell)),
      )
    }),
  )
})

test.each(['+1', '-1', '+15550100', '-122.5', '47'])(
  'a text that only begins like a number is not a number: %j',
  text => {
    expect(csvRecord([text])).toBe(`"${text}"\r\n`)
  },
)

test('a CSV page writes each text as a CSV record does', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }).map(text => text.toWellFormed()),
    fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n\'＝＋－＠09.;"\\a\0') }),
  )
  fc.assert(
    fc.property(text, text => {
      const stored = Buffer.from(JSON.stringify(text))
      const target = Buffer.alloc(stored.length * 3 + 10)
      for (const isExact of [false, true]) {
        const end = writeText(target, 0, stored, 0, stored.length, stored.includes(92), isExact)
        const cell = csvRecord([isExact ? text.replaceAll('\0', '␀') : text], isExact)
        expect(`${target.toString('utf8', 0, end)}\r\n`).toBe(cell)
      }
    }),
  )
})

const isGuarded = (cell: string): boolean =>
  /^[=+\-@\t\r\n'＝＋－＠]/u.test(cell) && !/^[+-]?[0-9]+(\.[0-9]+)?$/.test(cell)

/** A reader of one line by the grammar of RFC 4180. */
function readLine(line: string): string[] {
  const cells: string[] = []
  let at = 0
  while (line[at] === '"') {
    let cell = ''
    for (at++; line[at] !== '"' || line[at + 1] === '"'; at++) {
      cell += line[at]
      if (line[at] === '"') at++
    }
    cells.push(cell)
    at++
    if (line[at] === ',') at++
  }
  expect(line.slice(at)).toBe('\r\n')
  return cells
}
