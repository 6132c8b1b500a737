// Packed applications that are sent to the database together, and everything that has to be there before and beside them.

import {
  copyAnnotations,
  copyApplications,
  insertMissingApplicants,
  supersedeCurrentApplications,
} from '../../db/bulk-rows.ts'
import type { Transaction } from '../../db/client.ts'
import type { LinePlace } from './load-faults.ts'

/** Bytes of packed applications after which a batch is sent. Larger ones are no faster, and take as much more memory. */
const batchBytes = 3 * 1024 * 1024
/** Most applications of one batch. */
const idsMax = 10_000

export class LoadBatch {
  readonly ids: number[] = []
  /** Each with the place of its first application here. */
  readonly applicants = new Map<number, { language: string; place: LinePlace }>()
  readonly #applications: Uint8Array[] = []
  readonly #annotations: Uint8Array[] = []
  readonly #superseding = new Map<number, { applicants: number[]; seqs: number[] }>()
  #bytes = 0

  get isFull(): boolean {
    return this.#bytes >= batchBytes || this.ids.length >= idsMax
  }

  /** Notes the ids of an application, so that they are looked up even if it is not to be stored. */
  note(applicationId: number, applicantId: number, language: string, place: LinePlace): void {
    this.ids.push(applicationId)
    if (!this.applicants.has(applicantId)) this.applicants.set(applicantId, { language, place })
  }

  /** Has the applicant's CURRENT application superseded at this number, if the database has one. */
  supersede(programId: number, applicantId: number, submitSeq: number): void {
    let entry = this.#superseding.get(programId)
    if (entry === undefined) {
      entry = { applicants: [], seqs: [] }
      this.#superseding.set(programId, entry)
    }
    entry.applicants.push(applicantId)
    entry.seqs.push(submitSeq)
  }

  /** Adds packed and numbered rows. */
  add(applications: Uint8Array, annotations: Uint8Array): void {
    this.#bytes += applications.length
    if (applications.length > 0) this.#applications.push(applications)
    if (annotations.length > 0) this.#annotations.push(annotations)
  }

  /** Stores everything that was added, in an order that keys and constraints allow. */
  async store(tx: Transaction, frontEnd: string | null): Promise<void> {
    if (this.#applications.length === 0) return
    const languages = [...this.applicants.values()].map(({ language }) => language)
    await insertMissingApplicants(tx, [...this.applicants.keys()], languages, frontEnd)
    for (const [programId, { applicants, seqs }] of this.#superseding)
      await supersedeCurrentApplications(tx, programId, applicants, seqs)
    await copyApplications(tx, this.#applications)
    if (this.#annotations.length > 0) await copyAnnotations(tx, this.#annotations)
  }
}
