// Where lines wait that were pulled: what a pull that was ended left there beyond what its state knows is dropped.

import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileLines } from '../../../src/clients/pull/spool/file-lines.ts'
import { Spool } from '../../../src/clients/pull/spool/spool.ts'
import { useFolder } from '../../support/fixtures.ts'

const path = join(await useFolder(), 'apps.part')

test('continues after what is known to be whole, whatever was written after it; and not where some of that is missing', () => {
  writeFileSync(path, '{"a":1}\n{"a":2}\n{"a"')
  const spool = Spool.open(path, 8)
  spool.add(Buffer.from('{"a":3}\n'))
  spool.sync()
  expect([spool.bytes, readFileSync(path, 'utf8')]).toEqual([16, '{"a":1}\n{"a":3}\n'])
  spool.close()
  expect(() => Spool.open(path, 17)).toThrow(path)
  expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n{"a":3}\n')
})

test('lines are read whole, also one that is longer than several pieces of the file', async () => {
  const lines = ['a', 'b'.repeat(3_500_000), '', 'c']
  writeFileSync(path, lines.join('\n'))
  const found: string[] = []
  for await (const some of fileLines(path)) found.push(...some.map(String))
  expect(found).toEqual(lines)
})
