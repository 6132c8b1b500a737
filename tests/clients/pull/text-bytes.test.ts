// Rows of tables as bytes, against the texts that they are the bytes of.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { csvRecord } from '../../../src/base/csv-text.ts'
import { addRecord } from '../../../src/clients/pull/formats/csv-format.ts'
import { addCopyLine } from '../../../src/clients/pull/postgres/postgres-text.ts'
import { escapesFor, TextBytes } from '../../../src/clients/pull/spool/text-bytes.ts'

const signs = fc.constantFrom(
  '"',
  '\0',
  '\\',
  '\t',
  '\r',
  '\n',
  ';',
  "'",
  '=',
  '+',
  '-',
  '7',
  '.',
  '＝',
  'é',
  '東',
  '\ud83c',
  '🏠',
)
const text = fc.oneof(
  fc.string({ unit: signs }),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: signs, minLength: 1000 }),
)
const cell = fc.oneof(text, fc.array(text), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null))

test('a record of any length has the bytes of its text, for spreadsheets and for programs', () => {
  const bytes = new TextBytes()
  fc.assert(
    fc.property(fc.array(cell), fc.boolean(), (cells, exact) => {
      addRecord(bytes, cells, exact)
      expect(bytes.take().toString('hex')).toBe(Buffer.from(csvRecord(cells, exact)).toString('hex'))
    }),
  )
})

test('escaping can make a text several times longer, beyond the memory allocated at first', () => {
  const bytes = new TextBytes()
  const long = 'é🏠"'.repeat(200_000)
  bytes.add('first')
  bytes.add(long, escapesFor({ '"': '<quotation mark>' }))
  expect(bytes.take().toString()).toBe(`first${long.replaceAll('"', '<quotation mark>')}`)
  expect(bytes.take().length).toBe(0)
})

test('a COPY line keeps its columns and its end, whatever its texts contain', () => {
  const bytes = new TextBytes()
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1 }), cells => {
      addCopyLine(bytes, cells)
      const line = bytes.take().toString()
      expect(line.slice(0, -1)).not.toMatch(/[\0\r\n]/)
      expect(line.split('\t').length).toBe(cells.length)
      expect(line.endsWith('\n')).toBe(true)
    }),
  )
})
