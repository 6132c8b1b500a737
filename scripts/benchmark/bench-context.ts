// What every section of the benchmark is given.

import type { BenchData } from './bench-data.ts'
import type { BenchDatabase, DatabaseView } from './bench-database.ts'
import type { ChildProcesses } from './child-processes.ts'
import { type HttpSubject, startService } from './http-subject.ts'
import type { BenchmarkOptions } from './options.ts'
import { backendsMs, backendsMsSince, peakBytes, processorMs, resetPeak } from './process-meter.ts'
import type { QuietMachine } from './quiet-machine.ts'

export interface BenchContext {
  options: BenchmarkOptions
  children: ChildProcesses
  database: BenchDatabase
  data: BenchData
  /** To be waited for before each measurement. */
  machine: QuietMachine
  /** Tells the person who waits what is being done. */
  say(line: string): void
}

/** What something cost the process that did it and the backends that served it. */
export interface Cost {
  /** Of the process, and of all backends together, in milliseconds. */
  processorMs: number
  backendMs: number
  /** The most memory the process held meanwhile. */
  peakBytes: number
}

/** Runs `work` and tells what it cost the process `pid`. */
export async function metered<T>(database: DatabaseView, pid: number, work: () => Promise<T>): Promise<[T, Cost]> {
  resetPeak(pid)
  const before = { processor: processorMs(pid), backends: backendsMs(database.pid, database.user) }
  const done = await work()
  const cost = {
    processorMs: processorMs(pid) - before.processor,
    backendMs: backendsMsSince(before.backends, database.pid, database.user),
    peakBytes: peakBytes(pid),
  }
  return [done, cost]
}

/** Runs `work` with a service of its own, started for it and stopped after it. */
export async function withService<T>(
  context: BenchContext,
  settings: Record<string, string>,
  work: (service: HttpSubject) => Promise<T>,
): Promise<T> {
  const service = await startService(context.children, context.database, context.data.access, settings)
  try {
    return await work(service)
  } finally {
    await service.stop()
  }
}
