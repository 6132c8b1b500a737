// Compares a document with the published version: changes to its program, and to other programs that ask the same questions.

import { Problem } from '../../base/problem.ts'
import { countWithOption } from '../../db/applications/application-lists.ts'
import type { Sql, Transaction } from '../../db/client.ts'
import {
  findActiveVersion,
  findProgram,
  readPublishedVersions,
  type StoredProgramVersion,
} from '../../db/programs/programs.ts'
import { type ReusedOption, reusedOptions, sayReuse } from '../../domain/comparison/reused-options.ts'
import { diffDefinitions, sameSettings, type VersionChange } from '../../domain/comparison/version-diff.ts'
import type { ProgramDefinition } from '../../domain/definitions/program-definition.ts'
import { completeDefinition, describeVersion, describeWhole } from '../../domain/definitions/version-definition.ts'
import { changesAgainst, type EditOptions } from './edit.ts'
import { findBrokenConditions, findOutdatedQuestions, type Move, planMoves } from './move-questions.ts'
import { loadBankFor, parseDefinition } from './parse-definition.ts'
import { settingsOf } from './store-content.ts'

export interface Comparison {
  definition: ProgramDefinition
  /** The version it is compared with; undefined if nothing is published. */
  active: StoredProgramVersion | undefined
  changes: VersionChange[]
  /** Other programs whose active version asks a question that would change. */
  moves: Move[]
  /** Why publishing would be rejected because of one of these; undefined if nothing prevents it. */
  refusal: Problem | undefined
}

/** Throws `invalid_request` with every error of the document. */
export async function compareWithPublished(
  sql: Sql,
  document: unknown,
  { enumeratorDepthMax }: EditOptions = {},
): Promise<Comparison> {
  return sql.begin('isolation level repeatable read read only', async tx => {
    const bank = await loadBankFor(tx, document)
    const definition = await parseDefinition(document, bank, enumeratorDepthMax)
    const complete = completeDefinition(definition, bank)
    const { slug } = definition
    const program = await findProgram(tx, slug)
    const active = program && (await findActiveVersion(tx, program.program_id))
    const known = new Map(bank.map(question => [question.admin_name, question]))
    const changed = complete.questions.flatMap(question => {
      const stored = known.get(question.admin_name)
      const settings = settingsOf(question)
      return stored === undefined || sameSettings(stored.settings, settings)
        ? []
        : [[stored.question_id, settings] as const]
    })
    const moves = await planMoves(tx, slug, new Map(changed))
    return {
      definition,
      active,
      changes: await withReusedOptions(tx, active, complete, changesAgainst(active, complete)),
      moves: moves.map(({ moved: _, ...move }) => move),
      refusal: await findFirst(moves, ({ moved }) => findBrokenConditions(moved, slug)),
    }
  })
}

/** Maximum number of applications searched for an option. */
const applicationsMax = 10_000

/** The changes, with the earlier meaning of an added option's ID in a previous version of the program (D56). */
async function withReusedOptions(
  tx: Transaction,
  active: StoredProgramVersion | undefined,
  { questions }: ProgramDefinition,
  changes: VersionChange[],
): Promise<VersionChange[]> {
  if (active === undefined || !changes.some(({ code }) => code === 'option_added')) return changes
  const reused = reusedOptions(changes, questions, await readPublishedVersions(tx, active.program_id))
  const having = new Map<ReusedOption, string>()
  for (const option of reused) {
    if (option.was === option.text) continue
    const { question_key, id, to } = option
    const answer = { question_key, option_id: id, to }
    const { found, all } = await countWithOption(tx, active.program_id, answer, applicationsMax)
    having.set(
      option,
      `${all ? '' : 'at least '}${found.toLocaleString('en-US')} ${found === 1 ? 'application has' : 'applications have'} it`,
    )
  }
  return sayReuse(changes, reused, option => having.get(option)!)
}

async function findFirst<T, Found>(
  items: readonly T[],
  find: (item: T) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  for (const item of items) {
    const found = await find(item)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * The effects that publishing a draft would have on other programs, or why it would be rejected now. The draft's base shows whether its own program
 * has been published since.
 */
export async function reviewDraft(
  sql: Sql,
  draft: StoredProgramVersion,
  options: EditOptions,
): Promise<Pick<Comparison, 'moves' | 'refusal'> & { changes?: VersionChange[] }> {
  const overtaken = await findOutdatedQuestions(sql, draft)
  if (overtaken !== undefined) return { moves: [], refusal: overtaken }
  try {
    return await compareWithPublished(sql, describeVersion(draft), options)
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid_request') throw error
    return { moves: [], refusal: error }
  }
}

/** The differences between a document and a version. Throws `invalid_request` with every error of the document. */
export async function compareWithVersion(
  sql: Sql,
  document: unknown,
  version: StoredProgramVersion,
  { enumeratorDepthMax }: EditOptions = {},
): Promise<VersionChange[]> {
  const bank = await loadBankFor(sql, document)
  const definition = completeDefinition(await parseDefinition(document, bank, enumeratorDepthMax), bank)
  return diffDefinitions(describeWhole(version), definition)
}
