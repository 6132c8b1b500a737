// What every section of the benchmark receives.

import type { ChildProcesses } from '../processes/child-processes.ts'
import type { BenchDatabase } from './bench-database.ts'
import type { BenchProgram } from './bench-statements.ts'
import type { BenchmarkOptions } from './options.ts'

export interface BenchContext {
  options: BenchmarkOptions
  children: ChildProcesses
  database: BenchDatabase
  data: BenchData
  /** Prints the current step. */
  say(line: string): void
}

export interface BenchData {
  program: BenchProgram
  /** The benchmark's own API key, as a header, and secrets, generated for each run. */
  access: { authorization: string; environment: Record<string, string> }
}
