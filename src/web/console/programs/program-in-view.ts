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

/** A program that the person may not see looks like one that doesn't exist. */
export async function findVisibleProgram(db: Db, person: Person, slug: string): Promise<ProgramOverview> {
  const program = isSlug(slug) ? await findProgramOverview(db, slug) : undefined
  if (program === undefined || !maySeeProgram(person, program.program_id))
    throw new Problem('not_found', { detail: 'There is no program with this slug.' })
  return program
}

/** A program with its active version and draft, as of one instant. */
export interface ProgramInView {
  program: ProgramOverview
  active: StoredProgramVersion | undefined
  draft: StoredProgramVersion | undefined
  /** The version to edit: the draft, or the active version if there is none. */
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

/** Versions per page of the history, each compared with its predecessor. */
const versionsMax = 10
/** Maximum number of changes listed per version. The version's own page lists all of them. */
const changesMax = 20

/** Who created a version and when, without its content. */
export type VersionFacts = Omit<StoredProgramVersion, 'screens' | 'questions'>

/** A version, and its changes since the previous one. */
export interface HistoryEntry {
  version: VersionFacts
  /** The first few. */
  changes: VersionChange[]
  /** Number of further changes. */
  more_changes: number
}

/**
 * A page of the program's published versions before one, newest first; `next` is the start of the next page. In large programs, a version is
 * megabytes and a comparison slow, so they are read one after another, and other requests are served in between.
 */
export async function loadHistory(
  db: Db,
  { program_id }: Pick<ProgramOverview, 'program_id'>,
  before: number,
): Promise<{ items: HistoryEntry[]; next: number | null }> {
  // One more than shown, because the last one is compared with it.
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

/** The version named in an address, if it belongs to this program. */
export async function findVersionOf(db: Db, program: ProgramOverview, id: string): Promise<StoredProgramVersion> {
  const version = await findProgramVersion(db, idOf(id) ?? 0)
  if (version?.program_id !== program.program_id)
    throw new Problem('not_found', {
      detail: `Program "${program.slug}" has no version ${id}. If it was a draft, it has since been saved, published or discarded.`,
    })
  return version
}

/** A version's number within the program, which people use as its name (D40). */
export const versionName = ({ version_number }: Pick<VersionId, 'version_number'>): string =>
  version_number === null ? 'Draft' : `Version ${version_number}`

/** A version as the text of its document. */
export const documentText = (version: StoredProgramVersion): string =>
  `${JSON.stringify(describeForEditing(version), null, 2)}\n`

/** Whether a version was published after the draft's base. */
export const isOvertaken = ({ active, draft }: ProgramInView): boolean =>
  draft !== undefined && draft.based_on !== (active?.program_version_id ?? null)
