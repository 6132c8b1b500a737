import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { inOneLine, rowsInOneLine } from '../../../../src/core/export/framings/one-line.ts'
import { splicedRows } from '../../../../src/core/export/framings/splice.ts'
import { planFill } from '../../../../src/domain/questions/version-fill.ts'
import { storedRow } from '../../../support/stored-row.ts'

const fill = planFill([], [])
const lines = rowsInOneLine(splicedRows)
/** What readers of lines take for an end of one: Python, Java, Node and Bun. */
const ends = /[\u2028\u2029\u0085]/
const character = fc.constantFrom('\u2028', '\u2029', '\u0085', 'é', '“', '¿', 'a', '\\', '"', '\u0080', '🏠')
const words = fc.array(character, { maxLength: 30 }).map(all => all.join(''))
const rowOf = (text: string, note: string) => ({
  ...storedRow(`{"application":{"a":${JSON.stringify(text)}`, `"application_note":${JSON.stringify(note)}`, true),
  programVersionId: 1,
})

test('D47: the JSON value of a row is unchanged, contains no line break for any reader, and fits in its computed size', () => {
  fc.assert(
    fc.property(words, words, (text, note) => {
      const row = rowOf(text, note)
      const target = Buffer.alloc(lines.bytes(row, fill) + 3)
      const end = lines.write(target, 3, row, fill)
      const line = target.toString('utf8', 3, end)
      expect(line).not.toMatch(ends)
      const plain = Buffer.alloc(splicedRows.bytes(row, fill))
      splicedRows.write(plain, 0, row, fill)
      expect(JSON.parse(line)).toEqual(JSON.parse(plain.toString()))
      expect(line).toBe(inOneLine(plain.toString()))
      // One byte less is refused, and not written past its end.
      const narrow = Buffer.alloc(end - 3 - 1)
      expect(lines.write(narrow, 0, row, fill)).toBe(-1)
    }),
  )
})
