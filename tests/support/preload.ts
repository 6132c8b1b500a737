// Runs once before all test files: one seed for what is random, and one PostgreSQL for the whole run, ended with it.

import { afterAll } from 'bun:test'
import fc from 'fast-check'
import { stopTestServer } from './database.ts'
import { reportSkipped } from './needs.ts'
import { seed } from './random.ts'

if (process.env.TRIBUTARY_TEST_SEED === undefined) {
  process.env.TRIBUTARY_TEST_SEED = String(seed)
  console.error(`Random numbers are of seed ${seed}; TRIBUTARY_TEST_SEED=${seed} repeats them.`)
}
fc.configureGlobal({ seed })

afterAll(stopTestServer)
afterAll(reportSkipped)
