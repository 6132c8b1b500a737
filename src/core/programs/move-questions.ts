// Applies new question versions to the other programs that ask these questions.
// Callers must hold the question bank's lock.

import { Problem } from '../../base/problem.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import type { Db, Transaction } from '../../db/client.ts'
import {
  activateDraft,
  deleteDraft,
  insertDraft,
  type QuestionRelease,
  readProgramsAsking,
  readProgramsUsingOthers,
  readQuestionReleases,
  retireActiveVersion,
} from '../../db/programs/program-versions.ts'
import { readWorkingVersions, type StoredProgramVersion } from '../../db/programs/programs.ts'
import { readQuestionVersions } from '../../db/programs/questions.ts'
import { diffVersions, settingChanges, type VersionChange } from '../../domain/comparison/version-diff.ts'
import { describeVersion } from '../../domain/definitions/version-definition.ts'
import type { QuestionSettings } from '../../domain/questions/question.ts'
import { announceDraft } from './announce.ts'
import { findDefinitionErrors } from './parse-definition.ts'

/** The programs that may be moved, by slug. */
export type AllowedMoves = 'all' | readonly string[]

/** The effect of a publication on another program's active version. */
export interface Move {
  slug: string
  display_name: string
  /** The version that is active before the publication. */
  replaces: number
  changes: VersionChange[]
}

/** A program that was moved, with its new version. */
export interface MovedProgram extends Move {
  program_id: number
  program_version_id: number
  version_number: number
}

interface Moving {
  /** The program whose publication moves the others. */
  becauseOf: string
  actor: string
  address?: string | undefined
  allowed: AllowedMoves
  /** Called with the number of programs moved so far. */
  onMoved?: ((programsDone: number) => void) | undefined
}

/** The changes in every other active program that asks these questions, if they had these settings; by program ID. */
export async function planMoves(
  db: Db,
  becauseOf: string,
  changed: ReadonlyMap<number, QuestionSettings>,
): Promise<(Move & { moved: StoredProgramVersion })[]> {
  if (changed.size === 0) return []
  const moves: (Move & { moved: StoredProgramVersion })[] = []
  const programIds = await readProgramsAsking(db, [...changed.keys()])
  for await (const [, { active }] of workingVersions(db, programIds)) {
    if (active === undefined || active.slug === becauseOf) continue
    const { slug, display_name } = active
    const questions = active.questions.map(q => ({ ...q, settings: changed.get(q.question_id) ?? q.settings }))
    const moved = { ...active, questions }
    const changes = diffVersions(active, moved)
    if (changes.length > 0) moves.push({ slug, display_name, replaces: active.program_version_id, changes, moved })
  }
  return moves
}

/** Programs read at a time: a version may have megabytes. */
const programsAtATime = 50

/** The active version and the draft of each of these programs, in order. */
async function* workingVersions(db: Db, programIds: readonly number[]) {
  for (let i = 0; i < programIds.length; i += programsAtATime) {
    const ids = programIds.slice(i, i + programsAtATime)
    const versions = await readWorkingVersions(db, ids)
    for (const id of ids) yield [id, versions.get(id) ?? {}] as const
  }
}

/** Rejects publishing programs that the publisher has not named, with the changes in each. */
function refuseUnsaidMoves(moves: readonly Move[], { becauseOf, allowed }: Moving): void {
  const unsaid = moves.filter(({ slug }) => allowed !== 'all' && !allowed.includes(slug))
  if (unsaid.length === 0) return
  throw new Problem('conflict', {
    detail:
      `Publishing "${becauseOf}" would change questions of other active programs, and publish these programs too. Nothing was published.` +
      ` To publish them too, list them as programs to move: ${unsaid.map(({ slug }) => slug).join(', ')}; or all.`,
    errors: unsaid.flatMap(({ slug, changes }) =>
      changes.map(({ subject, detail }) => ({
        path: '',
        code: 'other_program_moves',
        detail: `"${slug}" (its question "${subject}"): ${detail}`,
      })),
    ),
  })
}

/**
 * Gives every other program whose active version asks a released question a new active version with the question's new version, and moves drafts
 * along. Throws `conflict` with all changes if one of these programs may not be moved, and if another program's condition uses an option that no
 * longer exists. Returns the programs, by ID.
 */
export async function moveSharedQuestions(
  tx: Transaction,
  releases: readonly QuestionRelease[],
  moving: Moving,
): Promise<MovedProgram[]> {
  if (releases.length === 0) return []
  const versions = await readQuestionVersions(
    tx,
    releases.map(release => release.question_version_id),
  )
  const settings = new Map(versions.map(version => [version.question_version_id, version.settings]))
  const byQuestion = new Map(versions.map(version => [version.question_id, version.settings]))
  const planned = await planMoves(tx, moving.becauseOf, byQuestion)
  refuseUnsaidMoves(planned, moving)
  const { becauseOf, actor, address } = moving
  const published: MovedProgram[] = []
  let programsDone = 0
  const using = await readProgramsUsingOthers(tx, releases, ['ACTIVE', 'DRAFT'])
  const programIds = using.map(({ program_id }) => program_id)
  for await (const [program_id, { active, draft }] of workingVersions(tx, programIds)) {
    if (draft !== undefined) await deleteDraft(tx, draft.program_version_id)
    let based_on = draft?.based_on ?? null
    const moved = active && move(active, releases, settings)
    if (active !== undefined && moved !== undefined) {
      const broken = await findBrokenConditions(moved, becauseOf)
      if (broken !== undefined) throw broken
      const replaces = active.program_version_id
      const program_version_id = await insertDraft(tx, { ...moved, based_on: replaces, created_by: actor })
      await retireActiveVersion(tx, program_id)
      await activateDraft(tx, program_version_id, actor)
      const detail = { program_version_id, replaces, because_of: becauseOf }
      await appendAuditEvent(tx, { actor, address, action: 'program_published', subject: active.slug, detail })
      const changes = diffVersions(active, moved)
      const { slug, display_name } = active
      const version_number = active.version_number! + 1
      published.push({ program_id, slug, display_name, program_version_id, version_number, replaces, changes })
      if (based_on === replaces) based_on = program_version_id
    }
    if (draft !== undefined) await restoreDraft(tx, draft, releases, based_on)
    moving.onMoved?.(++programsDone)
  }
  return published
}

/**
 * Restores a draft that was removed for a publication, under a new ID, so that an editor who has it open learns of the change. It takes over the
 * released questions, except those that it changes itself: publishing it is then rejected, with the difference.
 */
export async function restoreDraft(
  tx: Transaction,
  draft: StoredProgramVersion,
  releases: readonly QuestionRelease[],
  based_on: number | null,
): Promise<void> {
  const moved = move(draft, releases, new Map()) ?? draft
  await announceDraft(tx, await insertDraft(tx, { ...moved, based_on }))
}

/** The version with its questions replaced by the released ones; undefined if it has none of these. */
function move(
  version: StoredProgramVersion,
  releases: readonly QuestionRelease[],
  settings: ReadonlyMap<number, QuestionSettings>,
): StoredProgramVersion | undefined {
  const byReplaced = new Map(releases.map(release => [release.replaces, release.question_version_id]))
  if (!version.questions.some(q => byReplaced.has(q.question_version_id))) return undefined
  const questions = version.questions.map(q => {
    const question_version_id = byReplaced.get(q.question_version_id)
    if (question_version_id === undefined) return q
    return { ...q, question_version_id, settings: settings.get(question_version_id) ?? q.settings }
  })
  return { ...version, questions }
}

/** Why a version that moves along would be invalid; undefined if it is valid. */
export async function findBrokenConditions(
  version: StoredProgramVersion,
  becauseOf: string,
): Promise<Problem | undefined> {
  // Its depth and the rest were accepted when it was published; a changed question can only break its screens.
  const { errors: broken } = await findDefinitionErrors(describeVersion(version), {
    enumeratorDepthMax: Number.POSITIVE_INFINITY,
    within: '/screens',
  })
  if (broken.length === 0) return undefined
  return new Problem('conflict', {
    internal: 'broken_condition',
    detail:
      `A condition in program "${version.slug}" depends on something that "${becauseOf}" removes from a shared question.` +
      ` Change the conditions of "${version.slug}" first. Nothing was published.`,
    errors: broken.map(({ path, code, detail }) => ({
      path: '',
      code,
      detail: `"${version.slug}" ${path}: ${detail}`,
    })),
  })
}

/** The conflict, with the difference, if another program changed a question after the draft, which changes it too, was saved; otherwise undefined. */
export async function findOutdatedQuestions(db: Db, draft: StoredProgramVersion): Promise<Problem | undefined> {
  const releases = await readQuestionReleases(db, draft.program_version_id)
  const overtaken = releases.filter(({ based_on, replaces }) => based_on !== replaces)
  if (overtaken.length === 0) return undefined
  const ids = overtaken.flatMap(({ based_on, replaces }) => [based_on, replaces]).filter(id => id !== null)
  const settings = new Map((await readQuestionVersions(db, ids)).map(v => [v.question_version_id, v.settings]))
  return new Problem('conflict', {
    internal: 'outdated',
    detail:
      `The draft of "${draft.slug}" changes questions that another program changed after it was saved.` +
      ' Nothing was published. Save it again, with these changes or without them:',
    errors: overtaken.flatMap(({ admin_name, based_on, replaces }) =>
      settingChanges(
        admin_name,
        settings.get(based_on ?? 0) ?? { text: '' },
        settings.get(replaces ?? 0) ?? { text: '' },
      ).map(({ code, subject, detail }) => ({ path: '', code, detail: `"${subject}": ${detail}` })),
    ),
  })
}
