// Checks a whole input before any of it is stored. load-lines and the seed pass applications in order, one at a time.
//
// Applications that are valid by themselves are staged in a temporary table of the load's connection (db/loads/staged-applications), compared
// there with the rest of the input and the database, and stored from it. So memory does not grow with the input.

import { type DatabaseSession, inTransaction, type Sql } from '../../../db/client.ts'
import {
  type IdSequence,
  readLastId,
  readSubmissionCounter,
  readTakenApplicationIds,
  skipIds,
} from '../../../db/loads/bulk-loads.ts'
import {
  eachAfterCurrent,
  eachDrawn,
  eachDuplicate,
  eachLoadedBefore,
  insertStaged,
  type StagedId,
  type StagedOdds,
  StagedRows,
} from '../../../db/loads/staged-applications.ts'
import { findProgram, readPublishedVersions } from '../../../db/programs/programs.ts'
import { renderAnnotations, renderSnapshot } from '../../../domain/questions/application.ts'
import { searchedTexts } from '../../../domain/questions/searched-texts.ts'
import type { DocumentError } from '../reading/document-errors.ts'
import type { ExportedApplication } from '../reading/read-application.ts'
import { describePlace, type LinePlace, LoadErrors } from './load-errors.ts'
import { loadDefinition, ProgramCheck } from './program-check.ts'

/** Rows are sent in chunks of this length. */
const sentLength = 1024 * 1024

/** Maximum number of IDs issued to the intake that are searched in every program; a crash loses some dozen. */
const lookedForMax = 1000

const sequences = ['application_application_id_seq', 'applicant_applicant_id_seq'] as const

/** Approximate size of the batches that the input is stored in. */
export interface BatchLimits {
  bytes: number
  applications: number
}

/** A checked input in the temporary table. */
export interface CheckedLoad {
  applications: number
  programs: readonly ProgramCheck[]
  /** The number of the last application in each batch. */
  batchEnds: readonly number[]
}

export class LoadCheck {
  readonly #errors = new LoadErrors()
  /** Its conflicts with the database, unless its load has already begun. */
  readonly #clashes = new LoadErrors()
  /** Every program named in the input, by slug; undefined if it does not exist. */
  readonly programs = new Map<string, ProgramCheck | undefined>()
  readonly #rows = new StagedRows()
  #sending: Promise<void> = Promise.resolve()
  /** Number of applications read, and of those staged. */
  #read = 0
  #staged = 0
  readonly #batchEnds: number[] = []
  #batchBytes = 0
  readonly #largest = { application: 0, applicant: 0 }

  private constructor(
    private readonly sql: Sql,
    private readonly session: DatabaseSession,
    private readonly timeZone: string,
    private readonly limits: BatchLimits,
    /** The last ids that the sequences had issued when the check began. */
    readonly lastIds: { application: number; applicant: number },
  ) {}

  /** `session` has the temporary table. */
  static async begin(sql: Sql, session: DatabaseSession, timeZone: string, limits: BatchLimits): Promise<LoadCheck> {
    const [application, applicant] = [await readLastId(sql, sequences[0]), await readLastId(sql, sequences[1])]
    return new LoadCheck(sql, session, timeZone, limits, { application, applicant })
  }

  /** Finds the program to load into, which may not exist. */
  async openProgram(slug: string): Promise<ProgramCheck | undefined> {
    const found = await findProgram(this.sql, slug)
    let program: ProgramCheck | undefined
    if (found !== undefined) {
      const before = await readSubmissionCounter(this.sql, found.program_id)
      const published = await readPublishedVersions(this.sql, found.program_id)
      program = new ProgramCheck(loadDefinition(found.program_id, slug, published), before)
    }
    this.programs.set(slug, program)
    return program
  }

  /** Counts an application or line that cannot be loaded. */
  refuse(place: LinePlace, errors: readonly DocumentError[]): void {
    this.#read++
    this.#errors.add(place, ...errors)
  }

  /** Takes the next application, which is valid on its own. Throws if its program has no such version. */
  add(program: ProgramCheck, application: ExportedApplication, place: LinePlace): void {
    const { program_id, slug, versions } = program.definition
    const { application_id, applicant_id, program_version_id, annotations } = application
    const version = versions.get(program_version_id)
    if (version === undefined) throw new Error(`program ${slug} has no published version ${program_version_id}`)
    this.#read++
    const { within, clash } = program.check(application.submit_time, place)
    if (within !== undefined) this.#errors.add(place, within)
    if (clash !== undefined) this.#clashes.add(place, clash)
    this.#largest.application = Math.max(this.#largest.application, application_id)
    this.#largest.applicant = Math.max(this.#largest.applicant, applicant_id)
    const before = this.#rows.length
    const snapshot = renderSnapshot(application, version.shape, this.timeZone)
    this.#rows.add({
      n: ++this.#staged,
      place,
      program_id,
      application_id,
      applicant_id,
      program_version_id,
      create_time: application.create_time,
      submit_time: application.submit_time,
      is_current: application.revision_state === 'CURRENT',
      language: application.language,
      ...annotations,
      snapshot,
      searched: searchedTexts(program_id, snapshot) ?? null,
      annotations: renderAnnotations(annotations, this.timeZone),
    })
    this.#endBatch(this.#rows.length - before)
  }

  #endBatch(bytes: number): void {
    this.#batchBytes += bytes
    const applications = this.#staged - (this.#batchEnds.at(-1) ?? 0)
    if (this.#batchBytes < this.limits.bytes && applications < this.limits.applications) return
    this.#batchEnds.push(this.#staged)
    this.#batchBytes = 0
  }

  /** Await it from time to time, so that the waiting rows stay bounded. */
  async send(): Promise<void> {
    if (this.#rows.length >= sentLength) await this.#send()
  }

  async #send(): Promise<void> {
    await this.#sending
    // The database stores them while the next ones are read.
    this.#sending = insertStaged(this.session, this.#rows)
    // Awaited later; a failure until then must not count as unhandled.
    this.#sending.catch(() => {})
  }

  #opened(): ProgramCheck[] {
    return [...this.programs.values()].filter(program => program !== undefined)
  }

  programIds(): number[] {
    return this.#opened().map(({ definition }) => definition.program_id)
  }

  /** Number of applications so far in each program. */
  counted(): { slug: string; applications: number }[] {
    return this.#opened()
      .filter(({ applications }) => applications > 0)
      .map(({ definition, applications }) => ({ slug: definition.slug, applications }))
  }

  /**
   * Returns the whole input if it has no errors, with its IDs claimed; otherwise throws a Problem that lists them. For a load that has already begun,
   * `stored` is the number of applications in the database, which are not treated as conflicts.
   */
  async finish(stored: number | undefined): Promise<CheckedLoad> {
    await this.#send()
    await this.#sending
    const odds = (error: (odds: StagedOdds) => DocumentError) => (stagedOdds: StagedOdds) =>
      this.#errors.add(stagedOdds.place, error(stagedOdds))
    await eachAfterCurrent(this.session, odds(afterCurrent))
    await eachDuplicate(this.session, odds(duplicate))
    if (stored === undefined) this.#errors.addAll(this.#clashes)
    await this.#refuseTaken(stored)
    if (this.#errors.any) throw this.#errors.problem(this.#read)
    return { applications: this.#staged, programs: this.#opened(), batchEnds: [...this.#batchEnds, this.#staged] }
  }

  /**
   * Claims the IDs of the input against the intake, which gets its IDs from sequences, and against other loads. The sequences are moved past every ID
   * in the input, so the intake is never issued one of them. IDs below a sequence's earlier value were issued to the intake or belong to a span that
   * an earlier load skipped; IDs in such a span only come from loads, which are in one table. So only the few IDs that were issued to the intake must
   * be searched in every program: those are in use, or were lost in a crash.
   */
  async #refuseTaken(stored: number | undefined): Promise<void> {
    const isNew = stored === undefined && !this.#errors.any
    const claim = (sequence: IdSequence, largest: number, last: number): Promise<number> =>
      isNew ? inTransaction(this.sql, tx => skipIds(tx, sequence, largest)) : Promise.resolve(last)
    const { lastIds } = this
    const ids = {
      stored: stored ?? 0,
      after: 0,
      reached: await claim(sequences[0], this.#largest.application, lastIds.application),
    }
    const applicants = {
      stored: ids.stored,
      after: lastIds.applicant,
      reached: await claim(sequences[1], this.#largest.applicant, lastIds.applicant),
    }
    await eachLoadedBefore(this.session, ids, ({ place, id }) => this.#errors.add(place, takenError(id)))
    const lookedFor: StagedId[] = []
    await eachDrawn(this.session, sequences[0], ids, drawn => {
      if (lookedFor.length < lookedForMax) lookedFor.push(drawn)
      else this.#errors.add(drawn.place, idError(`is ${drawn.id}, which was already assigned by this installation`))
    })
    if (lookedFor.length > 0) {
      const drawn = lookedFor.map(({ id }) => id)
      const taken = new Set(await readTakenApplicationIds(this.sql, drawn))
      for (const { place, id } of lookedFor) if (taken.has(id)) this.#errors.add(place, takenError(id))
    }
    await eachDrawn(this.session, sequences[1], applicants, ({ place, id }) =>
      this.#errors.add(place, registeredSince(id)),
    )
  }
}

const duplicate = ({ application_id, earlier }: StagedOdds): DocumentError => ({
  path: '/application_id',
  code: 'duplicate_id',
  detail: `is ${application_id}, which is also the ID of the application on ${describePlace(earlier)}`,
})

function afterCurrent({ applicant_id, is_current, earlier }: StagedOdds): DocumentError {
  const older = `the CURRENT application of applicant ${applicant_id}, on ${describePlace(earlier)}, is older`
  const detail = `must not be ${is_current ? 'CURRENT' : 'OBSOLETE'}: ${older}, so it cannot be CURRENT`
  return { path: '/revision_state', code: 'inconsistent', detail }
}

const idError = (detail: string): DocumentError => ({ path: '/application_id', code: 'taken_id', detail })
const takenError = (id: number): DocumentError =>
  idError(`is ${id}, which is or was the ID of an application in the database`)

const registeredSince = (applicantId: number): DocumentError => ({
  path: '/applicant_id',
  code: 'taken_id',
  detail: `is ${applicantId}, which has been assigned to another applicant since this load began; run the load again`,
})
