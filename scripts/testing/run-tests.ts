// `scripts/test`: the tests of every commit in three processes at once, with types, format, lint and import edges alongside; or the long
// tests in twelve processes, three at once. A product's tests run alone, without the checks.

import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Problem } from '../../src/base/problem.ts'
import { exitCode, showHelpIfAsked, usage } from '../command-line/environment.ts'
import { runBunTest, type TestOutcome } from './bun-test.ts'
import { estimatedTimings, measuredTimings, saveTimings, writeTimings } from './file-timings.ts'
import { findUnsteady } from './unsteady-files.ts'

const root = join(import.meta.dir, '../..')
const { workspaces } = (await Bun.file(join(root, 'package.json')).json()) as { workspaces: string[] }
const core = ['base', 'config', 'core', 'db', 'domain', 'workers'].map(name => `tests/${name}`)
/** The folders with a product's tests. Whatever composes, operates or ships them all is tested elsewhere. */
const products = new Map<string, readonly string[]>([
  ['core', core],
  ...workspaces.map(path => path.split('/')[1]!).map(name => [name, [`tests/${name}`]] as const),
])

const help = `Usage: scripts/test [--long] [--seed N] [--deadline MINUTES] [--save-timings] [--repeat-failed]
                    [product | file or folder …] [-t name]

Without a file: types, format, lint and import edges, and every test except those in tests/long-tests.txt.
With a product (${[...products.keys()].join(', ')}): only its tests, without the checks.
  --long           only the tests in tests/long-tests.txt (killed processes, standbys, soak, fuzz, browser, binary …)
  --seed N         repeat the order of tests and their random numbers from the run that printed this seed
  --deadline N     minutes until running test processes are ended and count as failed; default: 30, or 60 with --long
  --save-timings   save how long each file took in tests/timings.json, which divides the files between processes; a new file
                   counts as long as the median
  --repeat-failed  repeat one or two failed files, alone and with the same other files, as --long does: for CI, on a shared machine
With files or folders: only these, in one process, without the checks. Further options go to \`bun test\`.

The last line is \`N passed, N failed\`. The line before it lists files that failed and then passed.
Exit status: 0, 1 if a test or check failed, 2 for wrong usage.`

interface Asked {
  long: boolean
  saveTimings: boolean
  repeatFailed: boolean
  seed: number
  /** Time limit of all test processes, including repeated ones. */
  deadlineMs: number
  product: string | undefined
  files: string[]
  others: string[]
}

const minuteMs = 60_000

function parse(args: readonly string[]): Asked {
  const asked: Asked = {
    long: false,
    saveTimings: false,
    repeatFailed: args.includes('--long'),
    seed: 1 + Math.floor(Math.random() * 2 ** 31),
    deadlineMs: (args.includes('--long') ? 60 : 30) * minuteMs,
    product: undefined,
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
        throw usage(`--seed must be a whole number above 0, not ${args[i]}.`)
    } else if (arg === '--deadline') {
      asked.deadlineMs = Number(args[++i]) * minuteMs
      if (!(asked.deadlineMs > 0 && asked.deadlineMs < 2 ** 31))
        throw usage(`--deadline must be a number of minutes, not ${args[i]}.`)
    } else if (arg === '-t' || arg === '--test-name-pattern') asked.others.push(arg, args[++i] ?? '')
    else if (arg.startsWith('-')) asked.others.push(arg)
    else if (products.has(arg)) {
      if (asked.product !== undefined) throw usage(`Name one product, not ${asked.product} and ${arg}.`)
      asked.product = arg
    } else if (existsSync(join(root, arg))) asked.files.push(arg)
    else throw usage(`There is no product, file or folder ${arg}.`)
  }
  const chooser = asked.long ? '--long' : asked.product
  if (chooser !== undefined && asked.files.length > 0)
    throw usage(`${chooser} chooses the files, so it cannot be combined with files.`)
  return asked
}

/** The entries of tests/long-tests.txt: paths of files or folders in the checkout. */
async function readLongTests(): Promise<string[]> {
  const text = await readFile(join(root, 'tests/long-tests.txt'), 'utf8')
  const paths = text
    .split('\n')
    .map(line => line.replace(/#.*/, '').trim())
    .filter(line => line !== '')
  const missing = paths.filter(path => !existsSync(join(root, path)))
  if (missing.length > 0)
    throw new Problem('internal', {
      detail: `tests/long-tests.txt lists files that don't exist: ${missing.join(', ')}.`,
    })
  return paths
}

/** Test files in these files and folders, by path from the root. */
const testFiles = (paths: readonly string[]): string[] =>
  paths.flatMap(path =>
    path.endsWith('.ts')
      ? [path]
      : [...new Bun.Glob('**/*.test.ts').scanSync({ cwd: join(root, path) })].map(file => join(path, file)),
  )

/** The test files of the run. */
async function chosenFiles(request: Asked, isSuite: boolean): Promise<string[]> {
  if (request.files.length > 0) return testFiles(request.files)
  const all = testFiles(request.product === undefined ? ['tests'] : products.get(request.product)!)
  if (!isSuite) return all
  const long = new Set(testFiles(await readLongTests()))
  return all.filter(file => long.has(file) === request.long)
}

/** Types, format, lint and import edges; prints their output when they have ended. */
async function check(): Promise<boolean> {
  const run = Bun.spawn([process.execPath, 'run', 'check'], {
    cwd: root,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, errors, status] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited])
  process.stderr.write(out + errors)
  return status === 0
}

interface Ran {
  outcomes: TestOutcome[]
  /** Files that failed once and passed when repeated. */
  unsteady: string[]
  /** Milliseconds by file. */
  measured: Map<string, number>
}

/** Runs these files in this many processes, and repeats failures if requested. */
async function runProcesses(
  files: readonly string[],
  { processes, atOnce }: { processes: number; atOnce: number },
  repeatFailed: boolean,
  folder: string,
  bunTest: (...args: string[]) => Promise<TestOutcome>,
): Promise<Ran> {
  const timings = Array.from({ length: processes }, (_, i) => join(folder, `timings-${i}.json`))
  const estimates = await estimatedTimings(files)
  const starts = timings.map((copy, i) => async () => {
    await writeTimings(copy, estimates)
    const shard = [`--shard=${i + 1}/${processes}`, `--timings=${copy}`, '--update-timings']
    return bunTest(...shard, ...files.map(file => `./${file}`))
  })
  const outcomes: TestOutcome[] = []
  // A queue shared by all that take from it.
  const turns = starts.entries()
  const takeTurns = async (): Promise<void> => {
    for (const [i, start] of turns) outcomes[i] = await start()
  }
  await Promise.all(Array.from({ length: atOnce }, takeTurns))
  const ran = outcomes.map((outcome, i) => ({ outcome, again: starts[i]! }))
  const unsteady = repeatFailed ? await findUnsteady(ran, file => bunTest(`./${file}`)) : []
  return { outcomes, unsteady, measured: await measuredTimings(timings, estimates) }
}

/** Runs what was requested, prints the totals last, and returns the number of failures. */
async function runTests(request: Asked, folder: string): Promise<number> {
  // Both suites together contain all tests; named files and patterns are whatever their author wants to see.
  const isSuite = request.files.length === 0 && request.others.length === 0
  const files = await chosenFiles(request, isSuite)
  const started = performance.now()
  const notRun = join(folder, 'not-run')
  const options = ['--randomize', `--seed=${request.seed}`, ...request.others]
  const environment = { TRIBUTARY_TEST_SEED: String(request.seed), TRIBUTARY_NOT_RUN: notRun }
  const bunTest = (...args: string[]): Promise<TestOutcome> =>
    runBunTest([...options, ...args], environment, started + request.deadlineMs - performance.now())
  // At most three, and one more than a small machine has cores, because tests wait for servers, browsers and processes.
  const atOnce = isSuite ? Math.min(3, availableParallelism() + 1) : 1
  // The long tests in more, because a process with a failure is repeated whole. One more costs two seconds, for a PostgreSQL of its own.
  const sharing = { processes: isSuite && request.long ? 4 * atOnce : atOnce, atOnce }
  const checking = isSuite && !request.long && request.product === undefined ? check() : true
  const { outcomes, unsteady, measured } = await runProcesses(files, sharing, request.repeatFailed, folder, bunTest)
  const isChecked = await checking

  if (isSuite) printSlowest(measured)
  if (request.saveTimings) await saveTimings(measured)
  const lacking = existsSync(notRun) ? await readFile(notRun, 'utf8') : ''
  if (lacking !== '') console.log(`\n${lacking}`)
  const sum = (of: (outcome: TestOutcome) => number): number => outcomes.reduce((all, outcome) => all + of(outcome), 0)
  const processor = sum(outcome => outcome.cpuS).toFixed(0)
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(`\n${seconds} s (${processor} s of CPU time, excluding PostgreSQL); --seed ${request.seed}`)
  const empty = request.others.length === 0 ? emptyFiles(files, outcomes).filter(file => !lacking.includes(file)) : []
  for (const file of empty) console.log(`No tests ran in ${file}.`)
  if (!isChecked) console.log('A check failed; see above.')

  const failed = sum(outcome => outcome.failed)
  const forgiven = unsteady.length > 0 ? failed : 0
  const failures = failed - forgiven + empty.length + (isChecked ? 0 : 1)
  if (unsteady.length > 0) console.log(`Unsteady: ${unsteady.join(' ')}`)
  console.log(`${sum(outcome => outcome.passed) + forgiven} passed, ${failures} failed`)
  return failures
}

/** The files in which no test ran. If a process did not finish, this is unknown, so none. */
const emptyFiles = (files: readonly string[], outcomes: readonly TestOutcome[]): string[] =>
  outcomes.every(({ isComplete }) => isComplete)
    ? files.filter(file => !outcomes.some(({ failedByFile }) => failedByFile.has(file)))
    : []

function printSlowest(measured: ReadonlyMap<string, number>): void {
  console.log('\nSlowest:')
  const slowest = [...measured].sort(([, a], [, b]) => b - a).slice(0, 10)
  for (const [file, ms] of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`)
}

showHelpIfAsked(help)
process.exitCode = await exitCode(async () => {
  const asked = parse(process.argv.slice(2))
  const folder = await mkdtemp(join(tmpdir(), 'tributary-tests-'))
  try {
    if ((await runTests(asked, folder)) > 0)
      throw new Problem('internal', { detail: `Tests failed. --seed ${asked.seed} repeats their order.` })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
