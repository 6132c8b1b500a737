// Runs once before all test files: one PostgreSQL for the whole run, ended with it.

import { afterAll } from 'bun:test'
import { stopTestServer } from './database.ts'
import { tellNotRun } from './needs.ts'

afterAll(stopTestServer)
afterAll(tellNotRun)
