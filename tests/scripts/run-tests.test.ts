// scripts/test says in one sentence what is wrong with its arguments, and the lists of tests name what is there.

import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { endWithTest, useFolder } from '../support/fixtures.ts'

const root = join(import.meta.dir, '../..')

test.each([
  [['tests/no-such.test.ts'], 'There is no file or folder tests/no-such.test.ts.'],
  [['--seed', 'x'], '--seed must be a whole number above 0, and is x.'],
  [['--long', 'tests/http'], '--long chooses the files; name none alongside it.'],
  [['--deadline', 'soon'], '--deadline must be a number of minutes, and is soon.'],
  [['--deadline', '0'], '--deadline must be a number of minutes, and is 0.'],
])('%p is wrong usage', (args, sentence) => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, join(root, 'scripts/testing/run-tests.ts'), ...args])
  expect(stderr.toString()).toContain(sentence)
  expect(exitCode).toBe(2)
})

describe('--repeat-failed, as CI runs the tests', () => {
  /** Runs so many files, each with a test that fails the first `times`; how often each ran, and which were named as unsteady. */
  async function run(files: number, times: number, options: readonly string[]) {
    const folder = await useFolder(endWithTest)
    const names = Array.from({ length: files }, (_, i) => join(folder, `${i}.test.ts`))
    for (const name of names)
      await Bun.write(
        name,
        `import { expect, test } from 'bun:test'
        import { appendFileSync, readFileSync } from 'node:fs'
        test('one', () => {
          appendFileSync('${name}.runs', 'x')
          expect(readFileSync('${name}.runs', 'utf8').length).toBeGreaterThan(${times})
        })`,
      )
    const paths = names.map(name => relative(root, name))
    const command = [process.execPath, join(root, 'scripts/testing/run-tests.ts'), ...options, ...paths]
    const { exitCode, stdout } = Bun.spawnSync(command, { stderr: 'ignore' })
    const runs = names.map(name => readFileSync(`${name}.runs`, 'utf8').length)
    const unsteady = [...stdout.toString().matchAll(/^Unsteady: .*\/(\d)\.test\.ts/gm)].map(([, n]) => n)
    return { exitCode, runs, unsteady: unsteady.toSorted() }
  }

  test('one or two files that fail are run once more by themselves, and named where they pass then', async () => {
    expect(await run(2, 1, ['--repeat-failed'])).toEqual({ exitCode: 0, runs: [2, 2], unsteady: ['0', '1'] })
    expect(await run(1, 0, ['--repeat-failed'])).toEqual({ exitCode: 0, runs: [1], unsteady: [] })
  })

  test('an error fails twice, and three files do not fail by chance', async () => {
    expect(await run(1, 2, ['--repeat-failed'])).toEqual({ exitCode: 1, runs: [2], unsteady: [] })
    expect(await run(3, 1, ['--repeat-failed'])).toEqual({ exitCode: 1, runs: [1, 1, 1], unsteady: [] })
  })

  test('nothing is repeated without it, and CI gives it', async () => {
    expect(await run(1, 1, [])).toEqual({ exitCode: 1, runs: [1], unsteady: [] })
    expect(readFileSync(join(root, '.ci/run'), 'utf8')).toMatch(/scripts\/test .*--repeat-failed/)
  })
})

test('a run that does not end is ended at the deadline, named with its file, and has failed, whatever passes later', async () => {
  const folder = await useFolder(endWithTest)
  const end = async (name: string, hanging: string) => {
    const path = join(folder, `${name}.test.ts`)
    // Once: alone, the second time, it would pass.
    await Bun.write(
      path,
      `import { existsSync, writeFileSync } from 'node:fs'
      import { test } from 'bun:test'
      const isFirst = !existsSync('${path}.ran')
      if (isFirst) writeFileSync('${path}.ran', String(Bun.spawn(['sleep', '120']).pid))
      ${hanging}`,
    )
    const command = [process.execPath, join(root, 'scripts/testing/run-tests.ts')]
    const options = ['--deadline', '0.15', '--repeat-failed', relative(root, path)]
    const run = Bun.spawn([...command, ...options], { stdout: 'ignore', stderr: 'pipe' })
    const said = await run.stderr.text()
    expect(said).toMatch(
      new RegExp(`Hangs: process \\d+ was ended after 0\\.15 minutes, in \\S*/${name}\\.test\\.ts\\.`),
    )
    expect(await run.exited).toBe(1)
    // It held the output open.
    process.kill(Number(readFileSync(`${path}.ran`, 'utf8')))
  }
  await Promise.all([
    end('loops', "test('one', () => { while (isFirst); })"),
    end('waits', "if (isFirst) await new Promise(() => {})\ntest('one', () => {})"),
  ])
})

test('tests/long-tests.txt lists what is there, each once', () => {
  const lines = readFileSync(join(root, 'tests/long-tests.txt'), 'utf8').split('\n')
  const paths = lines.map(line => line.replace(/#.*/, '').trim()).filter(line => line !== '')
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter(path => !existsSync(join(root, path)))).toEqual([])
  expect(paths.toSorted()).toEqual([...new Set(paths)].toSorted())
})
