// Where lines wait that were pulled: what a pull that was ended left there beyond what its state knows is dropped.

import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { fileLines } from '../../../src/clients/pull/spool/file-lines.ts'
import { Spool } from '../../../src/clients/pull/spool/spool.ts'
import { TextBytes } from '../../../src/clients/pull/spool/text-bytes.ts'
import { useFolder } from '../../support/fixtures.ts'

const path = join(await useFolder(), 'apps.part')

test('a spool continues after its known complete part, whatever follows it, and fails if some of it is missing', () => {
  writeFileSync(path, '{"a":1}\n{"a":2}\n{"a"')
  const spool = Spool.open(path, 8)
  spool.add(Buffer.from('{"a":3}\n'))
  spool.sync()
  expect([spool.bytes, readFileSync(path, 'utf8')]).toEqual([16, '{"a":1}\n{"a":3}\n'])
  spool.close()
  expect(() => Spool.open(path, 17)).toThrow(path)
  expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n{"a":3}\n')
})

test('lines are read completely, even if one is longer than several chunks of the file', async () => {
  const lines = ['a', 'b'.repeat(3_500_000), '', 'c']
  writeFileSync(path, lines.join('\n'))
  const found: string[] = []
  for await (const some of fileLines(path)) found.push(...some.map(String))
  expect(found).toEqual(lines)
})

test('texts of any length are concatenated as UTF-8', () => {
  const text = fc.string({ unit: 'binary', maxLength: 3000 })
  fc.assert(
    fc.property(fc.array(fc.array(fc.tuple(text, fc.integer({ min: 1, max: 90 })))), batches => {
      const bytes = new TextBytes()
      for (const batch of batches) {
        const texts = batch.map(([piece, times]) => piece.repeat(times))
        for (const piece of texts) bytes.add(piece)
        expect(bytes.take().equals(Buffer.concat(texts.map(piece => Buffer.from(piece))))).toBe(true)
      }
    }),
  )
})
