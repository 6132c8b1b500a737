// Runs once before all test files: one PostgreSQL for the whole run, ended with it.

import { afterAll } from 'bun:test'
import { stopTestServer } from './database.ts'

afterAll(stopTestServer)
