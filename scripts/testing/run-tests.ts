// `scripts/test`: types, lint and import edges, then the tests: those of every commit in two processes that share the files by
// how long each took, those that take long in one.

import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Problem } from '../../src/problem.ts'
import { exitCode, showHelpIfAsked, usage } from '../command-line/environment.ts'

const help = `Usage: scripts/test [--long] [--seed N] [--deadline MINUTES] [--save-timings] [--repeat-failed] [file or folder …] [-t name]

Without a file: types, format, lint and import edges, then every test but those that tests/long-tests.txt lists, which take long.
  --long           those of tests/long-tests.txt instead (killed processes, standbys, soak, fuzz, browser, binary …)
  --seed N         order of the tests, and random numbers in them, as in the run that printed this seed
  --deadline N     minutes after which a \`bun test\` that has not ended is ended, and has failed: 30, or 60 with --long, unless given
  --save-timings   keep how long each file took in tests/timings.json, by which the files are shared between processes
  --repeat-failed  run one or two files that failed once more, each by itself, as --long does: for CI, on a machine that others use
With files or folders, only these, in one process, without the checks before; further options go to \`bun test\`.

Exit status: 0, 1 when a test or a check failed, 2 for wrong usage.`

const root = join(import.meta.dir, '../..')
const timingsFile = join(root, 'tests/timings.json')

/** More files than these do not fail by chance. */
const repeatedFiles = 2

/** What tests/long-tests.txt lists: paths of files or folders below the checkout. */
async function readLongTests(): Promise<string[]> {
  const text = await readFile(join(root, 'tests/long-tests.txt'), 'utf8')
  return text
    .split('\n')
    .map(line => line.replace(/#.*/, '').trim())
    .filter(line => line !== '')
}

interface Asked {
  long: boolean
  saveTimings: boolean
  repeatFailed: boolean
  seed: number
  /** How long one `bun test` may take. */
  deadlineMs: number
  files: string[]
  others: string[]
}

const minuteMs = 60_000

function parse(args: readonly string[]): Asked {
  const asked: Asked = {
    long: false,
    saveTimings: false,
    repeatFailed: false,
    seed: 1 + Math.floor(Math.random() * 2 ** 31),
    deadlineMs: (args.includes('--long') ? 60 : 30) * minuteMs,
    files: [],
    others: [],
  }
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    if (arg === '--long') asked.long = true
    else if (arg === '--save-timings') asked.saveTimings = true
    else if (arg === '--repeat-failed') asked.repeatFailed = true
    else if (arg === '--seed') {
      asked.seed = Number(args[++i])
      if (!Number.isInteger(asked.seed) || asked.seed < 1)
        throw usage(`--seed must be a whole number above 0, and is ${args[i]}.`)
    } else if (arg === '--deadline') {
      asked.deadlineMs = Number(args[++i]) * minuteMs
      if (!(asked.deadlineMs > 0 && asked.deadlineMs < 2 ** 31))
        throw usage(`--deadline must be a number of minutes, and is ${args[i]}.`)
    } else if (arg === '-t' || arg === '--test-name-pattern') asked.others.push(arg, args[++i] ?? '')
    else if (arg.startsWith('-')) asked.others.push(arg)
    else if (existsSync(join(root, arg))) asked.files.push(arg)
    else throw usage(`There is no file or folder ${arg}.`)
  }
  if (asked.long && asked.files.length > 0) throw usage('--long chooses the files; name none alongside it.')
  return asked
}

interface Outcome {
  passed: number
  failed: number
  status: number
  /** How many tests failed, by file. */
  failures: Map<string, number>
  /** Processor seconds, with those of the servers it started and waited for. */
  cpuS: number
}

/** One `bun test`; prints what failed as it comes, and its warnings. One that has not ended by the deadline is ended, and has failed. */
async function runBunTest(
  args: readonly string[],
  environment: Record<string, string>,
  deadlineMs: number,
): Promise<Outcome> {
  const runningFile = join(tmpdir(), `tributary-running-${crypto.randomUUID()}`)
  // Generous: the machines that run this are shared, and no test measures time.
  const command = [process.execPath, 'test', '--timeout', '60000', ...args]
  const run = Bun.spawn(command, {
    cwd: root,
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'pipe',
    env: { ...process.env, ...environment, TRIBUTARY_RUNNING_FILE: runningFile },
  })
  const stderr = run.stderr.getReader()
  let isLate = false
  // Not to be caught: what it waits for may be the very thing that does not end. Processes that it started may hold its output open.
  const timer = setTimeout(() => {
    isLate = true
    run.kill('SIGKILL')
    void run.exited.then(() => stderr.cancel())
  }, deadlineMs)
  const outcome = { passed: 0, failed: 0 }
  const failures = new Map<string, number>()
  let file = ''
  let rest = ''
  const decoder = new TextDecoder()
  for (let chunk = await stderr.read(); !chunk.done; chunk = await stderr.read()) {
    const lines = (rest + decoder.decode(chunk.value, { stream: true })).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      const count = /^ *(\d+) (pass|fail)$/.exec(line)
      if (count?.[2] === 'pass') outcome.passed = Number(count[1])
      else if (count?.[2] === 'fail') outcome.failed = Number(count[1])
      file = /^(\S+\.test\.ts):$/.exec(line)?.[1] ?? file
      if (line.startsWith('(fail)')) failures.set(file, (failures.get(file) ?? 0) + 1)
      process.stderr.write(`${line}\n`)
    }
  }
  process.stderr.write(rest)
  const status = await run.exited
  clearTimeout(timer)
  const running = existsSync(runningFile) ? relative(root, await readFile(runningFile, 'utf8')) : 'no file yet'
  await rm(runningFile, { force: true })
  if (isLate) {
    const minutes = deadlineMs / minuteMs
    console.error(
      `Hangs: process ${run.pid} was ended after ${minutes} minutes, in ${running}. What came after was not run.`,
    )
    // Of no file that may be repeated: whatever passes then, the files after it were not run.
    outcome.failed++
  }
  return { ...outcome, status, failures, cpuS: Number(run.resourceUsage()?.cpuTime.total ?? 0) / 1e6 }
}

/** Types, format, lint and import edges. */
async function requireChecked(): Promise<void> {
  const check = Bun.spawn([process.execPath, 'run', 'check'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if ((await check.exited) !== 0) throw new Problem('internal', { detail: 'A check failed; no test was run.' })
}

/** Milliseconds by file, as `bun test --timings` keeps them. */
const readTimings = async (file: string): Promise<Record<string, number>> =>
  ((await Bun.file(file).json()) as { files: Record<string, number> }).files

/** Seconds by file, of what the shards measured. */
async function readDurations(folder: string, before: Record<string, number>): Promise<Map<string, number>> {
  const durations = new Map<string, number>()
  for (const name of await readdir(folder)) {
    if (!name.startsWith('timings-')) continue
    const measured = await readTimings(join(folder, name))
    for (const [file, ms] of Object.entries(measured)) if (before[file] !== ms) durations.set(file, ms / 1000)
  }
  return durations
}

showHelpIfAsked(help)
if (import.meta.main)
  process.exitCode = await exitCode(async () => {
    const asked = parse(process.argv.slice(2))
    const order = ['--randomize', `--seed=${asked.seed}`]
    const environment = { TRIBUTARY_TEST_SEED: String(asked.seed) }
    const failed = new Problem('internal', { detail: `Tests failed. --seed ${asked.seed} repeats their order.` })
    const repeated = async (outcomes: readonly Outcome[]): Promise<number> =>
      asked.long || asked.repeatFailed
        ? repeatFailed(outcomes, [...order, ...asked.others], environment, asked.deadlineMs)
        : 0
    if (asked.files.length > 0 || asked.others.length > 0) {
      const outcome = await runBunTest([...order, ...asked.others, ...asked.files], environment, asked.deadlineMs)
      if (outcome.status === 0) return
      if (outcome.failed === 0 || (await repeated([outcome])) < outcome.failed) throw failed
      return
    }
    await requireChecked()
    const longTests = await readLongTests()
    const missing = longTests.filter(path => !existsSync(join(root, path)))
    if (missing.length > 0)
      throw new Problem('internal', { detail: `tests/long-tests.txt lists what is not there: ${missing.join(', ')}.` })
    const which = asked.long
      ? longTests
      : longTests.map(path => `--path-ignore-patterns=${path.endsWith('.ts') ? path : `${path}/**`}`)
    const folder = await mkdtemp(join(tmpdir(), 'tributary-tests-'))
    const started = performance.now()
    try {
      const notRun = join(folder, 'not-run')
      const before = await readTimings(timingsFile)
      // What takes long starts processes of its own, which fill two cores: alongside each other both wait, and meet their deadlines.
      const shards = asked.long ? 1 : Math.min(2, availableParallelism())
      const outcomes = await Promise.all(
        Array.from({ length: shards }, async (_, i) => {
          const timings = join(folder, `timings-${i}.json`)
          await cp(timingsFile, timings)
          return runBunTest(
            [
              ...order,
              '--only-failures',
              `--shard=${i + 1}/${shards}`,
              `--timings=${timings}`,
              '--update-timings',
              ...which,
            ],
            { ...environment, TRIBUTARY_NOT_RUN: notRun },
            asked.deadlineMs,
          )
        }),
      )
      const seconds = (performance.now() - started) / 1000
      const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((all, outcome) => all + of(outcome), 0)
      const durations = await readDurations(folder, before)
      const slowest = [...durations].sort(([, a], [, b]) => b - a).slice(0, 10)
      console.log('\nWhat takes longest:')
      for (const [file, s] of slowest) console.log(`${s.toFixed(1).padStart(7)} s  ${file}`)
      if (asked.saveTimings) await saveTimings(before, durations)
      if (existsSync(notRun)) process.stdout.write(`\n${await readFile(notRun, 'utf8')}`)
      const processor = sum(outcome => outcome.cpuS).toFixed(0)
      console.log(`\n${seconds.toFixed(0)} s (${processor} s of processor, without PostgreSQL's); --seed ${asked.seed}`)
      const failedElsewhere = sum(({ status, failed }) => (status !== 0 && failed === 0 ? 1 : 0))
      const passedAlone = await repeated(outcomes)
      const failures = sum(outcome => outcome.failed) + failedElsewhere - passedAlone
      console.log(`${sum(outcome => outcome.passed) + passedAlone} passed, ${failures} failed`)
      if (failures > 0) throw failed
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

/**
 * Runs files that failed once more, each by itself and in the same order, and names those that now pass: tests start, kill and wait for
 * processes on a machine that others use. A file that is named is still to be mended; an error fails twice.
 * Returns how many tests failed and now pass.
 */
async function repeatFailed(
  outcomes: readonly Outcome[],
  options: readonly string[],
  environment: Record<string, string>,
  deadlineMs: number,
): Promise<number> {
  const files = outcomes.flatMap(({ failures }) => [...failures])
  if (files.length === 0 || files.length > repeatedFiles) return 0
  let passed = 0
  for (const [file, failed] of files) {
    console.log(`\n${file} failed, and is run once more by itself.`)
    if ((await runBunTest([...options, '--only-failures', file], environment, deadlineMs)).status !== 0) continue
    console.log(`Unsteady: ${file} failed, and passed by itself. See the output of its first run above.`)
    passed += failed
  }
  return passed
}

/** Rewrites tests/timings.json: whole milliseconds, files in order, those that are gone left out. */
async function saveTimings(
  before: Readonly<Record<string, number>>,
  durations: ReadonlyMap<string, number>,
): Promise<void> {
  const all = { ...before, ...Object.fromEntries([...durations].map(([file, s]) => [file, s * 1000])) }
  const kept = Object.entries(all)
    .filter(([file]) => existsSync(join(root, file)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const files = Object.fromEntries(kept.map(([file, ms]) => [file, Math.round(ms)]))
  await writeFile(timingsFile, `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`)
}
