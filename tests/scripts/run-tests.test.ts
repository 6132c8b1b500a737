// scripts/test says in one sentence what is wrong with its arguments, and the lists of tests name what is there.

import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, cp, rm, symlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { endWithTest, useFolder } from '../support/fixtures.ts'
import { isInShort } from '../support/needs.ts'

const root = join(import.meta.dir, '../..')

test.each([
  [['tests/no-such.test.ts'], /tests\/no-such\.test\.ts\./],
  [['--seed', 'x'], /^--seed .* x\./],
  [['--long', 'tests/web/http'], /^--long /],
  [['core', 'tests/web/http'], /^core /],
  [['core', 'web'], / core .* web\./],
  [['--deadline', 'soon'], /^--deadline .* soon\./],
  [['--deadline', '0'], /^--deadline .* 0\./],
])('%p is wrong usage, and the error names the argument', (args, named) => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, join(root, 'scripts/testing/run-tests.ts'), ...args])
  expect(stderr.toString()).toMatch(named)
  expect(exitCode).toBe(2)
})

/** Runs these files, by name, as CI does: the exit status, its totals, the unsteady files, and how often each file ran. */
async function runFiles(files: Record<string, string>, options: readonly string[] = ['--repeat-failed']) {
  const folder = await useFolder(endWithTest)
  for (const [name, text] of Object.entries(files))
    await Bun.write(join(folder, `${name}.test.ts`), `import { expect, test } from 'bun:test'\n${text}`)
  const paths = Object.keys(files).map(name => relative(root, join(folder, `${name}.test.ts`)))
  const run = Bun.spawn([process.execPath, join(root, 'scripts/testing/run-tests.ts'), ...options, ...paths], {
    // A test that needs to know whether it is the first attempt keeps a file here.
    env: { ...process.env, FOLDER: folder },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [printed, errors, exitCode] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited])
  const names = (line: string): string[] => [...line.matchAll(/\/(\w+)\.test\.ts/g)].map(([, name]) => name!).toSorted()
  const { 1: passed, 2: failed } = /\n(\d+) passed, (\d+) failed\n$/.exec(printed) ?? []
  return {
    exitCode,
    passed: Number(passed),
    failed: Number(failed),
    unsteady: names(/^Unsteady: .*/m.exec(printed)?.[0] ?? ''),
    runs: (name: string) => readFileSync(join(folder, `${name}.runs`), 'utf8').length,
    errors,
  }
}

/** A file that notes each of its runs, with a test that fails the first `times`. */
const failsFirst = (name: string, times: number): string => `import { appendFileSync, readFileSync } from 'node:fs'
  const runs = process.env.FOLDER + '/${name}.runs'
  appendFileSync(runs, 'x')
  test('one', () => expect(readFileSync(runs, 'utf8').length).toBeGreaterThan(${times}))`
const passes = "test('one', () => {})"
/** Of two such files the second one fails, whichever it is: what the first one leaves behind disturbs it. */
const disturbs = `
  const isFirst = globalThis.isDisturbed === undefined
  globalThis.isDisturbed = true
  test('one', () => expect(isFirst).toBe(true))`

describe('--repeat-failed, as CI runs the tests', () => {
  test('one or two files that pass when repeated, alone and together, are reported as unsteady', async () => {
    const two = await runFiles({ a: failsFirst('a', 1), b: failsFirst('b', 1), c: passes })
    expect(two).toMatchObject({ exitCode: 0, passed: 3, failed: 0, unsteady: ['a', 'b'] })
    expect([two.runs('a'), two.runs('b')]).toEqual([3, 3])
    const steady = await runFiles({ a: failsFirst('a', 0), c: passes })
    expect(steady).toMatchObject({ exitCode: 0, passed: 2, failed: 0, unsteady: [] })
    expect(steady.runs('a')).toBe(1)
  })

  test('a file that fails again is a failure, and so are three failed files without repetition', async () => {
    const alone = await runFiles({ a: failsFirst('a', 2) })
    expect(alone).toMatchObject({ exitCode: 1, passed: 0, failed: 1, unsteady: [] })
    expect(alone.runs('a')).toBe(2)
    const three = await runFiles({ a: failsFirst('a', 1), b: failsFirst('b', 1), c: failsFirst('c', 1) })
    expect(three).toMatchObject({ exitCode: 1, failed: 3, unsteady: [] })
    expect(three.runs('a')).toBe(1)
  })

  test('a file that fails only after another one is a failure, although it passes alone', async () => {
    expect(await runFiles({ a: disturbs, b: disturbs })).toMatchObject({ exitCode: 1, failed: 1, unsteady: [] })
  })

  /** Of two such files, the first one fails by chance, whichever it is, and the second one does this. */
  const failsThen = (second: string): string => `import { existsSync, writeFileSync } from 'node:fs'
    const isFirst = globalThis.isBegun === undefined
    globalThis.isBegun = true
    const mark = process.env.FOLDER + '/repeated'
    test('one', async () => {
      const isRepeated = existsSync(mark)
      writeFileSync(mark, '')
      if (isFirst) expect(isRepeated).toBe(true)
      else ${second}
    }, 600_000)`

  test('a killed process has failed, even if its only failed test passes when repeated', async () => {
    const kills = failsThen("process.kill(process.pid, 'SIGKILL')")
    expect(await runFiles({ a: kills, b: kills })).toMatchObject({ exitCode: 1, failed: 1, unsteady: [] })
  })

  test('a hanging process has failed, even if its only failed test passes when repeated', async () => {
    const hangs = failsThen('await new Promise(() => {})')
    const hung = await runFiles({ a: hangs, b: hangs }, ['--repeat-failed', '--deadline', '0.1'])
    expect(hung).toMatchObject({ exitCode: 1, failed: 1, unsteady: [] })
  })

  test('an error outside of tests belongs to no file, so nothing is repeated', async () => {
    const broken = await runFiles({ a: failsFirst('a', 1), b: "import './is-not-there.ts'" })
    expect(broken).toMatchObject({ exitCode: 1, unsteady: [] })
    expect(broken.runs('a')).toBe(1)
  })

  test('nothing is repeated without the option', async () => {
    const once = await runFiles({ a: failsFirst('a', 1) }, [])
    expect(once).toMatchObject({ exitCode: 1, failed: 1, unsteady: [] })
    expect(once.runs('a')).toBe(1)
  })
})

test('the tests of a product are the short files of its folders, or with --long the long ones', async () => {
  const folder = await useFolder(endWithTest)
  await cp(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true })
  for (const shared of ['src', 'node_modules']) await symlink(join(root, shared), join(folder, shared))
  const folders = {
    core: ['base', 'config', 'core', 'db', 'domain', 'workers'],
    web: ['web'],
    civiform: ['civiform'],
    clients: ['clients'],
  }
  const tested = [...Object.values(folders).flat(), 'scripts']
  const text = `import { appendFileSync } from 'node:fs'
    import { test } from 'bun:test'
    test('one', () => appendFileSync('ran', import.meta.file + ' '))`
  for (const name of tested)
    for (const file of [name, `${name}-long`]) await Bun.write(join(folder, `tests/${name}/${file}.test.ts`), text)
  await Bun.write(
    join(folder, 'tests/long-tests.txt'),
    tested.map(name => `tests/${name}/${name}-long.test.ts`).join('\n'),
  )
  for (const same of ['package.json', 'tests/timings.json']) await cp(join(root, same), join(folder, same))

  const filesRun = async (...args: string[]): Promise<string[]> => {
    await rm(join(folder, 'ran'), { force: true })
    const command = [process.execPath, join(folder, 'scripts/testing/run-tests.ts'), ...args]
    const run = Bun.spawn(command, { stdout: 'ignore', stderr: 'pipe' })
    expect({ exitCode: await run.exited, errors: await run.stderr.text() }).toMatchObject({ exitCode: 0 })
    const ran = readFileSync(join(folder, 'ran'), 'utf8').trim().split(' ')
    return ran.map(file => file.replace('.test.ts', '')).toSorted()
  }
  for (const [product, names] of Object.entries(folders)) {
    expect(await filesRun(product)).toEqual(names)
    expect(await filesRun(product, '--long')).toEqual(names.map(name => `${name}-long`))
  }
})

test('a file in which no test ran is a failure', async () => {
  expect(await runFiles({ a: passes, b: '' })).toMatchObject({ exitCode: 1, passed: 1, failed: 1 })
  expect(await runFiles({ a: passes, b: '' }, ['-t', 'one'])).toMatchObject({ exitCode: 0, passed: 1, failed: 0 })
})

test('a hanging run ends at the deadline with the name of the file that was running', async () => {
  const ends = async (hanging: string): Promise<void> => {
    // A process that the file started holds its output open.
    const { exitCode, failed, errors } = await runFiles({ a: `Bun.spawn(['sleep', '20'])\n${hanging}` }, [
      ...['--deadline', '0.1'],
    ])
    expect({ exitCode, failed }).toEqual({ exitCode: 1, failed: 1 })
    expect(errors).toMatch(/^Deadline: process \d+ \S.*\/a\.test\.ts/m)
  }
  await Promise.all([
    ends("test('one', () => { while (true); })"),
    ends("await new Promise(() => {})\ntest('one', () => {})"),
  ])
})

describe('.ci/run', () => {
  /**
   * What it ends with, in a checkout whose two suites print and exit like this and whose machine lacks these packages. What happened, in
   * order: each suite, and each end of an `apt-get`, which takes a while and fails for a package called `broken`. It can do without `better`.
   */
  async function ciRun(short: string, long: string, lacking: { short?: string; long?: string; better?: string } = {}) {
    const folder = await useFolder(endWithTest)
    const script = async (path: string, text: string): Promise<void> => {
      await Bun.write(join(folder, path), `#!/bin/sh\n${text}\n`)
      await chmod(join(folder, path), 0o755)
    }
    await Bun.write(join(folder, '.ci/run'), readFileSync(join(root, '.ci/run')))
    const prints = (packages = '') =>
      packages.split(' ').map(name => (name === '' ? ':' : `echo apt-get install ${name}`))
    const [all, first] = [prints(lacking.long), prints(lacking.short)].map(lines => lines.join('; '))
    const better = lacking.better === undefined ? ':' : `echo 'apt-get install ${lacking.better} || true'`
    await script('scripts/bun', `case "$*" in *--short) ${first} ;; *) ${all}; ${better} ;; esac`)
    await script('scripts/test', `echo "$1" >>events\ncase "$*" in --long*) ${long} ;; *) ${short} ;; esac`)
    const apt = `[ "$1" = install ] || exit 0\nsleep 1; echo "$*" >>events\ncase "$*" in *broken*) exit 1 ;; esac`
    await script('bin/apt-get', apt)
    for (const name of ['sudo', 'service']) await script(`bin/${name}`, name === 'sudo' ? 'exec "$@"' : '')
    const { exitCode, stdout } = Bun.spawnSync(['bash', join(folder, '.ci/run')], {
      env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
      stderr: 'ignore',
    })
    const events = existsSync(join(folder, 'events')) ? readFileSync(join(folder, 'events'), 'utf8') : ''
    return {
      exitCode,
      end: stdout.toString().trimEnd().split('\n').slice(-2),
      events: events
        .trim()
        .split('\n')
        .map(event => event.split(' ').at(-1)),
    }
  }

  test('ends with the unsteady files and the totals of both suites', async () => {
    expect(await ciRun('echo 20 passed, 0 failed', 'echo 3 passed, 0 failed')).toMatchObject({
      exitCode: 0,
      end: ['Unsteady: none', '23 passed, 0 failed'],
    })
    const short = 'echo Unsteady: tests/a.test.ts tests/b.test.ts; echo 20 passed, 0 failed'
    const long = 'echo Unsteady: tests/c.test.ts; echo 1 passed, 2 failed; exit 1'
    expect(await ciRun(short, long)).toMatchObject({
      exitCode: 1,
      end: ['Unsteady: tests/a.test.ts tests/b.test.ts tests/c.test.ts', '21 passed, 2 failed'],
    })
  })

  test.each([
    ['no totals', 'exit 0', '3 passed, 1 failed'],
    ['totals and then a failure', 'echo 4 passed, 0 failed; exit 137', '7 passed, 1 failed'],
  ])('a suite with %s has failed', async (_, suite, totals) => {
    for (const [short, long] of [
      ['echo 3 passed, 0 failed', suite],
      [suite, 'echo 3 passed, 0 failed'],
    ] as const)
      expect(await ciRun(short, long)).toMatchObject({ exitCode: 1, end: ['Unsteady: none', totals] })
  })

  const [fourPass, threePass] = ['echo 4 passed, 0 failed', 'echo 3 passed, 0 failed']

  test('installs what the short suite needs before it, and everything else before the long suite', async () => {
    expect(await ciRun(fourPass, threePass, { short: 'one', long: 'two three' })).toMatchObject({
      exitCode: 0,
      end: ['Unsteady: none', '7 passed, 0 failed'],
      events: ['one', '--repeat-failed', 'three', '--long'],
    })
  })

  test('a package that cannot be installed is a failure, and the suite that needs it does not run', async () => {
    expect(await ciRun(fourPass, threePass, { short: 'broken' })).toMatchObject({
      exitCode: 1,
      end: [expect.stringContaining('broken'), '0 passed, 1 failed'],
      events: ['broken'],
    })
    expect(await ciRun(fourPass, threePass, { long: 'broken' })).toMatchObject({
      exitCode: 1,
      end: ['Unsteady: none', '4 passed, 1 failed'],
      events: ['--repeat-failed', 'broken'],
    })
  })

  test('a better program that cannot be installed does not keep the tests from running with another', async () => {
    for (const [long, events] of [
      [undefined, ['broken']],
      ['two', ['two', 'broken']],
    ] as const)
      expect(await ciRun(fourPass, threePass, { ...(long && { long }), better: 'broken' })).toMatchObject({
        exitCode: 0,
        end: ['Unsteady: none', '7 passed, 0 failed'],
        events: ['--repeat-failed', ...events, '--long'],
      })
  })
})

test('outside of tests/long-tests.txt, tests need only programs that .ci/run installs before them', async () => {
  const lines = readFileSync(join(root, 'tests/long-tests.txt'), 'utf8').split('\n')
  const isLong = (path: string) => lines.some(line => line !== '' && (path === line || path.startsWith(`${line}/`)))
  const needed = new Map<string, string[]>()
  for (const path of new Bun.Glob('tests/**/*.test.ts').scanSync({ cwd: root })) {
    if (isLong(path)) continue
    const text = readFileSync(join(root, path), 'utf8')
    for (const [, needs] of text.matchAll(/\bneeds\(('[^)]*)\)/g))
      for (const [, need] of needs!.matchAll(/'(\w+)'/g)) needed.set(need!, [...(needed.get(need!) ?? []), path])
  }
  expect([...needed.keys()]).toContain('curl')
  expect([...needed].filter(([need]) => !isInShort(need))).toEqual([])
})

test('tests/long-tests.txt lists only existing paths, each once', () => {
  const lines = readFileSync(join(root, 'tests/long-tests.txt'), 'utf8').split('\n')
  const paths = lines.map(line => line.replace(/#.*/, '').trim()).filter(line => line !== '')
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter(path => !existsSync(join(root, path)))).toEqual([])
  expect(paths.toSorted()).toEqual([...new Set(paths)].toSorted())
})
