// Runs once before all test files: one seed for what is random, one timeout for every file, cheap password hashes, and one PostgreSQL for the whole run, ended with it.

import { afterAll, beforeEach, setDefaultTimeout } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { setPasswordCost } from '../../src/core/people/passwords.ts'
import { stopTestServer } from './database.ts'
import { reportSkipped } from './needs.ts'
import { testPasswordCost } from './password-cost.ts'
import { seed } from './random.ts'

if (process.env.TRIBUTARY_TEST_SEED === undefined) {
  process.env.TRIBUTARY_TEST_SEED = String(seed)
  console.error(`Random numbers are of seed ${seed}; TRIBUTARY_TEST_SEED=${seed} repeats them.`)
}
fc.configureGlobal({ seed })
setPasswordCost(testPasswordCost)

/** Milliseconds for a test or hook. Generous: the machines that run this are shared, and no test measures time. */
const timeoutMs = 120_000
// For the hooks below.
setDefaultTimeout(timeoutMs)
// Bun's own limit is 5 seconds, bunfig.toml cannot set it, and what a preload sets is gone after the first file
// (https://github.com/oven-sh/bun/pull/39235), so each file sets it in its first line. Plain `bun test` needs no options then.
Bun.plugin({
  name: 'test timeout',
  setup: build =>
    void build.onLoad({ filter: /\.(test|citus)\.ts$/ }, ({ path }) => ({
      contents: `import { setDefaultTimeout as setTestTimeout } from 'bun:test'; setTestTimeout(${timeoutMs}); ${readFileSync(path, 'utf8')}`,
      loader: 'ts',
    })),
})

afterAll(stopTestServer)
afterAll(reportSkipped)

const runningFile = process.env.TRIBUTARY_RUNNING_FILE
if (runningFile !== undefined) {
  let noted = ''
  /** Tells `scripts/test` which file is running, in case it does not end. */
  const noteFile = (): void => {
    if (noted === Bun.main) return
    noted = Bun.main
    writeFileSync(runningFile, noted)
  }
  // Before each test, because a loop in a test blocks all timers; and by a timer, because a file may wait forever before its first test.
  beforeEach(noteFile)
  setInterval(noteFile, 500).unref()
}
