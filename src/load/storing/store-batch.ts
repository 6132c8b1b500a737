// Stores a batch of checked applications as one submission would be: in a transaction that draws its numbers from the counters, and
// holds them to its commit. So a walk has all of a batch or nothing, and submissions wait for a batch and no longer.
//
// An export cannot tell a loaded application from a submitted one (D1, G1 to G6, G11):
//
// - One that is OBSOLETE gets `superseded_seq = submit_seq + 1`, and not the number of the application that took over: every horizon is
//   before or after the whole batch, so no walk sees a difference, and nothing has to be remembered of what comes later.
// - One that is CURRENT supersedes what the applicant had, unless that was submitted later, while the load was under way: then it is
//   OBSOLETE from the beginning.

import {
  advanceLoad,
  advanceSubmissionCounter,
  type LoadedShare,
  lockSubmissionCounter,
  noteLoadedIds,
  type SubmissionCounter,
} from '../../db/bulk-loads.ts'
import {
  copyAnnotations,
  copyApplications,
  holdApplicants,
  numberApplication,
  readCurrentTimes,
  supersedeCurrentApplications,
  supersedePacked,
} from '../../db/bulk-rows.ts'
import type { Transaction } from '../../db/client.ts'
import { holdInstanceTimeZone } from '../../db/instance.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { Problem } from '../../problem.ts'
import {
  type PackedApplication,
  type PackedRows,
  packedApplication,
  slicePacked,
} from '../packing/pack-applications.ts'

export interface BatchTarget {
  loadId: number
  /** Programs and languages, as the packed columns count into them. */
  programs: readonly { program_id: number }[]
  languages: readonly string[]
  timeZone: string
  frontEnd: string | null
  /**
   * Programs that have nothing but what this process has loaded into them, each with the last number: there is nothing to supersede, for
   * of each applicant the input says CURRENT at the end.
   */
  alone: Map<number, number>
}

/** Packed rows that are stored together, unpacked as far as has to be known for that. */
export interface Batch {
  pieces: readonly (PackedRows & { all: readonly PackedApplication[] })[]
  all: readonly PackedApplication[]
  /** The applicants, each with the language of its first application here. */
  applicants: ReadonlyMap<number, string>
}

export function unpackBatch({ languages }: BatchTarget, packed: readonly PackedRows[]): Batch {
  const pieces = packed.map(piece => ({
    ...piece,
    all: Array.from({ length: piece.count }, (_, i) => packedApplication(piece, i)),
  }))
  const all = pieces.flatMap(piece => piece.all)
  const applicants = new Map<number, string>()
  for (const { applicant_id, language } of all)
    if (!applicants.has(applicant_id)) applicants.set(applicant_id, languages[language]!)
  return { pieces, all, applicants }
}

/** Stores the rows that come after the first `stored` of the load. When it throws, none of them is stored. */
export async function storeBatch(
  tx: Transaction,
  target: BatchTarget,
  stored: number,
  { pieces, all, applicants }: Batch,
): Promise<void> {
  const ownPrograms = [...Map.groupBy(all, application => application.program)]
    .map(([program, own]) => ({ program_id: target.programs[program]!.program_id, own }))
    .sort((a, b) => a.program_id - b.program_id)
  const shares = ownPrograms.map(({ program_id, own }) => ({ program_id, applications: own.length }))
  if (!(await advanceLoad(tx, target.loadId, stored, shares))) throw overtakenByAnother()
  await holdInstanceTimeZone(tx, target.timeZone)
  const ids = all.map(({ application_id }) => application_id)
  if (!(await noteLoadedIds(tx, ids)))
    throw new Problem('conflict', {
      detail:
        'Another load has taken ids of this one meanwhile. Load it again: what is stored stays, and each id is named.',
    })
  await holdApplicants(tx, applicants, target.frontEnd)

  // From here on submissions to these programs wait.
  const counters = new Map<number, SubmissionCounter>()
  for (const { program_id } of shares) counters.set(program_id, await lockSubmissionCounter(tx, program_id))
  const overtaken = new Set<PackedApplication>()
  const moved: LoadedShare[] = []
  for (const { program_id, own } of ownPrograms) {
    const { submit_seq } = counters.get(program_id)!
    const seqs = new Map(own.map((application, i) => [application, submit_seq + 1 + i]))
    const isAlone = target.alone.get(program_id) === submit_seq
    if (!isAlone) for (const application of await supersede(tx, program_id, seqs)) overtaken.add(application)
    const last = own.at(-1)!
    const lastSeq = submit_seq + own.length + (last.is_current && !overtaken.has(last) ? 0 : 1)
    moved.push({ program_id, applications: own.length, submit_seq: lastSeq, submit_time: last.submit_time })
    if (isAlone) target.alone.set(program_id, lastSeq)
    else target.alone.delete(program_id)
  }
  const next = new Map([...counters].map(([program_id, { submit_seq }]) => [program_id, submit_seq]))
  const numbered = pieces.map(({ applications, all: own }) => {
    const view = new DataView(applications.buffer, applications.byteOffset, applications.byteLength)
    const longer: { numbersAt: number; supersededSeq: number }[] = []
    for (const application of own) {
      const { program_id } = target.programs[application.program]!
      const { is_current, numbersAt } = application
      const submitSeq = next.get(program_id)! + 1
      next.set(program_id, submitSeq)
      numberApplication(view, numbersAt, submitSeq, is_current ? null : submitSeq + 1)
      if (overtaken.has(application)) longer.push({ numbersAt, supersededSeq: submitSeq + 1 })
    }
    return supersedePacked(applications, longer)
  })
  await copyApplications(tx, numbered)
  const annotations = pieces.map(piece => piece.annotations).filter(rows => rows.length > 0)
  if (annotations.length > 0) await copyAnnotations(tx, annotations)
  for (const share of moved) await advanceSubmissionCounter(tx, share)
}

/**
 * Supersedes what the applicants of these applications have, each with its number: by the first that the batch has of an applicant. Returns
 * those that say they are CURRENT, and are not, because the applicant has submitted since.
 */
async function supersede(
  tx: Transaction,
  programId: number,
  seqs: ReadonlyMap<PackedApplication, number>,
): Promise<PackedApplication[]> {
  const applicants = [...new Set([...seqs.keys()].map(({ applicant_id }) => applicant_id))]
  const current = new Map<number, Micros>()
  for (const { applicant_id, submit_time } of await readCurrentTimes(tx, programId, applicants))
    current.set(applicant_id, submit_time)
  if (current.size === 0) return []
  const superseded = new Map<number, number>()
  const overtaken: PackedApplication[] = []
  for (const [application, submitSeq] of seqs) {
    const { applicant_id, submit_time, is_current } = application
    const currentSince = current.get(applicant_id)
    if (currentSince === undefined) continue
    if (currentSince < submit_time) {
      if (!superseded.has(applicant_id)) superseded.set(applicant_id, submitSeq)
    } else if (is_current) overtaken.push(application)
  }
  if (superseded.size > 0)
    await supersedeCurrentApplications(tx, programId, [...superseded.keys()], [...superseded.values()])
  return overtaken
}

/** Cuts what is spooled into batches, of so many bytes or a little less, and of so many applications at most. */
export async function* batchesOf(
  spooled: AsyncIterable<PackedRows>,
  limits: { bytes: number; applications: number },
): AsyncGenerator<PackedRows[]> {
  let batch: PackedRows[] = []
  let [bytes, applications] = [0, 0]
  for await (const piece of spooled) {
    let from = 0
    while (from < piece.count) {
      const begin = packedApplication(piece, from).rowAt
      let to = from
      do to++
      while (
        to < piece.count &&
        applications + to - from < limits.applications &&
        bytes + packedApplication(piece, to).rowAt - begin < limits.bytes
      )
      const part = from === 0 && to === piece.count ? piece : slicePacked(piece, from, to)
      batch.push(part)
      bytes += part.applications.length
      applications += part.count
      from = to
      if (bytes < limits.bytes && applications < limits.applications) continue
      yield batch
      batch = []
      ;[bytes, applications] = [0, 0]
    }
  }
  if (batch.length > 0) yield batch
}

/** The refusal of an input that another process stores, or has stored since this one began to check it. */
export const overtakenByAnother = (): Problem =>
  new Problem('conflict', {
    detail: 'Another process loads the same input, or has given that load up. What is stored is stored once.',
  })
