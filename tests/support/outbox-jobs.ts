// Runs the jobs that publications ask for, as the worker does, so that tests meet what is kept and not what is computed on a miss.

import { parseJob } from '../../src/core/queue/jobs.ts'
import { inTransaction, type Sql } from '../../src/db/client.ts'
import { beginRun, finishRun } from '../../src/db/derived/derived-status.ts'
import { takeOutbox } from '../../src/db/derived/outbox.ts'
import { findInstanceTimeZone } from '../../src/db/instance.ts'
import { codeVersions, handlers } from '../../workers/handlers.ts'
import { testConfig } from './config.ts'

/** Empties the outbox, running and recording each job. Rejects with the first job's error. */
export async function runOutboxJobs(sql: Sql): Promise<void> {
  const timeZone = (await findInstanceTimeZone(sql)) ?? 'UTC'
  const run = handlers({ db: sql, config: testConfig({ timeZone }), attempted: () => {}, now: () => Date.now() * 1000 })
  const jobs = await inTransaction(sql, tx => takeOutbox(tx, 1000))
  for (const { job_name, payload } of jobs) {
    const job = parseJob(job_name, payload)
    if (job.name === 'deliver-webhook') {
      await run[job.name](job.payload)
      continue
    }
    const thing = { job_name: job.name, ...job.payload }
    const request = await beginRun(sql, thing, codeVersions[job.name])
    if (request === undefined) continue
    await run[job.name](job.payload)
    await finishRun(sql, thing, request)
  }
}
