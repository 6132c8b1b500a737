// Stores applications in bulk: hundreds of thousands in one transaction, through COPY, as if they had been submitted one by one.
// It must not know where they come from; reading them is load-lines and the seed, which hand them over one after the other.
//
// What it sees to, so that nobody who exports can tell a loaded application from a submitted one (contract D1, G1 to G6, G11):
//
// - The program's submission counter is locked from its first application to the end: numbers are given in the order of the
//   input, and nobody submits in between. The transaction is one moment for every walk; no horizon falls within it.
// - An application that is OBSOLETE is superseded at the number behind its own, whichever application took over. Horizons being
//   before or after the whole load, none can tell; and memory is not needed for what comes later in the input.
// - Times never run back: not within the input, and not behind the program's last submission, since clients that ask from
//   `Snapshot-Time` on would never see what lies before it. Only a program without submissions takes any past time.
// - Ids are kept, so they must be free, and are nobody else's from then on (load-ids).
//
// It works in batches of some megabytes: while one is being sent and indexed by PostgreSQL, the next is read and rendered here.

import { appendAuditEvent } from '../db/audit.ts'
import { advanceSubmissionCounter, analyzeApplications, lockLoads, readTakenApplicationIds } from '../db/bulk-rows.ts'
import type { Sql, Transaction } from '../db/client.ts'
import { holdInstanceTimeZone } from '../db/instance.ts'
import type { ExportedApplication } from './exported-application.ts'
import type { Fault } from './line-faults.ts'
import { LoadBatch, type PackOptions } from './load-batch.ts'
import { describePlace, LoadFaults, type Place } from './load-faults.ts'
import { ClaimedIds } from './load-ids.ts'
import { type LoadProgram, openLoadProgram } from './load-program.ts'

/** `actor` is for the audit trail too. No application may be of later than `now`. */
export interface LoadOptions extends PackOptions {
  /** Told how many applications were taken so far, after each batch. */
  onProgress?: (applications: number) => void
}

export interface LoadReceipt {
  applications: number
  programs: readonly { slug: string; applications: number }[]
}

/**
 * Runs `produce`, which adds applications, and stores them all or none. Throws one Problem that names what is wrong with which
 * application, or the database's error; nothing is stored then. While it runs, submissions to the programs it loads into wait.
 */
export async function bulkLoad(
  sql: Sql,
  options: LoadOptions,
  produce: (load: BulkLoad) => Promise<void>,
): Promise<LoadReceipt> {
  return sql.begin('isolation level read committed', async tx => {
    await lockLoads(tx)
    await holdInstanceTimeZone(tx, options.timeZone)
    const applicationIds = await ClaimedIds.begin(tx, 'application_application_id_seq')
    const applicantIds = await ClaimedIds.begin(tx, 'applicant_applicant_id_seq')
    const load = new BulkLoad(tx, options, applicationIds, applicantIds)
    try {
      await produce(load)
    } finally {
      await load.settle()
    }
    return load.finish()
  })
}

/** Batches after which the planner is told of what is there by then; more often as long as the tables are small. */
const analyzedBatches: ReadonlySet<number> = new Set([1, 8, 64])

/** A load under way, for one producer that awaits each call before the next. */
export class BulkLoad {
  readonly #faults = new LoadFaults()
  readonly #programs = new Map<string, LoadProgram | undefined>()
  readonly #places = new Map<number, Place>()
  #applications = 0
  #batches = 0
  #filling = new LoadBatch()
  #idle = new LoadBatch()
  #sending: Promise<void> = Promise.resolve()

  constructor(
    private readonly tx: Transaction,
    readonly options: LoadOptions,
    readonly applicationIds: ClaimedIds,
    readonly applicantIds: ClaimedIds,
  ) {}

  /** The program to load into, locked from now on; undefined when there is none of that slug. */
  async program(slug: string): Promise<LoadProgram | undefined> {
    if (this.#programs.has(slug)) return this.#programs.get(slug)
    await this.#sending
    const program = await openLoadProgram(this.tx, slug)
    this.#programs.set(slug, program)
    return program
  }

  /** Whether `program` was asked for this one before. */
  knows(slug: string): boolean {
    return this.#programs.has(slug)
  }

  /** A program that `program` has found before. */
  knownProgram(slug: string): LoadProgram | undefined {
    return this.#programs.get(slug)
  }

  /** Notes that an application cannot be loaded. Once one cannot, nothing more is stored, only checked. */
  refuse(place: Place, faults: readonly Fault[]): void {
    this.#applications++
    this.#faults.add(place, ...faults)
  }

  /**
   * Takes an application whose program and version are known to be the load's, or notes why it cannot be.
   * Returns a promise when the producer has to wait for the database before it goes on.
   */
  add(program: LoadProgram, application: ExportedApplication, place: Place): Promise<void> | undefined {
    const { application_id } = application
    this.#applications++
    const faults = program.check(application, place)
    const twin = this.#places.get(application_id)
    if (twin === undefined) this.#places.set(application_id, place)
    else faults.push(idFault('duplicate_id', `is ${application_id}, which the one on ${describePlace(twin)} has too`))
    if (faults.length > 0) this.#faults.add(place, ...faults)
    this.#filling.note(application, place)
    if (!this.#faults.any) this.#filling.pack(program, application, this.options)
    return this.#filling.isFull ? this.#send() : undefined
  }

  /** Lets the filled batch go, once the one before it has gone. */
  async #send(): Promise<void> {
    await this.#sending
    const batch = this.#filling
    this.#filling = this.#idle
    this.#idle = batch
    this.#sending = this.#store(batch)
    // Whoever awaits it next is told; until then it must not count as unhandled.
    this.#sending.catch(() => {})
  }

  async #store(batch: LoadBatch): Promise<void> {
    await this.#refuseTaken(batch)
    if (!this.#faults.any) {
      await batch.store(this.tx)
      if (analyzedBatches.has(++this.#batches)) await analyzeApplications(this.tx)
    }
    batch.clear()
    this.options.onProgress?.(this.#applications)
  }

  /** Claims the ids of a batch, and notes those that are somebody else's. */
  async #refuseTaken(batch: LoadBatch): Promise<void> {
    const old = batch.ids.filter(id => id <= this.applicationIds.before)
    const taken = old.length === 0 ? [] : await readTakenApplicationIds(this.tx, old)
    for (const id of taken)
      this.#faults.add(this.#places.get(id)!, idFault('taken_id', `is ${id}, which an application in the database has`))
    const meanwhile = 'which was given to another since this load began; load it again'
    for (const id of await this.applicationIds.claim(this.tx, batch.ids))
      this.#faults.add(this.#places.get(id)!, idFault('taken_id', `is ${id}, ${meanwhile}`))
    for (const id of await this.applicantIds.claim(this.tx, [...batch.applicants.keys()])) {
      const fault = { path: '/applicant_id', code: 'taken_id', detail: `is ${id}, ${meanwhile}` }
      this.#faults.add(batch.applicants.get(id)!.place, fault)
    }
  }

  /** Waits until nothing is on its way to the database, whatever became of it. */
  async settle(): Promise<void> {
    await this.#sending.catch(() => {})
  }

  /** Sends the rest, moves the counters on, and writes the audit trail. Throws when there are faults. */
  async finish(): Promise<LoadReceipt> {
    await this.#send()
    await this.#sending
    const programs = [...this.#programs.values()].filter(program => program !== undefined && program.applications > 0)
    const loaded = programs as LoadProgram[]
    if (this.#faults.any) throw this.#faults.problem(this.#applications)
    for (const program of loaded) await advanceSubmissionCounter(this.tx, program.program_id, program.counter)
    const receipt = loaded.map(({ slug, applications }) => ({ slug, applications }))
    for (const { slug, applications } of receipt) {
      const { actor } = this.options
      await appendAuditEvent(this.tx, { actor, action: 'applications_loaded', subject: slug, detail: { applications } })
    }
    return { applications: this.#applications, programs: receipt }
  }
}

const idFault = (code: string, detail: string): Fault => ({ path: '/application_id', code, detail })
