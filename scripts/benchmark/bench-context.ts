// What every section of the benchmark is given.

import type { ChildProcesses } from '../child-processes.ts'
import type { BenchData } from './bench-data.ts'
import type { BenchDatabase } from './bench-database.ts'
import type { BenchmarkOptions } from './options.ts'

export interface BenchContext {
  options: BenchmarkOptions
  children: ChildProcesses
  database: BenchDatabase
  data: BenchData
  /** To be waited for before each measurement. */
  machine: { wait(): Promise<void> }
  /** Tells the person who waits what is being done. */
  say(line: string): void
}
