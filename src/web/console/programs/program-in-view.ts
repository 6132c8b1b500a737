// Loads the program named in a URL, if the person may see it, with its active version and draft.

import { Problem } from '../../../base/problem.ts'
import { maySeeProgram, type Person } from '../../../core/people/roles.ts'
import type { Db, Sql } from '../../../db/client.ts'
import {
  findProgramOverview,
  type ProgramOverview,
  readPublishedVersionIds,
  type VersionId,
} from '../../../db/programs/program-overviews.ts'
import {
  findActiveVersion,
  findDraftVersion,
  findProgramVersion,
  loadProgramVersion,
  type StoredProgramVersion,
} from '../../../db/programs/programs.ts'
import { diffVersions, type VersionChange } from '../../../domain/comparison/version-diff.ts'
import { describeForEditing, withoutQuestions } from '../../../domain/definitions/version-definition.ts'
import { isSlug } from '../../../domain/values/slug.ts'
import { idOf } from '../requests/route-parameters.ts'

/** One that is another's, and one that is not there, are the same to a person. */
export async function findVisibleProgram(db: Db, person: Person, slug: string): Promise<ProgramOverview> {
  const program = isSlug(slug) ? await findProgramOverview(db, slug) : undefined
  if (program === undefined || !maySeeProgram(person, program.program_id))
    throw new Problem('not_found', { detail: 'There is no program with this slug.' })
  return program
}

/** A program with its active version and its draft, as of one instant. */
export interface ProgramInView {
  program: ProgramOverview
  active: StoredProgramVersion | undefined
  draft: StoredProgramVersion | undefined
  /** The version to edit: the draft, or without one the active version. */
  current: StoredProgramVersion
  /** The draft's changes; none without a draft. */
  changes: VersionChange[]
}

export async function loadProgramInView(db: Sql, person: Person, slug: string): Promise<ProgramInView> {
  return db.begin('isolation level repeatable read read only', async tx => {
    const program = await findVisibleProgram(tx, person, slug)
    const active = await findActiveVersion(tx, program.program_id)
    const draft = await findDraftVersion(tx, program.program_id)
    const current = draft ?? active
    if (current === undefined)
      throw new Problem('not_found', {
        detail: `Program "${slug}" has no version. Start again under New program with the same slug.`,
      })
    return { program, active, draft, current, changes: draft === undefined ? [] : changesOf(active, draft) }
  })
}

/** A version's changes since the previous one; for the first version, everything. */
export const changesOf = (before: StoredProgramVersion | undefined, after: StoredProgramVersion): VersionChange[] =>
  diffVersions(before ?? withoutQuestions(after), after)

/** Versions on one page of history: each is compared with the one before it. */
const versionsMax = 10
/** Changes of one version that a history lists one by one. Its own page has all. */
const changesMax = 20

/** Who made a version and when, without what it asks. */
export type VersionFacts = Omit<StoredProgramVersion, 'screens' | 'questions'>

/** A version, and what it changed against the one before. */
export interface HistoryEntry {
  version: VersionFacts
  /** The first ones. */
  changes: VersionChange[]
  /** The number of further ones. */
  more_changes: number
}

/**
 * The published versions of a program before one, newest first, a page of them; `next` is where the next page begins. Of large programs
 * a version is megabytes, and comparing two takes a while: they are read one after another, and others are answered in between.
 */
export async function loadHistory(
  db: Db,
  { program_id }: Pick<ProgramOverview, 'program_id'>,
  before: number,
): Promise<{ items: HistoryEntry[]; next: number | null }> {
  // One more than is shown, to compare the last one with.
  const ids = await readPublishedVersionIds(db, program_id, { before, rowsMax: versionsMax + 1 })
  const load = async (id: number | undefined) => (id === undefined ? undefined : loadProgramVersion(db, id))
  const items: HistoryEntry[] = []
  let after = await load(ids[0])
  while (after !== undefined && items.length < versionsMax) {
    const before = await load(ids[items.length + 1])
    items.push(historyEntry(before, after))
    after = before
  }
  return { items, next: ids.length > versionsMax ? ids[versionsMax - 1]! : null }
}

function historyEntry(before: StoredProgramVersion | undefined, after: StoredProgramVersion): HistoryEntry {
  const changes = changesOf(before, after)
  const { screens: _, questions: __, ...version } = after
  return {
    version,
    changes: changes.slice(0, changesMax),
    more_changes: Math.max(0, changes.length - changesMax),
  }
}

/** The version an address names, if it is one of this program. */
export async function findVersionOf(db: Db, program: ProgramOverview, id: string): Promise<StoredProgramVersion> {
  const version = await findProgramVersion(db, idOf(id) ?? 0)
  if (version?.program_id !== program.program_id)
    throw new Problem('not_found', {
      detail: `Program "${program.slug}" has no version ${id}. If it was a draft, it has since been saved, published or discarded.`,
    })
  return version
}

/** The name that people use for a version: its number within the program (D40). */
export const versionName = ({ version_number }: Pick<VersionId, 'version_number'>): string =>
  version_number === null ? 'Draft' : `Version ${version_number}`

/** A version as the text of its document. */
export const documentText = (version: StoredProgramVersion): string =>
  `${JSON.stringify(describeForEditing(version), null, 2)}\n`

/** Whether a version was published that the draft knows nothing of. */
export const isOvertaken = ({ active, draft }: ProgramInView): boolean =>
  draft !== undefined && draft.based_on !== (active?.program_version_id ?? null)
