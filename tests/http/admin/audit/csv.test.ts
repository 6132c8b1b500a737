// CSV as RFC 4180 has it, and no cell of it a formula.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { csvLine } from '../../../../src/http/admin/audit/csv.ts'

test('every cell is in quotes, quotes are doubled, a line ends in CR LF', () => {
  expect(csvLine(['a', 'b "c"', '', 'd,e', 'f\ng'])).toBe('"a","b ""c""","","d,e","f\ng"\r\n')
})

test.each([
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '＝1',
  '＋1',
  '－1',
  '＠x',
  '=HYPERLINK("http://x")',
])('what a spreadsheet would compute is text: %j', text => {
  expect(csvLine([text])).toBe(`"'${text.replaceAll('"', '""')}"\r\n`)
})

test('whatever the cells hold, they are read back as they were, but for the apostrophe', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), cells => {
      expect(readLine(csvLine(cells))).toEqual(
        cells.map(cell => (/^[=+\-@\t\r\n＝＋－＠]/u.test(cell) ? `'${cell}` : cell)),
      )
    }),
  )
})

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
