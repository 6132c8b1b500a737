// A worker's job runs: receiving jobs, recording outcomes, and closing the worker without leaving a job running.

import type { Job as StoredJob } from 'bullmq'

export interface ArrivedJob {
  name: string
  payload: unknown
  id: string
  traceparent?: string | undefined
  /** Whether the job has failed if this run fails. */
  lastAttempt: boolean
}

export interface WorkerEvents {
  /** Runs a job. A rejection is retried, unless `lastAttempt`. */
  run(job: ArrivedJob): Promise<void>
  /** Called for a job that is given up although `run` never rejected: its process died each time. */
  abandoned(job: ArrivedJob, error: Error): void
}

export interface RunningWorker {
  /** Accepts no further jobs, and resolves when the running ones have ended, even if the store is unreachable. */
  close(): Promise<void>
}

/** The part of BullMQ's worker that is the same for every store. */
interface BullWorker {
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'failed', listener: (job: StoredJob | undefined, error: Error) => void): unknown
  close(): Promise<void>
}

export class Runs {
  readonly #underWay = new Set<Promise<void>>()

  constructor(
    private readonly events: WorkerEvents,
    private readonly trouble: (error: Error) => void,
  ) {}

  /** The function that BullMQ calls for each job. */
  readonly run = async (job: StoredJob): Promise<void> => {
    const run = this.events.run(arrived(job, job.attemptsMade + 1))
    this.#underWay.add(run)
    try {
      await run
    } finally {
      this.#underWay.delete(run)
    }
  }

  /** The worker that `run` belongs to. */
  of(worker: BullWorker, storeTimeoutMs: number): RunningWorker {
    worker.on('error', this.trouble)
    worker.on('failed', (job, error) => {
      if (job?.deferredFailure !== undefined) this.events.abandoned(arrived(job, Number.POSITIVE_INFINITY), error)
    })
    return { close: () => this.#close(worker, storeTimeoutMs) }
  }

  /**
   * BullMQ would wait until an unreachable store is back; here only the runs are awaited. A store that did not learn that a job is done gives it to
   * another worker, which finds in the database that there is nothing to do.
   */
  async #close(worker: BullWorker, storeTimeoutMs: number): Promise<void> {
    const closed = worker.close()
    for (;;) {
      await Promise.allSettled(this.#underWay)
      try {
        return await within(storeTimeoutMs, closed)
      } catch (error) {
        if (this.#underWay.size > 0) continue
        return this.trouble(error as Error)
      }
    }
  }
}

function arrived(job: StoredJob, attempt: number): ArrivedJob {
  const { name, id = '', opts } = job
  const lastAttempt = attempt >= (opts.attempts ?? 1)
  if (typeof job.data !== 'object' || job.data === null)
    return { name, payload: job.data, id, traceparent: undefined, lastAttempt }
  const { traceparent, ...payload } = job.data
  return { name, payload, id, traceparent: typeof traceparent === 'string' ? traceparent : undefined, lastAttempt }
}

/** Rejects if the work takes longer. The work continues, and its outcome is ignored. */
export async function within(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`the queue's store did not respond within ${timeoutMs} ms`)),
    timeoutMs,
  )
  try {
    await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** For reports that may repeat many times a second, such as an unreachable store. */
export function atMostEvery<T>(pauseMs: number, report: (value: T) => void): (value: T) => void {
  let reportedMs = Number.NEGATIVE_INFINITY
  return value => {
    if (performance.now() - reportedMs < pauseMs) return
    reportedMs = performance.now()
    report(value)
  }
}
