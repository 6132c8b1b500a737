// One `bun test` as a process: shows its output, and reads from Bun's totals and its report what ran, what failed, and whether it finished.

import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'

const root = join(import.meta.dir, '../..')

export interface TestOutcome {
  /** False if it was killed, reached its deadline, or printed no totals. Which files it did not reach is then unknown. */
  isComplete: boolean
  passed: number
  /** Failed tests and errors outside of tests, such as a file that cannot be loaded; at least 1 unless everything passed. */
  failed: number
  /** Number of failed tests, for every file in which at least one test ran. */
  failedByFile: ReadonlyMap<string, number>
  /** CPU seconds, including those of servers that it started and waited for. */
  cpuS: number
}

/** Failures that no file accounts for. */
export const failedElsewhere = ({ failed, failedByFile }: TestOutcome): number =>
  [...failedByFile.values()].reduce((rest, inFile) => rest - inFile, failed)

/** Runs `bun test` with these arguments, and ends it `deadlineMs` from now. */
export async function runBunTest(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  deadlineMs: number,
): Promise<TestOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-run-'))
  const report = join(folder, 'report.xml')
  const runningFile = join(folder, 'running')
  try {
    const options = ['--only-failures', '--reporter=junit', `--reporter-outfile=${report}`]
    const run = Bun.spawn([process.execPath, 'test', ...options, ...args], {
      cwd: root,
      stdin: 'ignore',
      stdout: 'inherit',
      stderr: 'pipe',
      env: { ...process.env, ...environment, TRIBUTARY_RUNNING_FILE: runningFile },
    })
    const stderr = run.stderr.getReader()
    let isLate = false
    const timer = setTimeout(
      () => {
        isLate = true
        // The test may be stuck in the very handler that a gentler signal would call.
        run.kill('SIGKILL')
        // Processes started by the test may keep its output open.
        void run.exited.then(() => stderr.cancel())
      },
      Math.max(0, deadlineMs),
    )
    const totals = await readTotals(stderr)
    await run.exited
    clearTimeout(timer)
    if (isLate) {
      const running = existsSync(runningFile) ? relative(root, await readFile(runningFile, 'utf8')) : 'no file yet'
      console.error(`Deadline: process ${run.pid} was still running ${running} and was ended. Later files did not run.`)
    }
    const isComplete = !isLate && totals.isPrinted && run.signalCode === null
    const isFailed = !isComplete || (run.exitCode !== 0 && totals.failed === 0)
    return {
      isComplete,
      passed: totals.passed,
      failed: totals.failed + (isFailed ? 1 : 0),
      failedByFile: existsSync(report) ? failuresOf(await readFile(report, 'utf8')) : new Map(),
      cpuS: Number(run.resourceUsage()?.cpuTime.total ?? 0) / 1e6,
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Passes the output on as it arrives. Its last lines are the totals. */
async function readTotals(stderr: {
  read: () => Promise<{ done: boolean; value?: Uint8Array | undefined }>
}): Promise<{ isPrinted: boolean; passed: number; failed: number }> {
  const totals = { isPrinted: false, passed: 0, failed: 0 }
  const decoder = new TextDecoder()
  let rest = ''
  for (let chunk = await stderr.read(); !chunk.done; chunk = await stderr.read()) {
    const text = decoder.decode(chunk.value, { stream: true })
    process.stderr.write(text)
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      const [, count, what] = /^ *(\d+) (pass|fail)$/.exec(line) ?? []
      if (what === 'pass') totals.passed = Number(count)
      else if (what === 'fail') totals.failed = Number(count)
      else if (/^Ran \d+ tests? across \d+ files?\./.test(line)) totals.isPrinted = true
    }
  }
  return totals
}

/** From Bun's JUnit report: a suite named like its file is the whole file, and the others are groups in it. */
const failuresOf = (report: string): Map<string, number> =>
  new Map(
    [...report.matchAll(/<testsuite name="([^"]+)" file="\1" tests="\d+" assertions="\d+" failures="(\d+)"/g)].map(
      ([, file, failed]) => [relative(root, resolve(root, file!)), Number(failed)],
    ),
  )
