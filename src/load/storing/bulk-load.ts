// Stores applications in bulk: hundreds of thousands in one transaction, through COPY, as if they had been submitted one by one.
// load-lines and the seed hand them over in order.
//
// What it guarantees, so that an export cannot tell a loaded application from a submitted one (contract D1, G1 to G6, G11):
//
// - The program's submission counter is locked from its first application to the end: numbers are given in the order of the
//   input, and submissions wait. The transaction is one moment for every walk; no horizon falls within it.
// - An application that is OBSOLETE gets `superseded_seq = submit_seq + 1`, whichever application took over. Every horizon is
//   before or after the whole load, so no walk sees a difference; and nothing has to be remembered of what comes later.
// - Times never run back: not within the input, and not before the program's last submission, since clients that ask from
//   `Snapshot-Time` on would never see what lies before it. Only a program without submissions takes any past time: until then
//   its `Snapshot-Time` is before all times.
// - Ids are kept, so they must be free, and are never given out again (claimed-ids).
//
// It works in batches of some megabytes: while one is being sent and indexed by PostgreSQL, the next is read and rendered.
// Applications come packed (pack-applications), so that reading and rendering can be done in other threads; here they are only
// held against one another, in their order, and numbered.

import { appendAuditEvent } from '../../db/audit.ts'
import {
  advanceSubmissionCounter,
  lockLoads,
  numberApplication,
  readTakenApplicationIds,
  sketchApplications,
} from '../../db/bulk-rows.ts'
import { isFollowing } from '../../db/civiform/follow-state.ts'
import type { Sql, Transaction } from '../../db/client.ts'
import { holdInstanceTimeZone } from '../../db/instance.ts'
import { Problem } from '../../problem.ts'
import {
  type PackedApplication,
  type PackedApplications,
  type PackOptions,
  packedApplication,
} from '../packing/pack-applications.ts'
import type { Fault } from '../reading/document-faults.ts'
import { LoadBatch } from './batch.ts'
import { ClaimedIds } from './claimed-ids.ts'
import { describePlace, type LinePlace, LoadFaults } from './load-faults.ts'
import { type LoadProgram, openLoadProgram } from './program-numbers.ts'

/** `actor` is for the audit trail too. */
export interface LoadOptions extends PackOptions {
  /**
   * The front end that applicants belong to who are not there yet (D26); without it none, so that no key can reach them. Those who are
   * there stay with the one they have.
   */
  frontEnd?: string | undefined
  /** Called after each batch, with the number of applications taken so far. */
  onProgress?: ((applications: number) => void) | undefined
}

export interface LoadReceipt {
  applications: number
  programs: readonly { slug: string; applications: number }[]
}

/**
 * Runs `produce`, which hands over applications, and stores them all or none. Throws one Problem that names what is wrong with
 * which application, or the database's error; nothing is stored then. While it runs, submissions to the programs it loads into
 * wait.
 */
export async function bulkLoad(
  sql: Sql,
  options: LoadOptions,
  produce: (load: BulkLoad) => Promise<void>,
): Promise<LoadReceipt> {
  return sql.begin('isolation level read committed', async tx => {
    await lockLoads(tx)
    if (await isFollowing(tx))
      throw new Problem('conflict', {
        detail:
          'This installation follows a CiviForm, and takes applications from nowhere else. Load into another one.',
      })
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

/** Batches after which the planner's statistics are refreshed: more often while the tables are small. */
const sketchedBatches: ReadonlySet<number> = new Set([1, 8, 64])

/** A load under way. */
export class BulkLoad {
  readonly #faults = new LoadFaults()
  readonly #programs = new Map<string, Promise<LoadProgram | undefined>>()
  readonly #opened = new Map<string, LoadProgram>()
  /** Where each application id stands in the input: what grows with it, by some 50 bytes an application. */
  readonly #places = new Map<number, LinePlace>()
  #applications = 0
  #batches = 0
  #filling = new LoadBatch()
  /** The last work that was begun on the connection, which does one after the other. */
  #work: Promise<unknown> = Promise.resolve()
  #storing: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly tx: Transaction,
    readonly options: LoadOptions,
    readonly applicationIds: ClaimedIds,
    readonly applicantIds: ClaimedIds,
  ) {}

  /** The program to load into, locked from now on; undefined when there is none of that slug. */
  async program(slug: string): Promise<LoadProgram | undefined> {
    let program = this.#programs.get(slug)
    if (program === undefined) {
      program = this.#queue(() => openLoadProgram(this.tx, slug))
      this.#programs.set(slug, program)
    }
    const opened = await program
    if (opened !== undefined) this.#opened.set(slug, opened)
    return opened
  }

  /**
   * Takes the next applications, of programs that were opened. What is wrong with them is noted; once anything is, nothing more is
   * stored, only checked. Resolves when the next may come: one batch may be on its way meanwhile, not two.
   */
  async take(packed: PackedApplications): Promise<void> {
    const programs = packed.programs.map(slug => this.#opened.get(slug)!)
    this.#applications += packed.read
    for (const { place, faults } of packed.faults) this.#faults.add(place, ...faults)
    const rows = new DataView(packed.applications.buffer)
    for (let i = 0; i < packed.count; i++) {
      const application = packedApplication(packed, i)
      const program = programs[application.program]!
      this.#check(program, application)
      const { application_id, applicant_id, place } = application
      this.#filling.note(application_id, applicant_id, packed.languages[application.language]!, place)
      if (!this.#faults.any) this.#number(program, application, rows)
    }
    if (!this.#faults.any) this.#filling.add(packed.applications, packed.annotations)
    if (this.#filling.isFull) await this.#send()
  }

  #check(program: LoadProgram, application: PackedApplication): void {
    const { application_id, place } = application
    const faults = program.check(application)
    const twin = this.#places.get(application_id)
    if (twin === undefined) this.#places.set(application_id, place)
    else faults.push(idFault('duplicate_id', `is ${application_id}, which the one on ${describePlace(twin)} has too`))
    if (faults.length > 0) this.#faults.add(place, ...faults)
  }

  #number(program: LoadProgram, application: PackedApplication, rows: DataView): void {
    const { submit_seq, superseded_seq, supersedes } = program.number(application)
    numberApplication(rows, application.numbersAt, submit_seq, superseded_seq)
    if (supersedes) this.#filling.supersede(program.definition.program_id, application.applicant_id, submit_seq)
  }

  /** Lets the filled batch go, once the one before it has gone. */
  async #send(): Promise<void> {
    await this.#storing
    const batch = this.#filling
    this.#filling = new LoadBatch()
    this.#storing = this.#queue(() => this.#store(batch))
  }

  /** Does some work on the connection when that before it has ended, however it did. */
  #queue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work, work)
    // A failure reaches the caller that awaits it; until then it must not count as unhandled.
    done.catch(() => {})
    this.#work = done
    return done
  }

  async #store(batch: LoadBatch): Promise<void> {
    await this.#refuseTaken(batch)
    if (!this.#faults.any) {
      await batch.store(this.tx, this.options.frontEnd ?? null)
      if (sketchedBatches.has(++this.#batches)) await sketchApplications(this.tx)
    }
    this.options.onProgress?.(this.#applications)
  }

  /** Claims the ids of a batch, and notes those that are somebody else's. */
  async #refuseTaken(batch: LoadBatch): Promise<void> {
    const old = batch.ids.filter(id => id <= this.applicationIds.before)
    const taken = old.length === 0 ? [] : await readTakenApplicationIds(this.tx, old)
    for (const id of taken)
      this.#faults.add(
        this.#places.get(id)!,
        idFault('taken_id', `is ${id}, which an application in the database has or had`),
      )
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
    await this.#work.catch(() => {})
  }

  /** Sends the rest, moves the counters on, and writes the audit trail. Throws when there are faults. */
  async finish(): Promise<LoadReceipt> {
    await this.#send()
    await this.#storing
    if (this.#faults.any) throw this.#faults.problem(this.#applications)
    const loaded = [...this.#opened.values()].filter(program => program.applications > 0)
    const { actor } = this.options
    for (const { applications, counter, definition } of loaded) {
      await advanceSubmissionCounter(this.tx, definition.program_id, counter, applications)
      const detail = { applications }
      await appendAuditEvent(this.tx, { actor, action: 'applications_loaded', subject: definition.slug, detail })
    }
    const programs = loaded.map(({ applications, definition }) => ({ slug: definition.slug, applications }))
    return { applications: this.#applications, programs }
  }
}

const idFault = (code: string, detail: string): Fault => ({ path: '/application_id', code, detail })
