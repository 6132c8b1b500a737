// Runs jobs as they arrive: parses them, calls their handlers and records the outcomes.

import { errorLine } from '../../base/error-facts.ts'
import type { Log } from '../../base/log.ts'
import { currentSpan, spanKinds, type Tracer, underSpan } from '../../base/tracing/span.ts'
import type { Sql } from '../../db/client.ts'
import { beginRun, type DerivedThing, failRun, finishRun } from '../../db/derived/derived-status.ts'
import { insertJobRun, type RunOutcome } from '../../db/derived/job-runs.ts'
import type { Queue } from './connect.ts'
import { idsIn, isJobName, type Job, type JobName, type JobPayload, parseJob } from './jobs.ts'
import type { ArrivedJob } from './runs.ts'

/** The handler of each job. It must be idempotent. A rejection is retried and recorded. */
export type Handlers = { [N in Job['name']]: (payload: JobPayload<N>) => Promise<void> } & {
  /** The outcome of the attempt; undefined if there was nothing to send. */
  'deliver-webhook': (payload: JobPayload<'deliver-webhook'>) => Promise<string | undefined>
}

/** The code version of each handler, for the record: failures under another one are retried. */
export type CodeVersions = { readonly [N in JobName]?: number }

/** Counts and traces the runs. */
export interface WatchedRuns {
  /** Called with the outcome and the duration of each run. */
  count?: (job: string, outcome: 'done' | 'failed' | 'nothing', seconds: number) => void
  tracer?: Tracer | undefined
}

interface Working {
  /** Accepts no further jobs, and resolves when the running ones have ended and are recorded. */
  stop(): Promise<void>
}

/** Resolves when the worker accepts jobs; it resumes automatically after the store or the database was unreachable. */
export async function startWorking(
  sql: Sql,
  queue: Queue,
  handlers: Handlers,
  log: Log,
  codeVersions: CodeVersions,
  watched: WatchedRuns = {},
): Promise<Working> {
  const noting = new Set<Promise<void>>()
  const worker = await queue.work({
    run: arrived => runTraced(arrived, watched, () => runJob(sql, handlers, arrived, log, codeVersions, watched)),
    abandoned: (arrived, error) => {
      const note = noteAbandoned(sql, arrived, error, log).finally(() => noting.delete(note))
      noting.add(note)
    },
  })
  return {
    stop: async () => {
      await worker.close()
      await Promise.all(noting)
    },
  }
}

/** The run as a part of the trace that requested the job. */
async function runTraced(
  { id, traceparent }: ArrivedJob,
  { tracer }: WatchedRuns,
  run: () => Promise<void>,
): Promise<void> {
  const span = tracer?.begin('job', spanKinds.consumer, traceparent)
  if (span === undefined) return run()
  span.note({ 'tributary.job_id': id })
  try {
    await underSpan(span, run)
    span.end()
  } catch (error) {
    span.end(true)
    throw error
  }
}

async function runJob(
  sql: Sql,
  handlers: Handlers,
  arrived: ArrivedJob,
  log: Log,
  codeVersions: CodeVersions,
  { count = () => {} }: WatchedRuns,
): Promise<void> {
  const span = currentSpan()
  const line = {
    job: arrived.name,
    job_id: arrived.id,
    ...(span === undefined ? {} : { trace_id: span.traceId }),
  }
  const startedMs = performance.now()
  const seconds = (): number => (performance.now() - startedMs) / 1000
  try {
    const job = parseJob(arrived.name, arrived.payload)
    const { delivered, ...ended } = await runParsed(sql, handlers, job, arrived.lastAttempt, codeVersions)
    count(job.name, ended.outcome, seconds())
    const duration_ms = Math.round(seconds() * 100_000) / 100
    log.info({ ...line, duration_ms }, ended.outcome === 'done' ? 'job done' : 'job had nothing left to do')
    const outcome = delivered === undefined || delivered === 'delivered' ? ended.outcome : 'failed'
    await keepRun(sql, arrived, { outcome, detail: delivered ?? null, seconds: seconds() }, log)
  } catch (error) {
    // An unknown job name must not become a label.
    count(isJobName(arrived.name) ? arrived.name : 'unknown', 'failed', seconds())
    log.error({ ...line, err: error, last_attempt: arrived.lastAttempt }, 'job failed')
    const outcome = arrived.lastAttempt ? 'failed' : 'retrying'
    await keepRun(sql, arrived, { outcome, detail: errorLine(error), seconds: seconds() }, log)
    // The queue's store keeps thrown errors.
    throw new Error(errorLine(error))
  }
}

/** `nothing` if there was nothing to do; for a delivery attempt, also its outcome. */
async function runParsed(
  sql: Sql,
  handlers: Handlers,
  job: ReturnType<typeof parseJob>,
  final: boolean,
  codeVersions: CodeVersions,
): Promise<{ outcome: 'done' | 'nothing'; delivered?: string | undefined }> {
  if (job.name === 'deliver-webhook') {
    const delivered = await handlers[job.name](job.payload)
    return { outcome: delivered === undefined ? 'nothing' : 'done', delivered }
  }
  const thing = { job_name: job.name, ...job.payload }
  const ran = await runOnRecord(sql, thing, final, codeVersions[job.name], () => handlers[job.name](job.payload))
  return { outcome: ran ? 'done' : 'nothing' }
}

/** False if there was nothing to do: another run fulfilled every request, or the program version no longer exists. */
async function runOnRecord(
  sql: Sql,
  thing: DerivedThing,
  final: boolean,
  codeVersion: number | undefined,
  run: () => Promise<void>,
): Promise<boolean> {
  const request = await beginRun(sql, thing, codeVersion)
  if (request === undefined) return false
  try {
    await run()
  } catch (error) {
    await failRun(sql, thing, { request, error: errorLine(error), final })
    throw error
  }
  await finishRun(sql, thing, request)
  return true
}

/** A job whose process died on every attempt before it could record the failure. */
async function noteAbandoned(sql: Sql, arrived: ArrivedJob, error: Error, log: Log): Promise<void> {
  log.error({ job: arrived.name, job_id: arrived.id, err: error }, 'job given up')
  await keepRun(sql, arrived, { outcome: 'given_up', detail: errorLine(error) }, log)
  try {
    const job = parseJob(arrived.name, arrived.payload)
    // core/webhooks/deliveries requests an unrecorded attempt again.
    if (job.name === 'deliver-webhook') return
    const thing = { job_name: job.name, ...job.payload }
    await failRun(sql, thing, { request: undefined, error: errorLine(error), final: true })
  } catch (failure) {
    // The sweep finds it, because it is recorded as running for too long.
    log.error({ job_id: arrived.id, err: failure }, 'a job that was given up could not be recorded')
  }
}

interface EndedRun {
  outcome: RunOutcome
  detail: string | null
  seconds?: number
}

/** Adds to the history on the Jobs page. A failure of this doesn't change the job's outcome. */
async function keepRun(sql: Sql, { name, id, payload }: ArrivedJob, run: EndedRun, log: Log): Promise<void> {
  // Only existing kinds: their number bounds the table.
  if (!isJobName(name)) return
  const { outcome, detail, seconds } = run
  try {
    const duration_ms = seconds === undefined ? null : Math.round(seconds * 1000)
    await insertJobRun(sql, { job_name: name, ...idsIn(name, payload), duration_ms, outcome, detail })
  } catch (error) {
    log.warn({ job: name, job_id: id, err: error }, 'a run could not be added to the job history')
  }
}
