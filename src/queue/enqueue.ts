// Asks for jobs within a transaction: they are on record and in the outbox when it commits, and never were when it does not.
// It must not reach for the queue, whose store may be away.

import type { Db } from '../db/client.ts'
import { requestDerived } from '../db/derived-status.ts'
import { insertOutbox } from '../db/outbox.ts'
import { type DerivingJob, isDeriving, type Job, jobId } from './jobs.ts'

/** Asks for each job; one that is named twice is asked for once. Fails only if the database does. */
export async function enqueue(db: Db, jobs: readonly Job[]): Promise<void> {
  const deriving = new Map<string, DerivingJob>()
  for (const job of jobs) if (isDeriving(job)) deriving.set(keyOf(job.name, job.payload.program_version_id), job)
  const requests =
    deriving.size === 0
      ? []
      : await requestDerived(
          db,
          [...deriving.values()].map(({ name, payload }) => ({ job_name: name, ...payload })),
        )
  const others = new Map(jobs.filter(job => !isDeriving(job)).map(job => [jobId(job, 0), job]))
  await insertOutbox(db, [
    ...requests.map(({ job_name, program_version_id, requested }) => {
      const job = deriving.get(keyOf(job_name, program_version_id))!
      return { job_name, job_id: jobId(job, requested), payload: job.payload }
    }),
    ...[...others].map(([job_id, job]) => ({ job_name: job.name, job_id, payload: job.payload })),
  ])
}

const keyOf = (name: string, programVersionId: number): string => `${name} ${programVersionId}`
