// Stores CiviForm's programs whenever they change, with what is needed to render the applications of each version.

import { inTransaction, readNow } from '../../db/client.ts'
import { readPublishedVersions } from '../../db/programs/programs.ts'
import { exportedProgramName } from '../../domain/questions/followed-shape.ts'
import { buildKeyMap, unansweredForm } from '../../domain/questions/key-map.ts'
import { dropFindingsBefore, findFollowState, moveFollowState, noteFindings } from '../db/follow-state.ts'
import { type FollowedProgram, readFollowedPrograms } from '../db/followed-programs.ts'
import {
  readCatalogueMark,
  readSourcePrograms,
  readSourceQuestions,
  readSourceStatuses,
} from '../db/source-catalogue.ts'
import { planAnswers } from '../rendering/answer-plan.ts'
import type { VersionPlan } from '../rendering/render-application.ts'
import type { FollowReading } from '../source/followed-source.ts'
import { type ProgramFamily, programFamilies } from './program-families.ts'
import { readStatuses } from './program-statuses.ts'
import { storeCatalogue } from './store-catalogue.ts'

/** The kinds of findings from reading the catalogue: those that are not found again are removed. */
const findingKinds = [
  'program_slug',
  'repeated_block',
  'missing_question',
  'key_collision',
  'blocks',
  'empty_key',
  'unknown_question_type',
  'condition',
  'scores',
  'version_stage',
]

export interface PlannedVersion extends VersionPlan {
  program_id: number
}

export class FollowedCatalogue {
  #mark: string | undefined
  #families = new Map<number, ProgramFamily>()
  #programs = new Map<string, FollowedProgram>()
  #plans = new Map<number, PlannedVersion>()
  /** Rows of `programs` that are in no published version but have applications. */
  readonly #appliedTo = new Set<number>()

  constructor(private readonly deps: Pick<FollowReading, 'sql' | 'source' | 'options' | 'log'>) {}

  /** Stores CiviForm's programs again if they have changed, after `before`. */
  async refresh(reading: FollowReading['reading'], before: () => Promise<void>): Promise<void> {
    const mark = await readCatalogueMark(this.deps.source, reading.layout)
    if (mark === this.#mark) return
    await before()
    await this.#reload(reading)
    this.#mark = mark
  }

  /** How to render the applications of these versions. Omits versions that do not exist. */
  async plansOf(
    versionIds: readonly number[],
    reading: FollowReading['reading'],
  ): Promise<Map<number, PlannedVersion>> {
    const wanted = new Set(versionIds)
    const unknown = [...wanted].filter(id => !this.#isPublished(id) && !this.#appliedTo.has(id))
    if (unknown.length > 0) {
      for (const id of unknown) this.#appliedTo.add(id)
      await this.#reload(reading)
    }
    const plans = new Map<number, PlannedVersion>()
    for (const id of wanted) {
      const plan = await this.#plan(id)
      if (plan !== undefined) plans.set(id, plan)
    }
    return plans
  }

  #isPublished(versionId: number): boolean {
    return this.#families.get(versionId)?.versions.some(v => v.id === versionId && v.state !== 'DRAFT') === true
  }

  async #reload(reading: FollowReading['reading']): Promise<void> {
    const { sql, source, options } = this.deps
    const begun = await readNow(sql)
    if (this.#mark === undefined) await this.#recallAppliedTo()
    const programs = await readSourcePrograms(source, options.databaseZone, reading.layout)
    const questions = await readSourceQuestions(source)
    const statuses = readStatuses(await readSourceStatuses(source, reading.layout))
    const { families, findings } = programFamilies(programs, questions, this.#appliedTo)
    await inTransaction(sql, async tx => {
      await storeCatalogue(tx, families, statuses)
      await noteFindings(tx, findings)
      await dropFindingsBefore(tx, findingKinds, begun)
      await moveFollowState(tx, { catalogue: `${programs.length} versions of ${families.length} programs` })
    })
    for (const { kind, subject, detail } of findings)
      this.deps.log.warn({ finding: kind, subject, detail }, 'some CiviForm data cannot be mapped')
    this.#families = new Map(families.flatMap(family => family.versions.map(version => [version.id, family] as const)))
    this.#programs = new Map((await readFollowedPrograms(sql)).map(program => [program.origin_name, program]))
    this.#plans = new Map()
  }

  /** After a restart: programs stored as published although CiviForm has them in no version. */
  async #recallAppliedTo(): Promise<void> {
    const { sql } = this.deps
    if ((await findFollowState(sql))?.catalogue === null) return
    for (const { program_id } of await readFollowedPrograms(sql))
      for (const version of await readPublishedVersions(sql, program_id))
        this.#appliedTo.add(version.program_version_id)
  }

  async #plan(versionId: number): Promise<PlannedVersion | undefined> {
    const known = this.#plans.get(versionId)
    if (known !== undefined) return known
    const family = this.#families.get(versionId)
    const program = family === undefined ? undefined : this.#programs.get(family.name)
    if (family === undefined || program === undefined) return undefined
    const programName = exportedProgramName(this.deps.options.profile, program)
    for (const stored of await readPublishedVersions(this.deps.sql, program.program_id)) {
      const version = family.versions.find(version => version.id === stored.program_version_id)
      const questions = planAnswers(buildKeyMap([stored]), version?.questions ?? [], node =>
        unansweredForm(node, this.deps.options.profile),
      )
      this.#plans.set(stored.program_version_id, { program_id: program.program_id, programName, questions })
    }
    return this.#plans.get(versionId)
  }
}
