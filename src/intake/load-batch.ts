// Applications that are sent to the database together, and everything that has to be there before and beside them.
// It must not know which applications may be loaded, nor what comes before or after its own.

import {
  copyAnnotations,
  copyApplications,
  insertMissingApplicants,
  packAnnotation,
  packApplication,
  supersedeCurrentApplications,
} from '../db/bulk-rows.ts'
import type { Transaction } from '../db/client.ts'
import { CopyRows } from '../db/copy-rows.ts'
import { renderAnnotations, renderSnapshot } from '../domain/application.ts'
import type { Micros } from '../domain/offset-time.ts'
import type { ExportedApplication } from './exported-application.ts'
import type { Place } from './load-faults.ts'
import type { LoadProgram } from './load-program.ts'

/** Bytes of packed applications after which a batch is sent. Larger ones are no faster, and take as much more memory. */
const batchBytes = 8 * 1024 * 1024
/** Most applications of one batch. */
const idsMax = 10_000

export interface PackOptions {
  timeZone: string
  /** Who sets a status or note, for its history, and when, if the application does not say. */
  actor: string
  now: Micros
}

export class LoadBatch {
  readonly #applications = new CopyRows(batchBytes + 1024 * 1024)
  readonly #annotations = new CopyRows()
  readonly ids: number[] = []
  readonly #applicants = new Map<number, { language: string; place: Place }>()
  readonly #superseding = new Map<number, { applicants: number[]; seqs: number[] }>()

  /** The applicants, each with the place of its first application here. */
  get applicants(): ReadonlyMap<number, { place: Place }> {
    return this.#applicants
  }

  get isFull(): boolean {
    return this.#applications.bytes >= batchBytes || this.ids.length >= idsMax
  }

  /** Takes note of the ids of an application, so that they are looked up even if it is not to be stored. */
  note({ application_id, applicant_id, language }: ExportedApplication, place: Place): void {
    this.ids.push(application_id)
    if (!this.#applicants.has(applicant_id)) this.#applicants.set(applicant_id, { language, place })
  }

  /** Numbers, renders and packs an application that was noted and found right. */
  pack(program: LoadProgram, application: ExportedApplication, options: PackOptions): void {
    const { program_id } = program
    const { application_id, applicant_id, program_version_id, create_time, submit_time, annotations } = application
    const version = program.versions.get(program_version_id)
    if (version === undefined) throw new Error(`program ${program.slug} has no published version ${program_version_id}`)
    const { submit_seq, superseded_seq, supersedes } = program.number(application)
    if (supersedes) this.#supersede(program_id, applicant_id, submit_seq)
    packApplication(this.#applications, {
      ...{ program_id, application_id, applicant_id, program_version_id },
      ...{ create_time, submit_time, submit_seq, superseded_seq },
      ...annotations,
      snapshot: renderSnapshot(application, version.shape, options.timeZone),
      annotations: renderAnnotations(annotations, options.timeZone),
    })
    const { status, application_note } = annotations
    if (status === null && application_note === null) return
    const changed_at = annotations.status_last_modified_time ?? options.now
    const changed_by = options.actor
    packAnnotation(this.#annotations, { program_id, application_id, changed_at, changed_by, status, application_note })
  }

  #supersede(programId: number, applicantId: number, submitSeq: number): void {
    let entry = this.#superseding.get(programId)
    if (entry === undefined) {
      entry = { applicants: [], seqs: [] }
      this.#superseding.set(programId, entry)
    }
    entry.applicants.push(applicantId)
    entry.seqs.push(submitSeq)
  }

  /** Stores everything that was packed, in an order that keys and constraints allow. */
  async store(tx: Transaction): Promise<void> {
    if (this.#applications.rows === 0) return
    const languages = [...this.#applicants.values()].map(({ language }) => language)
    await insertMissingApplicants(tx, [...this.#applicants.keys()], languages)
    for (const [programId, { applicants, seqs }] of this.#superseding)
      await supersedeCurrentApplications(tx, programId, applicants, seqs)
    await copyApplications(tx, this.#applications)
    if (this.#annotations.rows > 0) await copyAnnotations(tx, this.#annotations)
  }

  /** Makes room for others. */
  clear(): void {
    this.#applications.clear()
    this.#annotations.clear()
    this.ids.length = 0
    this.#applicants.clear()
    this.#superseding.clear()
  }
}
