// Stores a batch of checked applications like a submission: in a transaction that draws its numbers from the counters and locks them until it
// commits. So a walk contains all of a batch or none, and submissions wait for at most one batch.
//
// In an export, a loaded application looks like a submitted one (D1, G1 to G6, G11):
//
// - One that is OBSOLETE gets `superseded_seq = submit_seq + 1`, not the number of the application that replaced it: every horizon is
//   before or after the whole batch, so no walk sees a difference, and nothing about later applications needs to be known.
// - One that is CURRENT supersedes the applicant's previous one, unless that was submitted later, during the load. In that case, the
//   loaded one is OBSOLETE from the start.

import { Problem } from '../../../base/problem.ts'
import type { Transaction } from '../../../db/client.ts'
import { requireInstanceTimeZone } from '../../../db/instance.ts'
import {
  advanceLoad,
  advanceSubmissionCounter,
  lockSubmissionCounter,
  readCurrentTimes,
  supersedeCurrentApplications,
} from '../../../db/loads/bulk-loads.ts'
import {
  type Batch,
  type BatchApplication,
  type BatchNumbers,
  holdApplicants,
  noteLoadedIds,
  readBatch,
  storeStaged,
} from '../../../db/loads/staged-applications.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'

export interface BatchOptions {
  now: Micros
  actor: string
  timeZone: string
  frontEnd?: string | undefined
}

/** Stores a batch of a load after everything already stored. If it throws, nothing of the batch is stored. */
export async function storeBatch(tx: Transaction, loadId: number, batch: Batch, options: BatchOptions): Promise<void> {
  const all = await readBatch(tx, batch)
  const programs = [...Map.groupBy(all, application => application.program_id)].sort(([a], [b]) => a - b)
  const shares = programs.map(([program_id, own]) => ({ program_id, applications: own.length }))
  if (!(await advanceLoad(tx, loadId, batch.first - 1, shares))) throw overtakenByAnother()
  if (!(await noteLoadedIds(tx, batch)))
    throw new Problem('conflict', {
      detail:
        'Meanwhile, another load has used some of this load’s IDs. Run this load again to list them; stored applications are kept.',
      internal: 'ids_taken',
    })
  await holdApplicants(tx, batch, options.frontEnd ?? null)

  // From here on, submissions to these programs wait.
  const counters = new Map<number, number>()
  for (const [program_id] of programs)
    counters.set(program_id, (await lockSubmissionCounter(tx, program_id)).submit_seq)
  // As for a submission, a change of the time zone now waits for these counters, or has finished.
  await requireInstanceTimeZone(tx, options.timeZone)
  const numbers: BatchNumbers[] = []
  for (const [program_id, own] of programs) {
    const before = counters.get(program_id)!
    const numbered = own.map((application, i) => ({ ...application, submit_seq: before + 1 + i }))
    const overtaken = await supersede(tx, program_id, numbered)
    for (const { n, submit_seq, is_current } of numbered)
      numbers.push({ n, submit_seq, superseded_seq: is_current && !overtaken.has(n) ? null : submit_seq + 1 })
    counters.set(program_id, numbers.at(-1)!.superseded_seq ?? numbers.at(-1)!.submit_seq)
  }
  await storeStaged(tx, batch, numbers, options)
  for (const [program_id, own] of programs)
    await advanceSubmissionCounter(tx, {
      program_id,
      applications: own.length,
      submit_seq: counters.get(program_id)!,
      submit_time: own.at(-1)!.submit_time,
    })
}

/**
 * Supersedes the previous applications of these applicants, each with the number of the applicant's first application in the batch. Returns the
 * numbers of those that claim to be CURRENT but are not, because the applicant has submitted since; of two with the same time, the one submitted here
 * stays.
 */
async function supersede(
  tx: Transaction,
  programId: number,
  numbered: readonly (BatchApplication & { submit_seq: number })[],
): Promise<Set<number>> {
  const overtaken = new Set<number>()
  const applicants = [...new Set(numbered.map(({ applicant_id }) => applicant_id))]
  const current = new Map<number, Micros>()
  for (const { applicant_id, submit_time } of await readCurrentTimes(tx, programId, applicants))
    current.set(applicant_id, submit_time)
  const superseded = new Map<number, number>()
  for (const { n, applicant_id, submit_time, is_current, submit_seq } of numbered) {
    const currentSince = current.get(applicant_id)
    if (currentSince === undefined) continue
    if (currentSince < submit_time) {
      if (!superseded.has(applicant_id)) superseded.set(applicant_id, submit_seq)
    } else if (is_current) overtaken.add(n)
  }
  if (superseded.size > 0)
    await supersedeCurrentApplications(tx, programId, [...superseded.keys()], [...superseded.values()])
  return overtaken
}

/** The error for an input that another process is storing, or has stored since this one began to check it. */
export const overtakenByAnother = (): Problem =>
  new Problem('conflict', {
    detail: 'Another process is loading the same input or has given up that load. No application was stored twice.',
    internal: 'loaded_elsewhere',
  })
