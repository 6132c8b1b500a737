// What happens on a machine that lacks what some tests need: it is said, or it is a failure, and never silent.

import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useFolder } from '../support/fixtures.ts'
import { run } from '../support/run.ts'

const support = join(import.meta.dir, '../support')
const folder = await useFolder()

/** Runs a test file that needs Redis, with nothing on PATH. */
async function runWithNothing(environment: Record<string, string>) {
  const file = join(folder, 'wants.test.ts')
  await Bun.write(
    file,
    `import { describe, expect, test } from 'bun:test'
     import { needs } from '${support}/needs.ts'
     describe.skipIf(!needs('redis'))('with Redis', () => test('runs', () => expect(1).toBe(2)))
     test('runs anywhere', () => expect(1).toBe(1))`,
  )
  const { code, out, err } = await run([process.execPath, 'test', '--preload', join(support, 'preload.ts'), file], {
    cwd: folder,
    env: { PATH: folder, NO_COLOR: '1', ...environment },
  })
  return { said: out + err, code }
}

test('a run without a needed program passes, and ends with what did not run and how to install the program', async () => {
  const { said, code } = await runWithNothing({})
  expect(code).toBe(0)
  expect(said).toContain('1 skip')
  expect(said).toContain('  redis: apt-get install redis-server\n    wants.test.ts\n')
})

test('the report of skipped tests goes into the file named by TRIBUTARY_NOT_RUN, for scripts/test to print last', async () => {
  const file = join(folder, 'not-run')
  expect((await runWithNothing({ TRIBUTARY_NOT_RUN: file })).said).not.toContain('apt-get install')
  expect(await readFile(file, 'utf8')).toContain('redis: apt-get install redis-server')
})

test('a missing program fails the run if CI is set', async () => {
  const { said, code } = await runWithNothing({ CI: 'true' })
  expect(code).not.toBe(0)
  expect(said).toContain('These tests need redis, and CI is set: apt-get install redis-server')
})
