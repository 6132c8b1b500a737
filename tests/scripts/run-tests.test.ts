// scripts/test says in one sentence what is wrong with its arguments, and the lists of tests name what is there.

import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '../..')

test.each([
  [['tests/no-such.test.ts'], 'There is no file or folder tests/no-such.test.ts.'],
  [['--seed', 'x'], '--seed must be a whole number above 0, and is x.'],
  [['--long', 'tests/http'], '--long chooses the files; name none beside it.'],
])('%p is wrong usage', (args, sentence) => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, join(root, 'scripts/run-tests.ts'), ...args])
  expect(stderr.toString()).toContain(sentence)
  expect(exitCode).toBe(2)
})

test('tests/long-tests.txt lists what is there, each once', () => {
  const lines = readFileSync(join(root, 'tests/long-tests.txt'), 'utf8').split('\n')
  const paths = lines.map(line => line.replace(/#.*/, '').trim()).filter(line => line !== '')
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter(path => !existsSync(join(root, path)))).toEqual([])
  expect(paths.toSorted()).toEqual([...new Set(paths)].toSorted())
})
