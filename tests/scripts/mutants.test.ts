// scripts/mutants says in one sentence what is wrong with its arguments.

import { expect, test } from 'bun:test'
import { join } from 'node:path'

const script = join(import.meta.dir, '../../scripts/mutants.ts')

test.each([
  [['src/no-such-file.ts'], 'There is no file src/no-such-file.ts.'],
  [['--nearest', 'all', 'src/log.ts'], '--nearest must be a whole number above 0, and is all.'],
  [['--since', 'no-such-revision'], '--since no-such-revision:'],
  [['--since', 'HEAD', '--colour'], '--colour'],
])('%p is wrong usage', (args, sentence) => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, script, ...args])
  expect(stderr.toString()).toContain(sentence)
  expect(exitCode).toBe(2)
})
