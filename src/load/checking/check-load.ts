// Checks a whole input before anything of it is stored, and keeps it, packed, in a spool. load-lines and the seed hand it over in order.
//
// Nothing that it keeps in memory grows with the input, but for sets of ids, which take a bit or so for each (id-set). Where two lines are
// at odds only the later is known at once; the earlier is looked up in the spool at the end.

import { readLastId, readSubmissionCounter, type SubmissionCounter } from '../../db/bulk-loads.ts'
import type { Sql } from '../../db/client.ts'
import { findProgram, readPublishedVersions } from '../../db/programs.ts'
import {
  type PackedApplication,
  type PackedApplications,
  packedApplication,
  placeIn,
  recount,
} from '../packing/pack-applications.ts'
import type { Fault } from '../reading/document-faults.ts'
import { loadDefinition } from '../reading/known-program.ts'
import { IdSet } from './id-set.ts'
import { describePlace, type LinePlace, LoadFaults, listedMax } from './load-faults.ts'
import type { PackedSpool } from './packed-spool.ts'
import { ProgramCheck } from './program-check.ts'
import { ClaimedIds, TakenIds } from './taken-ids.ts'

/** Ids that are looked up together. */
const lookedUpTogether = 10_000

/** A later line that is at odds with an earlier one, which is yet to be found. */
type Odds = { place: LinePlace; application: PackedApplication } & ({ of: 'id' } | { of: 'current' })

/** An input that may be stored. */
export interface CheckedLoad {
  applications: number
  programs: readonly ProgramCheck[]
  languages: readonly string[]
  spool: PackedSpool
}

export class LoadCheck {
  readonly #faults = new LoadFaults()
  /** What stands against it in the database, if it has not been begun there. */
  readonly #clashes = new LoadFaults()
  readonly #odds: Odds[] = []
  readonly #opening = new Map<string, Promise<ProgramCheck | undefined>>()
  readonly #programs: ProgramCheck[] = []
  readonly #places = new Map<string, number>()
  readonly #languages = new Map<string, number>()
  readonly #ids = new IdSet()
  #largestApplication = 0
  #largestApplicant = 0
  /** Applications looked at. */
  #read = 0

  private constructor(
    private readonly sql: Sql,
    private readonly spool: PackedSpool,
    /** The last ids that were given out when the check began. */
    readonly lastIds: { application: number; applicant: number },
  ) {}

  static async begin(sql: Sql, spool: PackedSpool): Promise<LoadCheck> {
    const application = await readLastId(sql, 'application_application_id_seq')
    const applicant = await readLastId(sql, 'applicant_applicant_id_seq')
    return new LoadCheck(sql, spool, { application, applicant })
  }

  /** The program to load into; undefined when there is none of that slug. */
  program(slug: string): Promise<ProgramCheck | undefined> {
    let opening = this.#opening.get(slug)
    if (opening === undefined) {
      opening = this.#open(slug)
      this.#opening.set(slug, opening)
    }
    return opening
  }

  async #open(slug: string): Promise<ProgramCheck | undefined> {
    const found = await findProgram(this.sql, slug)
    if (found === undefined) return undefined
    const before: SubmissionCounter = await readSubmissionCounter(this.sql, found.program_id)
    const published = await readPublishedVersions(this.sql, found.program_id)
    const program = new ProgramCheck(loadDefinition(found.program_id, slug, published), before)
    this.#places.set(slug, this.#programs.push(program) - 1)
    return program
  }

  /** Takes the next applications, of programs that were opened. */
  async take(packed: PackedApplications): Promise<void> {
    this.#read += packed.read
    for (const { place, faults } of packed.faults) this.#faults.add(place, ...faults)
    const programs = packed.programs.map(slug => this.#places.get(slug)!)
    recount(
      packed,
      programs,
      packed.languages.map(language => placeIn(this.#languages, language)),
    )
    for (let i = 0; i < packed.count; i++) this.#check(packedApplication(packed, i))
    await this.spool.add(packed)
  }

  #check(application: PackedApplication): void {
    const { application_id, applicant_id, place } = application
    const { within, beside, followsCurrent } = this.#programs[application.program]!.check(application)
    if (within.length > 0) this.#faults.add(place, ...within)
    if (beside.length > 0) this.#clashes.add(place, ...beside)
    if (followsCurrent) this.#noteOdds({ of: 'current', place, application })
    if (!this.#ids.add(application_id)) this.#noteOdds({ of: 'id', place, application })
    this.#largestApplication = Math.max(this.#largestApplication, application_id)
    this.#largestApplicant = Math.max(this.#largestApplicant, applicant_id)
  }

  #noteOdds(odds: Odds): void {
    if (this.#faults.full || this.#odds.length === listedMax) this.#faults.count(odds.place)
    else this.#odds.push(odds)
  }

  programIds(): number[] {
    return this.#programs.map(({ definition }) => definition.program_id)
  }

  /** How many applications of each program came so far. */
  counted(): { slug: string; applications: number }[] {
    return this.#programs
      .filter(({ applications }) => applications > 0)
      .map(({ definition, applications }) => ({ slug: definition.slug, applications }))
  }

  /**
   * The whole input, when nothing is wrong with it, its ids claimed; throws a Problem that names what is. Of a load that was begun
   * before, `stored` says how many applications are in the database: they are not held against it.
   */
  async finish(stored: number | undefined): Promise<CheckedLoad> {
    await this.#findTwins()
    if (stored === undefined) this.#faults.addAll(this.#clashes)
    await this.#refuseTaken(stored)
    if (this.#faults.any) throw this.#faults.problem(this.#read)
    const programs = this.#programs
    return { applications: this.#read, programs, languages: [...this.#languages.keys()], spool: this.spool }
  }

  /** Looks for the earlier line of each two that are at odds. */
  async #findTwins(): Promise<void> {
    if (this.#odds.length === 0) return
    const twins = new Map(
      this.#odds.map(odds => [twinKey(odds.of, odds.application), undefined as LinePlace | undefined]),
    )
    for await (const { columns, count } of this.spool.columns())
      for (let i = 0; i < count; i++) {
        const application = packedApplication({ columns }, i)
        const keys = application.is_current ? (['id', 'current'] as const) : (['id'] as const)
        for (const of of keys) {
          const key = twinKey(of, application)
          if (twins.has(key) && twins.get(key) === undefined) twins.set(key, application.place)
        }
      }
    for (const { of, place, application } of this.#odds)
      this.#faults.add(place, oddsFault(of, application, describePlace(twins.get(twinKey(of, application))!)))
  }

  async #refuseTaken(stored: number | undefined): Promise<void> {
    const isNew = stored === undefined && !this.#faults.any
    const kinds = ['application_application_id_seq', 'applicant_applicant_id_seq'] as const
    const [applicationIds, applicantIds] = isNew
      ? [
          await ClaimedIds.claim(this.sql, kinds[0], this.#largestApplication),
          await ClaimedIds.claim(this.sql, kinds[1], this.#largestApplicant),
        ]
      : [
          await ClaimedIds.look(this.sql, kinds[0], this.lastIds.application),
          await ClaimedIds.look(this.sql, kinds[1], this.lastIds.applicant),
        ]
    const taken = new TakenIds(this.sql, applicationIds)
    let together: { application_id: number; place: LinePlace }[] = []
    const lookUp = async () => {
      const faults = await taken.among(together.map(({ application_id }) => application_id))
      for (const { application_id, place } of together) {
        const fault = faults.get(application_id)
        if (fault !== undefined) this.#faults.add(place, fault)
      }
      together = []
    }
    for await (const { columns, count } of this.spool.columns(stored)) {
      for (let i = 0; i < count; i++) {
        const { application_id, applicant_id, place } = packedApplication({ columns }, i)
        if (application_id <= applicationIds.reached) together.push({ application_id, place })
        if (applicant_id > this.lastIds.applicant && applicantIds.isDrawn(applicant_id))
          this.#faults.add(place, registeredMeanwhile(applicant_id))
      }
      if (together.length >= lookedUpTogether) await lookUp()
    }
    if (together.length > 0) await lookUp()
  }
}

const twinKey = (of: Odds['of'], { application_id, program, applicant_id }: PackedApplication): string =>
  of === 'id' ? String(application_id) : `${program} ${applicant_id}`

function oddsFault(
  of: Odds['of'],
  { application_id, applicant_id, is_current }: PackedApplication,
  twin: string,
): Fault {
  if (of === 'id') {
    const detail = `is ${application_id}, which the one on ${twin} has too`
    return { path: '/application_id', code: 'duplicate_id', detail }
  }
  const older = `the CURRENT application of applicant ${applicant_id}, on ${twin}, is older`
  const detail = `must not be ${is_current ? 'CURRENT' : 'OBSOLETE'}: ${older}, so that one cannot be CURRENT`
  return { path: '/revision_state', code: 'inconsistent', detail }
}

const registeredMeanwhile = (applicantId: number): Fault => ({
  path: '/applicant_id',
  code: 'taken_id',
  detail: `is ${applicantId}, which was given to another since this load began; load it again`,
})
