// Runs once before all test files: one PostgreSQL for the whole run, ended with it.

import { afterAll, setDefaultTimeout } from 'bun:test'
import { stopTestServer } from './database.ts'
import { tellNotRun } from './needs.ts'

// Generous: the machines that run this are shared, and no test measures time.
setDefaultTimeout(60_000)
afterAll(stopTestServer)
afterAll(tellNotRun)
