// What every section of the benchmark is given.

import type { BenchData } from './bench-data.ts'
import type { BenchDatabase, DatabaseView } from './bench-database.ts'
import type { ChildProcesses } from './child-processes.ts'
import { fetchPages, type HttpSubject, startService } from './http-subject.ts'
import type { BenchmarkOptions } from './options.ts'
import { backendsMs, backendsMsSince, mainThreadMs, peakBytes, processorMs, resetPeak } from './process-meter.ts'
import type { QuietMachine } from './quiet-machine.ts'

export interface BenchContext {
  options: BenchmarkOptions
  children: ChildProcesses
  database: BenchDatabase
  data: BenchData
  /** To be waited for before each measurement. */
  machine: QuietMachine
  /** Aborted when the benchmark is to end: what is measured already is still told. */
  interruption: AbortSignal
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

/** A page fetched to nowhere, and what it cost the service. */
export interface PageSample extends Cost {
  wallMs: number
  bytes: number
  mainThreadMs: number
}

/** Fetches a page over a connection that is open already. */
export async function measurePage(
  { children, database }: BenchContext,
  service: HttpSubject,
  rows: number,
  headers: Readonly<Record<string, string>>,
): Promise<PageSample> {
  const before = mainThreadMs(service.pid)
  const asked = { ...service, headers: { ...service.headers, ...headers } }
  const [[transfer], cost] = await metered(database, service.pid, () => fetchPages(children, asked, rows, 1))
  const { wallMs, bytes } = transfer!
  return { ...cost, wallMs, bytes, mainThreadMs: mainThreadMs(service.pid) - before }
}

/** Runs `work` while so many clients of the service fetch one full page after the other. */
export async function besideExports<T>(
  { children, options }: BenchContext,
  service: HttpSubject,
  clients: number,
  work: () => Promise<T>,
): Promise<T> {
  const rows = Math.min(100_000, options.applications)
  const { promise: failed, reject } = Promise.withResolvers<never>()
  let done = false
  const pulling = Array.from({ length: clients }, async () => {
    while (!done) await fetchPages(children, service, rows, 1)
  })
  for (const client of pulling) client.catch(reject)
  try {
    return await Promise.race([work(), failed])
  } finally {
    done = true
    await Promise.allSettled(pulling)
  }
}
