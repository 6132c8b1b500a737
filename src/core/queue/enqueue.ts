// Requests jobs within a transaction: they are recorded and in the outbox if it commits, and do not exist otherwise.
// It must not use the queue, whose store may be unreachable.

import { currentSpan } from '../../base/tracing/span.ts'
import type { Db } from '../../db/client.ts'
import { requestDerived } from '../../db/derived/derived-status.ts'
import { insertOutbox } from '../../db/derived/outbox.ts'
import { type Job, jobId } from './jobs.ts'

/** Requests each job; a job listed twice is requested once. Fails only if the database does. */
export async function enqueue(db: Db, jobs: readonly Job[]): Promise<void> {
  const unique = new Map(jobs.map(job => [keyOf(job.name, job.payload.program_version_id), job]))
  if (unique.size === 0) return
  const requests = await requestDerived(
    db,
    [...unique.values()].map(({ name, payload }) => ({ job_name: name, ...payload })),
  )
  const traceparent = currentSpan()?.traceparent
  await insertOutbox(
    db,
    requests.map(({ job_name, program_version_id, requested }) => {
      const job = unique.get(keyOf(job_name, program_version_id))!
      return { job_name, job_id: jobId(job, requested), payload: job.payload, traceparent }
    }),
  )
}

const keyOf = (name: string, programVersionId: number): string => `${name} ${programVersionId}`
