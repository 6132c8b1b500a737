// Copies of the checkout in which faults are tried out, so that the checkout itself is never touched.

import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Mutant, mutated, type Outcome } from './mutant.ts'

interface Bench extends AsyncDisposable {
  tryOut(mutant: Mutant, tests: readonly string[]): Promise<Outcome>
}

interface Workshop extends AsyncDisposable {
  bench(): Promise<Bench>
}

/** How many test files run first: the nearest ones usually notice, and quickly. */
const nearestFirst = 6

/** What is in the checkout now is copied, committed or not. Without the fault the tests must pass, or their failing says nothing. */
export async function openWorkshop(root: string, timeoutMs: number): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-mutants-'))
  const files = (await Bun.$`git -C ${root} ls-files -z -co --exclude-standard`.text()).split('\0').filter(Boolean)
  const sound = new Map<string, Promise<boolean>>()
  let benches = 0

  const bench = async (): Promise<Bench> => {
    const copy = join(folder, String(++benches))
    for (const file of files) {
      const source = Bun.file(join(root, file))
      if (!(await source.exists())) continue
      await mkdir(dirname(join(copy, file)), { recursive: true })
      await Bun.$`cp -p ${join(root, file)} ${join(copy, file)}`.quiet()
    }
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
    const pass = (tests: readonly string[]): Promise<boolean> => runTests(copy, tests, timeoutMs)
    /** Those that pass without any fault. */
    const soundOnes = async (tests: readonly string[]): Promise<string[]> => {
      // Mostly all do, which one run tells.
      const untried = tests.filter(test => !sound.has(test))
      if (untried.length > 1 && (await pass(untried)))
        for (const test of untried) sound.set(test, Promise.resolve(true))
      for (const test of tests) {
        if (!sound.has(test)) sound.set(test, pass([test]))
        if (!(await sound.get(test))) console.error(`${test} fails without any fault, and is left out`)
      }
      const verdicts = await Promise.all(tests.map(async test => ((await sound.get(test)) ? test : undefined)))
      return verdicts.filter(test => test !== undefined)
    }
    return {
      tryOut: async (mutant, named) => {
        const tests = named.flatMap(name =>
          name.endsWith('.ts') ? name : files.filter(file => file.startsWith(`${name}/`) && file.endsWith('.test.ts')),
        )
        const path = join(copy, mutant.file)
        const text = await Bun.file(path)
          .text()
          .catch(() => undefined)
        const fault = text === undefined ? undefined : mutated(text, mutant)
        if (text === undefined || fault === undefined) return 'stale'
        mutant.line = fault.line
        for (const some of [tests.slice(0, nearestFirst), tests.slice(nearestFirst)]) {
          const running = await soundOnes(some)
          if (running.length === 0) continue
          await Bun.write(path, fault.text)
          const passed = await pass(running)
          await Bun.write(path, text)
          if (!passed) return 'noticed'
        }
        return 'unnoticed'
      },
      [Symbol.asyncDispose]: async () => {},
    }
  }
  return { bench, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** Whether these tests pass. Those that take too long do not. */
async function runTests(folder: string, tests: readonly string[], timeoutMs: number): Promise<boolean> {
  const child = Bun.spawn(
    [process.execPath, 'test', '--timeout', '60000', '--bail', ...tests.map(test => `./${test}`)],
    {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1' },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    },
  )
  return (await child.exited) === 0 && child.signalCode === null
}
